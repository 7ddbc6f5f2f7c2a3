"""A policy that schedules and allocates every round with OR-Tools' original solver."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from packwise.model.decision import Decision
from packwise.model.outlook import outlook
from packwise.model.view import View, fits_on_nodes
from packwise.model.workload import Ints
from packwise.optimise.cp.library import original_cp
from packwise.optimise.cp.nodes.best_fit import best_fit
from packwise.optimise.cp.nodes.effort import TOO_LARGE, Effort, solve
from packwise.optimise.cp.nodes.instance import Instance, Plan, by_priority, instance, pool_instance
from packwise.optimise.cp.nodes.lists import list_plan, nodes_matter, other_list_plans
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.parameters import PARAMETERS, read_parameters
from packwise.optimise.cp.nodes.schedule import ScheduleModel

#: Variables that a model may have. Beyond, making it would take longer than any limit.
MOST_VARIABLES = 500_000


@dataclass(frozen=True)
class DispatchPolicy:
    """Minimise the total slowdown of those that could start now, and start those whose planned start is now.

    Galleguillos, Kiziltan and Soto, CP 2021. ``method``: how (a name of METHODS). ``jobs``: at most so many
    take part, those with the highest priority. After a round without a plan only half of its jobs take part
    in the next one, until there is a plan. ``hint``: with ``lists`` the best of three list plans is followed
    where the search has none that is better; with ``off``, as in the paper, nobody starts without a plan.

    A round's notes: ``jobs`` in the model, its ``variables``, ``build_seconds``, ``solve_seconds`` and how much
    of that the search's own decisions took (``python_seconds``), ``branches``, ``fails`` and ``solutions`` of
    the search, ``extensions`` of the limit, what ``ended`` it (0 it came to its end, 1 no better plan, 2 the
    longest limit, 3 its end without a plan, 4 too large a model), whether there was no plan and nobody started
    (``unsolved``), or a list plan was followed for want of one (``fallback``), its total slowdown
    (``objective``), and how many jobs were ``postponed`` for want of nodes.
    """

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("plans",)
    node_parts: ClassVar[tuple[str, ...]] = ("node-lists",)
    packages: ClassVar[tuple[str, ...]] = ("ortools",)
    reproducible: ClassVar[bool] = True

    name: str
    method: str
    meaning: str
    effort: Effort
    source: str = "Galleguillos, Kiziltan and Soto, CP 2021"
    jobs: int = 100
    hint: str = "off"

    @property
    def seconds_per_job(self) -> float:
        """A guess, for who plans ahead: every other job makes a round that is worth solving, and the branches
        of a dispatcher's usual limit take a second.
        """
        return 0.5 * self.effort.branches / METHODS[self.method].effort.branches

    @property
    def parameters(self) -> Mapping[str, str]:
        return PARAMETERS

    def with_parameters(self, name: str, given: Mapping[str, str]) -> DispatchPolicy:
        """The same dispatcher under other limits."""
        effort, fields = read_parameters(name, given, self.effort)
        return replace(self, name=re.sub(r"\s+", "", name.lower()), effort=effort, **fields)

    def decide(self, view: View) -> Decision:
        """Solve the round of those that could start now."""
        original_cp()
        seen = outlook(view)
        allowed = view.memory if isinstance(view.memory, int) else self.jobs
        head = who_could_start(view, seen.queue)[:allowed]
        if not head.size:
            return Decision(memory=view.memory, never=seen.never)
        problem = instance(view, head) if nodes_matter(view) else pool_instance(view, head)
        plan, notes = self._find(view, problem)
        found = plan is not None
        if self.hint == "lists":
            plan = _better(problem, plan, view, head)
        elif plan is None and len(head) == 1:
            # There are no fewer, so nothing would ever change.
            plan = list_plan(view, head, np.arange(1))
        memory = self.jobs if found else max(1, len(head) // 2)
        if plan is None:
            notes |= {"unsolved": True, "fallback": False, "postponed": 0}
            return Decision(memory=memory, never=seen.never, notes=notes, wake_at=view.now + 1)
        placed = self._placed(view, head, plan)
        later = np.flatnonzero(plan.start > 0).tolist()
        planned = {int(head[i]): view.now + int(plan.start[i]) for i in later}
        notes |= {
            "objective": problem.slowdown(plan.start),
            "unsolved": False,
            "fallback": not found,
            "postponed": len(head) - len(later) - len(placed),
        }
        return Decision(
            start=np.array(list(placed), np.int64),
            planned=planned,
            # Who waits for something that ends is asked again then. Otherwise nothing would wake the policy.
            wake_at=None if placed else min(planned.values(), default=view.now + 1),
            memory=memory,
            notes=notes,
            never=seen.never,
            allocation={job: where for job, where in placed.items() if where},
        )

    def _placed(self, view: View, jobs: Ints, plan: Plan) -> dict[int, Mapping[int, int]]:
        """Who starts now, on which nodes. A plan for the pool has none, and then some may be without."""
        now = np.flatnonzero(plan.start == 0).tolist()
        if nodes_matter(view) and not all(plan.where[i] for i in now):
            return dict(best_fit(view, jobs[now]))
        return {int(jobs[i]): plan.where[i] for i in now}

    def _find(self, view: View, problem: Instance) -> tuple[Plan | None, dict[str, float]]:
        """The plan of the search, if it has one, and what it took."""
        kind = METHODS[self.method].model if nodes_matter(view) else ScheduleModel
        variables = kind.size_of(problem)
        notes: dict[str, float] = {"jobs": len(problem), "variables": variables}
        if variables > MOST_VARIABLES:
            return None, {**notes, "ended": TOO_LARGE}
        begin = time.perf_counter()
        model = kind(problem)
        built = time.perf_counter() - begin
        outcome = solve(model, self.effort)
        notes |= {
            "build_seconds": built,
            "solve_seconds": outcome.seconds,
            "python_seconds": outcome.python_seconds,
            "branches": outcome.branches,
            "fails": outcome.fails,
            "solutions": outcome.solutions,
            "extensions": outcome.extensions,
            "ended": outcome.ended,
        }
        return None if outcome.values is None else model.plan(outcome.values), notes


def who_could_start(view: View, queue: Ints) -> Ints:
    """Who of the waiting could start now if no other did, the one with the highest priority first."""
    queue = by_priority(view, queue)
    if not nodes_matter(view):
        return queue[view.demand[queue] <= view.free]
    assert view.nodes is not None
    nodes = view.nodes
    return queue[np.array([fits_on_nodes(nodes, job) for job in queue.tolist()], np.bool_)]


def _better(problem: Instance, plan: Plan | None, view: View, jobs: Ints) -> Plan:
    """The plan, or that of the best list where the search has none that is better."""
    plans = [list_plan(view, jobs, np.arange(len(jobs))), *other_list_plans(view, jobs)]
    best = min(plans, key=lambda one: problem.slowdown(one.start))
    if plan is None or problem.slowdown(best.start) <= problem.slowdown(plan.start):
        return best
    return plan
