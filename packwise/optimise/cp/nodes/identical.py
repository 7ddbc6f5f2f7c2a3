"""Nodes that are alike at a round: the same is there, the same is taken until the same times, the same jobs may
use them.

Breaking the symmetry among them is future work in Galleguillos, Kiziltan and Soto, CP 2021, section 6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance, Plan
from packwise.optimise.cp.nodes.pcp21 import Pcp21Model


class Arranged(NamedTuple):
    """An instance with its nodes in another order: ``old`` has their numbers before. Those from ``first`` on
    are alike; there is no larger kind.
    """

    instance: Instance
    old: Ints
    first: int


def arrange(instance: Instance) -> Arranged:
    """The largest kind of nodes last, and nodes of the same size together, as they were."""
    nodes = len(instance.capacity)
    taken = instance.taken
    rows: list[list[object]] = [[] for _ in range(nodes)]
    for node, begin, end, amount in zip(*(column.tolist() for column in taken), strict=True):
        rows[node].append((begin, end, *amount))
    kinds: dict[object, list[int]] = {}
    for node in range(nodes):
        size = tuple(instance.capacity[node].tolist())
        key = size, instance.may[:, node].tobytes(), tuple(sorted(rows[node], key=str))
        kinds.setdefault(key, []).append(node)
    last = max(kinds.values(), key=len)
    same_size = (instance.capacity == instance.capacity[last[0]]).all(axis=1)
    place = np.arange(nodes) + nodes * same_size
    place[last] += nodes
    old = np.argsort(place, kind="stable")
    new = np.argsort(old)
    arranged = replace(
        instance,
        capacity=instance.capacity[old],
        may=instance.may[:, old],
        taken=taken._replace(node=new[taken.node]),
    )
    return Arranged(arranged, old, nodes - len(last))


class IdenticalNodesModel(Pcp21Model):
    """PCP'21 in which nodes that are alike are used in their order: no unit is on one of them unless the one
    before it is used by a job of higher priority, or by a unit of its own job.
    """

    def __init__(self, instance: Instance, reference: Plan, *, hinted: bool) -> None:
        self._arranged = arrange(instance)
        new = np.argsort(self._arranged.old)
        renamed = [{int(new[n]): count for n, count in nodes.items()} for nodes in reference.where]
        super().__init__(
            self._arranged.instance, Plan(reference.start, tuple(renamed)), hinted=hinted
        )

    def renamed(self, where: tuple[dict[int, int], ...]) -> dict[int, int]:
        first, known = self._arranged.first, len(self._arranged.old)
        used = dict.fromkeys(node for nodes in where for node in sorted(nodes) if node >= first)
        rest = [node for node in range(first, known) if node not in used]
        return dict(zip([*used, *rest], range(first, known), strict=True))

    def allocate(self) -> None:
        super().allocate()
        first, last = self._arranged.first, len(self._arranged.old) - 1
        used: int = first - 1
        highest = used
        for nodes, hinted in zip(self._node, self._hinted_nodes, strict=True):
            for node, hint in zip(nodes, sorted(hinted), strict=True):
                self.cp.add(node <= highest + 1)
                used = max(used, hint)
                after = self.variable(first - 1, last, used)
                self.cp.add_max_equality(after, [highest, node])
                highest = after

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        old = self._arranged.old
        return tuple(
            {int(old[node]): count for node, count in nodes.items()}
            for nodes in super().where(values)
        )
