"""A policy that schedules and allocates every round with CP-SAT."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from packwise.model.decision import Decision
from packwise.model.errors import SolverFailed
from packwise.model.outlook import outlook
from packwise.model.view import View, fits_on_nodes
from packwise.model.workload import Ints
from packwise.optimise.bounds import relative_gap
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.nodes.beginning import searched_plan
from packwise.optimise.cp.nodes.instance import Instance, Plan, by_priority, instance, pool_instance
from packwise.optimise.cp.nodes.lists import list_plan, nodes_matter, other_list_plans
from packwise.optimise.cp.nodes.method import FAILED, Found, Task
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.original.dispatcher import OriginalDispatchPolicy
from packwise.optimise.cp.nodes.original.methods import METHODS as ORIGINAL_METHODS
from packwise.optimise.cp.nodes.original.parameters import PARAMETERS as ORIGINAL_PARAMETERS
from packwise.optimise.cp.nodes.parameters import PARAMETERS, SOLVER, read_parameters, read_solver
from packwise.optimise.cp.nodes.patience import Patience

#: For a guess: seconds in which a model is made ready, and those of a unit of CP-SAT's work, as on Eurora.
_READY, _SECONDS_OF_WORK = 0.15, 13.0
_NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True)
class DispatchPolicy:
    """Minimise the total slowdown of the waiting jobs on the nodes, and start those whose planned start is now.

    Galleguillos, Kiziltan and Soto, CP 2021. ``method``: how (a name of METHODS). ``jobs``: at most so many
    take part, those with the highest priority; the others wait. ``hint``: the solver begins with the
    best of three list plans (and the order search's, with ``search``), and keeps it where it finds no better;
    or ``off``. On a pool, and where nodes do not matter, there is nothing to allocate: what is left is the
    scheduling model.

    A round's notes: ``jobs`` in the model, its ``variables`` and ``constraints``, ``build_seconds``,
    ``solve_seconds``, ``solve_work`` (deterministic time), ``fails``, ``extensions`` of the limit, what
    ``ended`` the search (0 a proof, 1 no better plan, 2 the longest limit, 3 the model has no plan, 4 too
    large a model, 5 the solver failed), the total slowdown of the plan that is followed (``objective``), a
    ``bound`` on it and the relative ``gap``, whether it is better than the list plans (``improved``), whether
    it is one of them for want of another (``fallback``), and how many jobs were ``postponed`` for want of
    nodes.
    """

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("plans",)
    node_parts: ClassVar[tuple[str, ...]] = ("node-lists",)
    packages: ClassVar[tuple[str, ...]] = ("ortools",)

    name: str
    method: str
    meaning: str
    source: str = "Galleguillos, Kiziltan and Soto, CP 2021"
    patience: Patience = field(default_factory=Patience)
    jobs: int = 100
    hint: str = "lists"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reproducible(self) -> bool:
        """Not under a limit of wall time, which stops at another point in each run."""
        return self.patience.deterministic

    @property
    def seconds_per_job(self) -> float:
        """A guess, for who plans ahead: every other job makes a round that is worth solving."""
        patience = self.patience
        search = min(patience.limit * 2.0**patience.extensions, patience.longest)
        return 0.5 * (_READY + search * (_SECONDS_OF_WORK if patience.deterministic else 1.0))

    @property
    def parameters(self) -> Mapping[str, str]:
        own = {**PARAMETERS, **METHODS[self.method].parameters}
        return {**SOLVER, **own, **ORIGINAL_PARAMETERS} if self.method in ORIGINAL_METHODS else own

    def with_parameters(
        self, name: str, given: Mapping[str, str]
    ) -> DispatchPolicy | OriginalDispatchPolicy:
        """The same dispatcher under other limits, or on another solver."""
        solver, given = read_solver(name, given, set(ORIGINAL_PARAMETERS))
        if solver == "cp":
            usual = ORIGINAL_METHODS[self.method].effort
            original = OriginalDispatchPolicy(name, self.method, self.meaning, usual)
            return original.with_parameters(name, given)
        patience, fields, options = read_parameters(name, given, self.patience)
        known = {**self.options, **options}
        return replace(
            self,
            name=re.sub(r"\s+", "", name.lower()),
            patience=patience,
            options=known,
            **fields,
        )

    def decide(self, view: View) -> Decision:
        """Solve the round, unless nothing or everything can start."""
        cp_sat()
        seen = outlook(view)
        order = by_priority(view, seen.queue)
        head = order[: self.jobs]
        if not head.size or not _any_fits(view, head):
            return Decision(memory=view.memory, never=seen.never)
        plans = [list_plan(view, head, np.arange(len(head)))]
        if not plans[0].start.any():
            # All of them start. Were there more, they are asked for a second later.
            more = view.now + 1 if len(order) > len(head) else None
            return _decision(view, head, plans[0], seen.never, view.memory, {}, wake_at=more)
        plans += other_list_plans(view, head)
        if self.hint == "search":
            plans.append(searched_plan(view, head, self.patience.seed))
        problem = instance(view, head) if nodes_matter(view) else pool_instance(view, head)

        def cost(plan: Plan) -> float:
            return problem.slowdown(plan.start)

        best = min(plans, key=cost)
        found = self._find(view, problem, best)
        plan = found.plan
        improved = plan is not None and cost(plan) < cost(best)
        postponed = _NOBODY
        if plan is None or (self.hint != "off" and not improved):
            plan = best
        elif found.postponed is not None:
            postponed = found.postponed
        notes = {
            "jobs": len(head),
            "variables": found.variables,
            "constraints": found.constraints,
            "build_seconds": found.build_seconds,
            "solve_seconds": found.solve_seconds,
            "solve_work": found.solve_work,
            "fails": found.fails,
            "extensions": found.extensions,
            "ended": found.ended,
            "objective": cost(plan),
            "bound": found.bound,
            "gap": relative_gap(cost(plan), found.bound),
            "improved": improved,
            "fallback": found.plan is None,
            "postponed": len(postponed),
            **found.notes,
        }
        memory = view.memory if found.memory is None else found.memory
        return _decision(view, head, plan, seen.never, memory, notes, postponed=postponed)

    def _find(self, view: View, problem: Instance, best: Plan) -> Found:
        """What the method finds, or nothing where the solver fails: a round without an answer must not end a
        replay. Only the solver's failures are its own: what else goes wrong is a mistake of ours, and is told.
        """
        task = Task(
            view,
            problem,
            best,
            self.hint != "off",
            self.patience,
            nodes_matter(view),
            self.options,
            view.memory,
        )
        try:
            return METHODS[self.method].find(task)
        except SolverFailed:
            return Found(None, FAILED)


def _any_fits(view: View, jobs: Ints) -> bool:
    """Whether anybody could start now."""
    if not nodes_matter(view):
        return int(view.demand[jobs].min()) <= view.free
    assert view.nodes is not None
    return any(fits_on_nodes(view.nodes, job) for job in jobs.tolist())


def _decision(
    view: View,
    jobs: Ints,
    plan: Plan,
    never: Ints,
    memory: Any,
    notes: Mapping[str, float],
    *,
    postponed: Ints = _NOBODY,
    wake_at: int | None = None,
) -> Decision:
    """Start who is planned for now, but for those who are postponed."""
    starts = np.setdiff1d(np.flatnonzero(plan.start == 0), postponed)
    later = np.flatnonzero(plan.start > 0)
    planned = {int(jobs[i]): view.now + int(plan.start[i]) for i in later.tolist()}
    return Decision(
        start=jobs[starts],
        planned=planned,
        # A plan may let a job wait for no other: then nothing else would wake the policy. With some postponed
        # it will not come true, and who is asked again before anything has happened says the same.
        wake_at=wake_at if postponed.size else min(planned.values(), default=wake_at),
        memory=memory,
        notes=notes,
        never=never,
        allocation={int(jobs[i]): plan.where[i] for i in starts.tolist() if plan.where[i]},
    )
