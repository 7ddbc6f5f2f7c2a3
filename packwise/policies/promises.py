"""What policies that promise starts have in common: parameters, and their memory between rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from packwise.model.decision import Decision
from packwise.model.errors import InputError
from packwise.model.outlook import outlook
from packwise.model.view import View


@dataclass(frozen=True)
class PromisingPolicy:
    """A name, and what becomes of the plan when a job ends early: each waiting job moves to the earliest place
    there is or, with ``at_once``, only those that can start then.
    """

    name: str = ""
    at_once: bool = False
    meaning: str = ""
    source: str = ""
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = {
        "compress": "after an early end: any (default) moves each waiting job to the earliest place there is, "
        "start only those that can start at once"
    }

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``cbf(compress=start)`` names."""
        wanted = given.get("compress", "any").lower()
        if wanted not in ("any", "start"):
            raise InputError(
                f"policy '{name}': compress should be any or start, found '{given['compress']}'."
            )
        return replace(self, name=re.sub(r"\s+", "", name.lower()), at_once=wanted == "start")


class Remembered(NamedTuple):
    """Between rounds: the planned starts of waiting jobs, when running ones were expected to end, what a policy
    wants to know of waiting jobs besides, and on a machine of nodes where these are to be; and who was started
    last.
    """

    start: Mapping[int, int]
    expected_end: Mapping[int, int]
    kind: Mapping[int, int]
    nodes: Mapping[int, Mapping[int, int]]
    begun: tuple[int, ...]

    def since(self, view: View) -> tuple[bool, bool]:
        """Whether a job has ended early, and whether one has outlived its estimate: it is expected later now,
        or has ended since then, or had to wait for nodes to boot.
        """
        ends = _ends(view)
        early = any(job not in ends and end > view.now for job, end in self.expected_end.items())
        again = set(view.queue.tolist())  # who waits again had not ended
        overrun = any(
            ends[job] > end if job in ends else end < view.now + (job in again)
            for job, end in self.expected_end.items()
        )
        if view.late is not None:
            overrun = overrun or bool(view.late[list(self.begun)].any())
        return early, overrun


NOTHING = Remembered({}, {}, {}, {}, ())


class Promising:
    """One round of a policy that makes promises, asked for with a view.

    Whoever was promised a start comes before those who are new, in the order in which they were promised.
    """

    def __init__(self, view: View, at_once: bool, kinds: bool = False) -> None:
        from packwise.engine.decide import Asked, room_for
        from packwise.engine.state import AT_ONCE, EARLY, OVERRAN, POLICY, join_profiles, new_lists

        self._view = view
        self._seen = seen = outlook(view)
        memory: Remembered = view.memory or NOTHING
        waiting = seen.queue.tolist()
        here = set(waiting)
        old = [job for job in memory.start if job in here]
        self._old = len(old)
        new = [job for job in waiting if job not in memory.start]
        order = np.array([*old, *new], np.int64)
        lists = new_lists(len(order), room_for(len(order), len(seen.times))) if kinds else ()
        self._asked = Asked(view, seen, order, self._old, *lists)
        self._asked.machine.planned[: self._old] = [memory.start[job] for job in old]
        self.on_nodes = view.nodes is not None and view.nodes.matter
        if self.on_nodes:
            self._asked.let_have(order[: self._old], memory.nodes)
        self._kind = None
        if kinds:
            join_profiles(self._asked.state)
            self._kind = self._asked.state[POLICY].kind
            known = [memory.kind.get(job, 0) == 1 for job in order[: self._old].tolist()]
            self._kind[: self._old] = known
        early, overrun = memory.since(view)
        self._asked.counters[[AT_ONCE, EARLY, OVERRAN]] = at_once, early, overrun

    def ask(self, kernel: Any) -> int:
        """How many jobs the kernel picks."""
        return self._asked.ask(kernel)

    def decided(self, count: int) -> Decision:
        """The decision to start those that the kernel has picked, with the plan of the others."""
        view, asked = self._view, self._asked
        places = asked.picked(count)
        started = asked.order[places]
        ends = _ends(view)
        estimate = np.clip(view.estimate[started], 1, None)
        ends.update(zip(started.tolist(), (view.now + estimate).tolist(), strict=True))
        waits = np.ones(len(asked.order), np.bool_)
        waits[places] = False
        remaining = asked.order[waits].tolist()
        waiting = dict(zip(remaining, asked.machine.planned[waits].tolist(), strict=True))
        kinds = [] if self._kind is None else self._kind[waits].tolist()
        promised = asked.machine.promised[self._old :].tolist()
        return Decision(
            start=started,
            planned=waiting,
            promised=dict(zip(asked.order[self._old :].tolist(), promised, strict=True)),
            wake_at=min(waiting.values(), default=None),
            memory=Remembered(
                waiting,
                ends,
                dict(zip(remaining, kinds, strict=False)),
                asked.nodes_of(np.flatnonzero(waits)) if self.on_nodes else {},
                tuple(started.tolist()),
            ),
            never=self._seen.never,
            allocation=asked.nodes_of(places) if self.on_nodes else {},
        )


def _ends(view: View) -> dict[int, int]:
    """When running jobs are expected to end."""
    return dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
