"""A pool of processors to plan on: orders become plans."""

from __future__ import annotations

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.kernels.offline_profile import Line, new_line
from packwise.optimise.kernels.profit_insertion import Held, insert_in_order
from packwise.optimise.profit.plan import Plan
from packwise.optimise.profit.problem import Problem


class Pool:
    """The profile of a problem's processors."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        running, span = problem.running, problem.span
        latest = np.argsort(-running.end, kind="stable")
        ranks = int(problem.jobs.rank.max(initial=-1)) + 1
        self.held = Held(
            running.end[latest],
            running.demand[latest],
            np.array([problem.setting.cluster.procs, problem.day_end]),
            np.zeros(ranks, np.int64),
        )
        count = len(problem) + len(running.end)
        self.line: Line = new_line(count, span.begin, max(1, span.end - span.begin))
        self._nobody = np.zeros(len(problem), np.int64)

    def insert(
        self,
        order: Ints,
        since: Ints | None = None,
        fixed: Ints | None = None,
        kept: Plan | None = None,
    ) -> Ints:
        """The starts that come of giving each job of an order its earliest feasible one, none before ``since``.
        Jobs that are ``fixed`` keep those of a plan.
        """
        jobs = self.problem.jobs
        start = np.empty(len(self.problem), np.int64) if kept is None else kept.start.copy()
        insert_in_order(
            order,
            jobs.release if since is None else since,
            self._nobody if fixed is None else fixed,
            jobs,
            self.line,
            self.held,
            start,
        )
        return start

    def plan(self, start: Ints) -> Plan:
        """The plan with these starts, which were inserted last."""
        return Plan(start, None)
