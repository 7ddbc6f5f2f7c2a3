"""The scheduling model that the dispatchers share, on OR-Tools' original solver: HCP'19 has nothing else.

Galleguillos, Kiziltan and Soto, CP 2021, section 2.2. What runs is no variable here: it is merged into what is
taken of the pool over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.library import original_cp
from packwise.optimise.cp.linear import whole_weights
from packwise.optimise.cp.nodes.instance import Instance, Plan
from packwise.optimise.cp.nodes.pairs import pairs_by_energy
from packwise.optimise.cp.nodes.search import Allocation, interleaved_search


class ScheduleModel:
    """When the jobs of an instance start, as if all nodes were one.

    ``size``: how many variables are decided. ``factor``: how many units of the solver's objective make one of
    total slowdown. ``wanted``: the variables that make a plan, the starts first.
    """

    def __init__(self, instance: Instance) -> None:
        self.cp = original_cp()
        self.instance = instance
        self.solver = self.cp.Solver("dispatch")
        # Who has the higher priority is due earlier by a second: with that SET_TIMES breaks ties.
        self.latest = instance.horizon + np.arange(len(instance))
        self.starts = [self.solver.IntVar(0, latest) for latest in self.latest.tolist()]
        self.intervals = [
            self.solver.FixedDurationIntervalVar(start, duration, "")
            for start, duration in zip(self.starts, instance.estimate.tolist(), strict=True)
        ]
        for resource in range(len(instance.resources)):
            self._pool(resource)
        weights, self.factor = whole_weights(instance.weight, self.latest)
        self.objective = self.solver.ScalProd(self.starts, weights.tolist()).Var()
        self._free: dict[int, Ints] = {}
        self.allocate()

    @classmethod
    def size_of(cls, instance: Instance) -> int:
        """How many variables the model of an instance decides, without making it."""
        return len(instance)

    def allocate(self) -> None:
        """Tell on which nodes units are. Here: nothing."""

    def search(self) -> Any:
        """Section 3, Search: the job that can start first, of those the one with the highest priority, starts
        at its earliest time, or is postponed until that changes.
        """
        return self.solver.Phase(self.intervals, self.solver.INTERVAL_SET_TIMES_FORWARD)

    @property
    def wanted(self) -> list[Any]:
        return list(self.starts)

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        """The nodes of each job, given the values of what is wanted."""
        return tuple({} for _ in range(len(self.instance)))

    def plan(self, values: Ints) -> Plan:
        """The plan that the values of what is wanted are."""
        return self.instance.outer(Plan(values[: len(self.instance)], self.where(values)))

    def pair_by_energy(self) -> None:
        """The authors' PCP'21 has these besides the paper: who cannot run side by side, and who goes first."""
        solver = self.solver
        apart, ordered = pairs_by_energy(self.instance)
        for i, j in apart:
            solver.Add(solver.DisjunctiveConstraint([self.intervals[i], self.intervals[j]], ""))
        for i, j in ordered:
            solver.Add(self.starts[i] <= self.starts[j])

    def interleaved(self, allocation: Allocation) -> Any:
        """A search that goes from start to start, and allocates each job when it has one."""
        return interleaved_search(
            self.starts,
            self.instance.estimate.tolist(),
            np.unique(self.instance.taken.end).tolist(),
            allocation,
            self,
        )

    def decided_nodes(self, job: int) -> list[int]:
        """The nodes of those units of a job whose nodes are decided."""
        return []

    def free(self, at: int, running: list[int]) -> Ints:
        """What the nodes have at a moment beside the jobs that run then, as far as their nodes are decided."""
        free = self._free_at(at).copy()
        for job in running:
            for node in self.decided_nodes(job):
                free[node] -= self.instance.need[job]
        return free

    def fits(self, job: int, free: Ints) -> bool:
        """Whether all units of a job have room in what is free of the nodes."""
        return bool(self.rooms(job, free).sum() >= self.instance.units[job])

    def rooms(self, job: int, free: Ints) -> Ints:
        """For how many units of a job each node has room in what is free."""
        need = self.instance.need[job]
        some = need > 0
        count: Ints = np.maximum((free[:, some] // need[some]).min(axis=1), 0)
        rooms: Ints = np.minimum(count, self.instance.most[job])
        return rooms

    def _free_at(self, at: int) -> Ints:
        """What the nodes have at a moment beside what is taken from before."""
        if at not in self._free:
            taken = self.instance.taken
            some = (taken.begin <= at) & (at < taken.end)
            free = self.instance.capacity.copy()
            np.subtract.at(free, taken.node[some], taken.amount[some])
            self._free[at] = free
        return self._free[at]

    def cumulative(
        self,
        intervals: Sequence[Any],
        amounts: Sequence[int],
        steps: tuple[Ints, Ints],
        capacity: int,
    ) -> None:
        """No more than there is at any time. ``steps`` of what is taken: from when on, and how much."""
        times, taken = steps
        ends = np.append(times[1:], max(self.instance.horizon, int(times[-1]) + 1))
        fixed = [
            (self.solver.FixedInterval(begin, end - begin, ""), amount)
            for begin, end, amount in zip(
                times.tolist(), ends.tolist(), taken.tolist(), strict=True
            )
            if amount
        ]
        self.solver.Add(
            self.solver.Cumulative(
                [*intervals, *(interval for interval, _ in fixed)],
                [*amounts, *(amount for _, amount in fixed)],
                capacity,
                "",
            )
        )

    def _pool(self, resource: int) -> None:
        instance = self.instance
        amounts = instance.units * instance.need[:, resource]
        some = np.flatnonzero(amounts).tolist()
        self.cumulative(
            [self.intervals[i] for i in some],
            amounts[some].tolist(),
            instance.pooled(resource),
            int(instance.capacity[:, resource].sum()),
        )
