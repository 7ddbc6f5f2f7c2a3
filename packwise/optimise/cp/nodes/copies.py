"""PCP'19: an optional interval for every unit of a job on every node that could have it.

Galleguillos, Kiziltan and Soto, CP 2021, section 2.2: the number of variables grows with the nodes. Their
constraint 'alternative' is not in the solver as it is shipped. Here as many copies of a job are performed as it
has units, those that are start with it, and it starts no earlier than the first copy that may be performed.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance
from packwise.optimise.cp.nodes.schedule import ScheduleModel
from packwise.optimise.cp.nodes.search import ByVariables


class CopiesModel(ScheduleModel):
    """A job's copies on the nodes, whose number is that of its units."""

    @classmethod
    def size_of(cls, instance: Instance) -> int:
        return len(instance) + int(instance.most.sum())

    def allocate(self) -> None:
        solver, most = self.solver, self.instance.most
        self._nodes: list[Ints] = []
        self._copies: list[list[Any]] = []
        self._performed: list[list[Any]] = []
        for i, (start, interval) in enumerate(zip(self.starts, self.intervals, strict=True)):
            duration, latest = int(self.instance.estimate[i]), int(self.latest[i])
            nodes = np.repeat(np.arange(len(most[i])), most[i])
            copies = [solver.FixedDurationIntervalVar(0, latest, duration, True, "") for _ in nodes]
            performed = [copy.PerformedExpr().Var() for copy in copies]
            for copy in copies:
                solver.Add(copy.StartsAtStart(interval))
            solver.Add(solver.SumEquality(performed, int(self.instance.units[i])))
            first = solver.Min([copy.SafeStartExpr(latest).Var() for copy in copies])
            solver.Add(start == first)
            self._nodes.append(nodes)
            self._copies.append(copies)
            self._performed.append(performed)
        for node in range(most.shape[1]):
            self._hold(node)

    def _hold(self, node: int) -> None:
        """No more of a node's resources than it has."""
        here = [
            (copy, i)
            for i, nodes in enumerate(self._nodes)
            for copy in self._copies[i][slice(*np.searchsorted(nodes, [node, node + 1]).tolist())]
        ]
        times, free = self.instance.free_over_time(node)
        capacity = self.instance.capacity[node]
        for resource in range(len(capacity)):
            amounts = [int(self.instance.need[i, resource]) for _, i in here]
            some = [k for k, amount in enumerate(amounts) if amount]
            if some:
                self.cumulative(
                    [here[k][0] for k in some],
                    [amounts[k] for k in some],
                    (times, capacity[resource] - free[:, resource]),
                    int(capacity[resource]),
                )

    def search(self) -> Any:
        """The start of a job, and then its copies, those on the first nodes before others. The paper's search
        is over the copies alone: without a constraint that finds at once that a job has too few of them at a
        time, it tries them out one by one.
        """
        return self.interleaved(ByVariables(self._performed, lambda one: one.Max()))

    def decided_nodes(self, job: int) -> list[int]:
        performed = zip(self._nodes[job].tolist(), self._performed[job], strict=True)
        found = (node for node, one in performed if one.Min())
        return list(islice(found, int(self.instance.units[job])))

    @property
    def wanted(self) -> list[Any]:
        return [*self.starts, *(one for some in self._performed for one in some)]

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        found = []
        place = len(self.starts)
        for nodes in self._nodes:
            chosen = nodes[values[place : place + len(nodes)] > 0]
            found.append(
                {
                    int(n): int(k)
                    for n, k in zip(*np.unique(chosen, return_counts=True), strict=True)
                }
            )
            place += len(nodes)
        return tuple(found)
