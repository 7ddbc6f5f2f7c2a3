"""PCP'21s: PCP'21 for requests that are alike, where one resource is as good as another.

Galleguillos, Kiziltan and Soto, CP 2021, section 3: the units of a job get the lowest places that are free, and
where these fail the search goes back to the job's start, never to other places. So places are never decided
again, and need be no variables: the solver plans the starts, and a job that has one is given its nodes at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.schedule import ScheduleModel


class LowestModel(ScheduleModel):
    """The first nodes that have room for as long as a job runs."""

    def allocate(self) -> None:
        # What each job has been given, in a list that only grows; the search restores who has what of it.
        self._given: list[list[int]] = []
        self._has = [self.cp.RevInteger(-1) for _ in self.starts]
        self._best: list[list[int]] = []
        self.pair_by_energy()

    def search(self) -> Any:
        return self.interleaved(self)

    def begin(self, solver: Any, job: int) -> None:
        self._has[job].SetValue(solver, -1)

    def next(self, solver: Any, job: int) -> Any:
        """The nodes of a job, without a decision; or back to its start."""
        nodes = self._first_nodes(job)
        if nodes is None:
            return solver.FailDecision()
        self._has[job].SetValue(solver, len(self._given))
        self._given.append(nodes)
        return None

    def unplaced(self, job: int) -> bool:
        return bool(self._has[job].Value() < 0)

    def planned(self) -> None:
        # The search is for better plans alone, so the last one is the best.
        self._best = [self.decided_nodes(job) for job in range(len(self.starts))]

    def decided_nodes(self, job: int) -> list[int]:
        """A node for each unit."""
        place = self._has[job].Value()
        return [] if place < 0 else self._given[place]

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        found = []
        for nodes in self._best:
            chosen, counts = np.unique(nodes, return_counts=True)
            found.append(dict(zip(chosen.tolist(), counts.tolist(), strict=True)))
        return tuple(found)

    def _first_nodes(self, job: int) -> list[int] | None:
        """The first nodes with room from the job's start to its end, a node for each unit."""
        at = self.starts[job].Min()
        end = at + int(self.instance.estimate[job])
        spans = [
            (k, start.Min(), start.Min() + duration)
            for k, (start, duration) in enumerate(
                zip(self.starts, self.instance.estimate.tolist(), strict=True)
            )
            if k != job and self._has[k].Value() >= 0
        ]
        begins = [*self._later_begins, *(begin for _, begin, _ in spans)]
        # More may be taken when something begins, never when something ends.
        moments = {at, *(moment for moment in begins if at < moment < end)}
        free = np.min(
            [
                self.free(moment, [k for k, begin, until in spans if begin <= moment < until])
                for moment in moments
            ],
            axis=0,
        )
        rooms = np.cumsum(self.rooms(job, free))
        units = int(self.instance.units[job])
        if not rooms.size or rooms[-1] < units:
            return None
        nodes: list[int] = np.searchsorted(rooms, np.arange(units), side="right").tolist()
        return nodes

    @cached_property
    def _later_begins(self) -> list[int]:
        """When something is taken that is not taken now."""
        begin = self.instance.taken.begin
        later: list[int] = np.unique(begin[begin > 0]).tolist()
        return later
