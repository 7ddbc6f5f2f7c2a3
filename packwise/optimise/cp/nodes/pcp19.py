"""PCP'19: an optional interval for every unit of a job on every node that could have it.

As told in Galleguillos, Kiziltan and Soto, CP 2021, section 2.2: the number of variables grows with the nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.nodes.instance import Instance
from packwise.optimise.cp.nodes.method import Found, Method, Task, find_with
from packwise.optimise.cp.nodes.scheduling import SchedulingModel


class Pcp19Model(SchedulingModel):
    """A literal for each copy of a job on a node says whether it is there; as many are as it has units.

    Copies on one node are alike: those that are there come first.
    """

    @classmethod
    def size(cls, instance: Instance) -> int:
        return len(instance) + int(instance.most.sum())

    def allocate(self) -> None:
        instance = self.instance
        self._copies: list[dict[int, list[Any]]] = []
        on_node: list[list[tuple[Any, int]]] = [[] for _ in range(len(instance.capacity))]
        for i in range(len(instance)):
            copies: dict[int, list[Any]] = {}
            hinted = self.reference.where[i]
            for node in np.flatnonzero(instance.most[i]).tolist():
                copies[node] = [
                    self.literal(j < hinted.get(node, 0))
                    for j in range(int(instance.most[i, node]))
                ]
                for literal in copies[node]:
                    interval = self.cp.new_optional_fixed_size_interval_var(
                        self.starts[i], int(instance.estimate[i]), literal, ""
                    )
                    on_node[node].append((interval, i))
                for first, second in zip(copies[node][:-1], copies[node][1:], strict=True):
                    self.cp.add_implication(second, first)
            every = [literal for literals in copies.values() for literal in literals]
            self.cp.add(cp_sat().LinearExpr.sum(every) == int(instance.units[i]))
            self._copies.append(copies)
        for node, copies_here in enumerate(on_node):
            if copies_here:
                self._hold(node, copies_here)

    def _hold(self, node: int, copies: list[tuple[Any, int]]) -> None:
        """No more of a node's resources than it has."""
        instance = self.instance
        times, free = instance.free_over_time(node)
        for resource in range(len(instance.resources)):
            amounts = [int(instance.need[i, resource]) for _, i in copies]
            some = [k for k, amount in enumerate(amounts) if amount]
            capacity = int(instance.capacity[node, resource])
            fixed = self.fixed(times, capacity - free[:, resource])
            if some:
                self.cp.add_cumulative(
                    [copies[k][0] for k in some] + [interval for interval, _ in fixed],
                    [amounts[k] for k in some] + [amount for _, amount in fixed],
                    capacity,
                )

    @property
    def wanted(self) -> list[Any]:
        literals = [one for copies in self._copies for here in copies.values() for one in here]
        return [*self.starts, *literals]

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        found = []
        place = len(self.starts)
        for copies in self._copies:
            here = {}
            for node, literals in copies.items():
                here[node] = int(values[place : place + len(literals)].sum())
                place += len(literals)
            found.append({node: count for node, count in here.items() if count})
        return tuple(found)


def find(task: Task) -> Found:
    return find_with(Pcp19Model if task.allocated else SchedulingModel, task)


PCP19 = Method(find)
