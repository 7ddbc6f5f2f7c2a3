"""A policy that solves every round (Goponenko et al., DEBS 2024, sections 2.3, 4, 5.2, 5.4 and 5.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from packwise.model.decision import Decision
from packwise.model.errors import InputError
from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.bounds import relative_gap
from packwise.optimise.cp.backfill import backfill
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.limits import Limits
from packwise.optimise.cp.parameters import HINT, PARAMETERS, read_parameters
from packwise.optimise.cp.search import OPTIMAL
from packwise.optimise.cp.solve import Solution, solve_round
from packwise.optimise.metrics_of_plan import metric_of_plan
from packwise.optimise.round import Round

#: The status of a search that ended in an exception; the others are CP-SAT's own.
RAISED = -1


@dataclass(frozen=True)
class CpPolicy:
    """Minimise a metric of the waiting jobs, and start those whose planned start is now.

    ``polished``: list plans that are each improved in a search of their own, besides one from scratch
    (the "+" of the paper); the searches share the limit. ``limit`` and ``extension`` are seconds of wall
    time, under which a schedule is not reproducible; under a ``deterministic`` limit it is. ``hint``: whether
    the solver begins with the best list plan, and keeps it where it finds no better.

    A round's notes: ``jobs`` in the model, its ``variables`` and ``constraints``, ``build_seconds``,
    ``solve_seconds``, CP-SAT's ``status`` (0 unknown, 1 model invalid, 2 feasible, 3 infeasible,
    4 optimal; -1: an exception), the exact ``objective`` of the plan kept, a ``bound`` on it and the
    relative ``gap``, whether the solver ``improved`` on all list plans, and whether it had no plan to give
    (``fallback``: the plan it began with is followed, or List-REG's). There are none for a round in which
    nothing can start, or everything.
    """

    name: str
    metric: str
    meaning: str
    source: str
    polished: tuple[str, ...] = ()
    hint: bool = False
    limit: float = 20.0
    extension: float | None = None
    deterministic: float | None = None
    workers: int | None = None
    seed: int = 0
    jobs: int | None = None

    def __post_init__(self) -> None:
        Limits(self.limit, self.deterministic, self.workers, self.seed)  # refuses what it cannot be
        if self.jobs is not None and self.jobs < 1:
            raise InputError(
                f"policy '{self.name}': jobs should be 1 or more, or None for all, found {self.jobs}."
            )

    @property
    def parameters(self) -> Mapping[str, str]:
        return PARAMETERS if self.polished else PARAMETERS | HINT

    def with_parameters(self, name: str, given: Mapping[str, str]) -> CpPolicy:
        """The same objective under other limits."""
        fields = read_parameters(name, given)
        return replace(self, name=re.sub(r"\s+", "", name.lower()), **fields)

    def decide(self, view: View) -> Decision:
        """Solve the round, unless nothing or everything can start."""
        cp_sat()
        demand = view.demand[view.queue]
        if int(demand.sum()) <= view.free:
            return Decision(start=view.queue)
        if int(demand.min()) > view.free:
            return Decision()
        round = Round.from_view(view)
        head = round if self.jobs is None else round.part(np.arange(min(self.jobs, len(round))))
        plan, notes = self._plan(head)
        start = backfill(round, plan) if len(head) < len(round) else plan
        now = start == view.now
        planned = dict(zip(view.queue[~now].tolist(), start[~now].tolist(), strict=True))
        # A plan may let a job wait for no other, where that costs nothing or a ratio gains by it: then
        # nothing else would wake the policy.
        wake_at = min(planned.values(), default=None)
        return Decision(start=view.queue[now], planned=planned, wake_at=wake_at, notes=notes)

    def _plan(self, round: Round) -> tuple[Ints, dict[str, float]]:
        """The best plan of the searches and of what they began with, or else List-REG's; and the notes."""
        lists = {name: round.insert(order) for name, order in round.list_orders().items()}
        value = partial(metric_of_plan, self.metric, round)
        best_list = min(lists.values(), key=value)
        hints = [lists[name] for name in self.polished] or [best_list] * self.hint
        solutions = self._solutions(round, hints)
        plans = [s.start for s in solutions if s.start is not None] + hints
        plan = min(plans, key=value, default=lists["list-reg"])
        fallback = not any(s.found for s in solutions)
        objective = value(plan)
        known = [s.bound for s in solutions if s.found and not math.isnan(s.bound)]
        bound = max(known, default=math.nan)
        return plan, {
            "jobs": len(round),
            "variables": max((s.variables for s in solutions), default=0),
            "constraints": max((s.constraints for s in solutions), default=0),
            "build_seconds": sum(s.build_seconds for s in solutions),
            "solve_seconds": sum(s.solve_seconds for s in solutions),
            "status": max((s.status for s in solutions), default=RAISED),
            "objective": objective,
            "bound": bound,
            "gap": relative_gap(objective, bound),
            "improved": not fallback and objective < value(best_list),
            "fallback": fallback,
        }

    def _solutions(self, round: Round, hints: Sequence[Ints]) -> list[Solution]:
        """What the searches say, one after the other until one has a proof; those that raised say nothing."""
        begins: list[list[Ints]] = [[hint] for hint in hints]
        if self.polished or not hints:
            begins.append([])
        amount = self.limit if self.deterministic is None else self.deterministic
        solutions: list[Solution] = []
        for begin in begins:
            solutions += self._solve(round, begin, amount / len(begins))
            if solutions and solutions[-1].status == OPTIMAL:
                break
        if not hints and not any(s.found for s in solutions):
            more = 2 * amount if self.extension is None else self.extension
            if more:
                solutions += self._solve(round, [], more)
        return solutions

    def _solve(self, round: Round, hints: Sequence[Ints], amount: float) -> list[Solution]:
        """One search, or nothing where it fails: a round without an answer must not end a replay."""
        wall = self.deterministic is None
        try:
            solution = solve_round(
                round,
                self.metric,
                hints=hints,
                limit=amount,
                deterministic=None if wall else amount,
                workers=self.workers,
                seed=self.seed,
            )
        except Exception:
            return []
        return [solution]
