"""Nodes to plan on: orders become plans that say where each unit of a job runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from packwise.engine.memory import State
from packwise.engine.nodes.group import CELLS, SPARE
from packwise.engine.nodes.replay import allocation_of, entries_of, fill_nodes, room_for_nodes
from packwise.model.allocation import Allocation
from packwise.model.schedule import NEVER
from packwise.model.workload import Ints
from packwise.optimise.kernels.profit_nodes import (
    Base,
    Known,
    hold_running,
    insert_on_nodes,
)
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.needs import classes_of
from packwise.optimise.profit.plan import Places, Plan
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.problem import Problem

#: Pieces of the time of a plan, by which its cells are found.
_PIECES = 96


class OnNodes(Pool):
    """The nodes of a problem, beside the profile of all their cores together."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        setting, running = problem.setting, problem.running
        cluster, wanted = setting.cluster, setting.wanted
        assert wanted is not None
        own = wanted._replace(units=wanted.units[problem.picked], kind=wanted.kind[problem.picked])
        entries = entries_of(own.units, cluster.nodes)
        places = np.append(entries, len(running.places.node))
        self._state = State([room_for_nodes(cluster.nodes, len(cluster.resources), own, places, 0)])
        self._machine = self._state[0]
        fill_nodes(self._machine, cluster.capacity(), cluster.whole_nodes(), own, "first-fit")
        self._machine.time[: cluster.nodes] = problem.span.begin  # all chains begin together
        job = running.places.job
        hold_running(
            self._state.address,
            problem.span.begin,
            np.array(running.places.node),
            wanted.kind[running.job][job],
            np.array(running.places.units),
            running.end[job],
        )
        cells = int(self._machine.numbers[CELLS])
        self._base = Base(
            self._machine.head.copy(),
            self._machine.time[:cells].copy(),
            self._machine.next[:cells].copy(),
            self._machine.free[:cells].copy(),
            self._machine.numbers[[CELLS, SPARE]].copy(),
            np.zeros((cluster.nodes, _PIECES), np.int64),
            np.array([(problem.span.end - problem.span.begin) // _PIECES + 1]),
        )
        ranks, rank = np.unique(own.units, return_inverse=True)
        up, down, harder = classes_of(own)
        failed, placed, at = np.zeros((3, len(harder), len(ranks)), np.int64)
        self._known = Known(rank.astype(np.int64), up, down, failed, placed, at, harder)

    def insert(
        self,
        order: Ints,
        since: Ints | None = None,
        fixed: Ints | None = None,
        kept: Plan | None = None,
    ) -> Ints:
        """As on a pool; jobs that are fixed keep their places, too."""
        jobs = self.problem.jobs
        start = np.empty(len(self.problem), np.int64)
        if kept is not None and kept.places is not None:
            start[:] = kept.start
            self._put(kept.places)
        insert_on_nodes(
            self._state.address,
            self._base,
            order,
            jobs.release if since is None else since,
            self._nobody if fixed is None else fixed,
            jobs,
            self.line,
            self.held,
            self._known,
            start,
        )
        return start

    def plan(self, start: Ints) -> Plan:
        machine = self._machine
        places = Places(machine.held.copy(), machine.node.copy(), machine.share.copy())
        return Plan(start, places)

    def plan_on(self, start: Ints, where: Mapping[int, Mapping[int, int]]) -> Plan:
        """The plan with these starts, and these units of each job on nodes."""
        machine = self._machine
        machine.held[:] = 0
        for job, units in where.items():
            first = int(machine.first[job])
            machine.held[job] = len(units)
            machine.node[first : first + len(units)] = list(units)
            machine.share[first : first + len(units)] = list(units.values())
        return self.plan(start)

    def allocation(self, plan: Plan) -> Allocation:
        """The nodes of a plan's jobs; those of another day have none."""
        assert plan.places is not None
        self._put(plan.places)
        return allocation_of(self._machine, np.where(plan.start == LATER, NEVER, plan.start))

    def _put(self, places: Places) -> None:
        machine = self._machine
        machine.held[:], machine.node[:], machine.share[:] = places
