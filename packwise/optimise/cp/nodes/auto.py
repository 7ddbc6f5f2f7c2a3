"""PCP-auto: the dispatcher that suits a round, by what waits and by what past rounds have cost.

Galleguillos, Kiziltan and Soto, CP 2021, section 6: a meta-dispatcher that can switch depending on the
workload.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from packwise.optimise.cp.nodes import pcp21_method, pcp21s
from packwise.optimise.cp.nodes.instance import Instance
from packwise.optimise.cp.nodes.method import Found, Method, Task, spent_of

#: Of those that can be chosen; the places in the note ``chosen``.
CHOICES: tuple[tuple[str, Callable[[Task], Found]], ...] = (
    ("pcp21", pcp21_method.find),
    ("pcp21s", pcp21s.find),
)
_PCP21, _PCP21S = range(2)
#: How fast the past is forgotten: each round of a choice counts so much less than the next.
FORGET = 0.8
#: Rounds after which a choice that did badly is tried again.
AGAIN = 20


class Record(NamedTuple):
    """Of a choice: by its last rounds, how often it had a plan better than the lists', per unit of the limit;
    and the number of rounds since it was chosen.
    """

    gain: float = 1.0
    idle: int = 0


Memory = tuple[Record, ...]


def find(task: Task) -> Found:
    """Choose, dispatch, and remember how it went."""
    known: Memory = task.memory if _is_memory(task.memory) else (Record(),) * len(CHOICES)
    choice = choose(task.instance, known)
    found = CHOICES[choice][1](task)
    better = found.plan is not None and (
        task.instance.slowdown(found.plan.start) < task.instance.slowdown(task.reference.start)
    )
    share = spent_of(task, found) / task.patience.limit
    gain = float(better or found.proven) / max(share, 0.01)
    records = [
        Record(FORGET * one.gain + (1 - FORGET) * min(gain, 1.0))
        if place == choice
        else one._replace(idle=one.idle + 1)
        for place, one in enumerate(known)
    ]
    return replace(found, memory=tuple(records), notes={**found.notes, "chosen": choice})


def choose(instance: Instance, known: Memory) -> int:
    """PCP'21s where requests are alike. Else the one that has brought more for its time, or that has not been
    tried for long.
    """
    if alike(instance):
        return _PCP21S
    places = range(len(CHOICES))
    long_ago = [place for place in places if known[place].idle >= AGAIN]
    return long_ago[0] if long_ago else max(places, key=lambda place: known[place].gain)


def alike(instance: Instance) -> bool:
    """Whether all ask for the same resources of the same nodes: then one resource is as good as another."""
    same_nodes = bool((instance.may == instance.may[0]).all())
    asked = instance.need > 0
    return same_nodes and bool((asked == asked[0]).all())


def _is_memory(memory: object) -> bool:
    return (
        isinstance(memory, tuple)
        and len(memory) == len(CHOICES)
        and all(isinstance(one, Record) for one in memory)
    )


AUTO = Method(find)
