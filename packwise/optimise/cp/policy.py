"""A policy that solves every round (Goponenko et al., DEBS 2024, sections 2.3, 4, 5.2, 5.4 and 5.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from packwise.model.decision import Decision
from packwise.model.errors import InputError, SolverFailed
from packwise.model.outlook import outlook
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE, Ints
from packwise.optimise.bounds import relative_gap
from packwise.optimise.cp.backfill import backfill
from packwise.optimise.cp.in_time import (
    breaks_a_deadline,
    carried_plan,
    due_first,
    most_in_time,
)
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.limits import Limits
from packwise.optimise.cp.parameters import HINT, PARAMETERS, read_parameters
from packwise.optimise.cp.search import OPTIMAL
from packwise.optimise.cp.searched import searched_plan
from packwise.optimise.cp.solve import Solution, solve_round
from packwise.optimise.metrics_of_plan import alpha_of, metric_of_plan
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round

#: The status of a search that failed without one; the others are CP-SAT's own.
RAISED = -1


@dataclass(frozen=True)
class CpPolicy:
    """Minimise a metric of the waiting jobs, and start those whose planned start is now.

    ``polished``: list plans that are each improved in a search of their own, besides one from scratch
    (the "+" of the paper); the searches share the limit. ``limit`` and ``extension`` are seconds of wall
    time, under which a schedule is not reproducible; under a ``deterministic`` limit it is. ``hint``: what
    the solver begins with, and keeps where it finds no better: the best list plan (``lists``), the better of
    that and of what the order search finds (``search``), or nothing (``off``). ``deadlines``: hard, soft
    or ignore; under hard ones the objective is that of the regular jobs.

    A round's notes: ``jobs`` in the model, its ``variables`` and ``constraints``, ``build_seconds``,
    ``solve_seconds``, CP-SAT's ``status`` (0 unknown, 1 model invalid, 2 feasible, 3 infeasible,
    4 optimal; -1: it raised, or gave no plan), the exact ``objective`` of the plan kept, a ``bound`` on it
    and the relative ``gap``, whether the solver ``improved`` on all list plans, and whether it had no plan to
    give (``fallback``: the plan it began with is followed, or List-REG's). There are none for a round in which
    nothing can start, or everything, or in which only jobs with hard deadlines wait.
    """

    name: str
    metric: str
    meaning: str
    source: str
    polished: tuple[str, ...] = ()
    hint: str = "off"
    limit: float = 20.0
    extension: float | None = None
    deterministic: float | None = None
    workers: int | None = None
    seed: int = 0
    jobs: int | None = None
    deadlines: str = "hard"

    packages: ClassVar[tuple[str, ...]] = ("ortools",)
    #: Its plans are of processors, whatever nodes they are on.
    pool_only: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Limits(self.limit, self.deterministic, self.workers, self.seed)  # refuses what it cannot be
        if self.deadlines == "soft" and alpha_of(self.metric) is not None:
            raise InputError(
                f"policy '{self.name}': {self.metric} is a ratio, to which lateness cannot be added. Use "
                "deadlines=hard."
            )
        if self.jobs is not None and self.jobs < 1:
            raise InputError(
                f"policy '{self.name}': jobs should be 1 or more, or None for all, found {self.jobs}."
            )

    @property
    def parts(self) -> tuple[str, ...]:
        """What of Packwise it needs compiled: see ``packwise.warm_up``."""
        return ("plans", *SearchPolicy.parts) if self.hint == "search" else ("plans",)

    @property
    def reproducible(self) -> bool:
        """Not under a limit of wall time, which stops at another point in each run."""
        return self.deterministic is not None

    @property
    def seconds_per_job(self) -> float:
        """A guess, for who plans ahead: every other job makes a round that is worth solving."""
        return 0.5 * (self.limit if self.deterministic is None else self.deterministic)

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
        seen = outlook(view)
        if not seen.queue.size or int(seen.demand.min()) > view.free:
            return Decision(memory=view.memory, never=seen.never)
        if int(seen.demand.sum()) <= view.free:
            return Decision(start=seen.queue, never=seen.never)
        round = Round.from_view(view, self.deadlines)
        head = round if self.jobs is None else round.part(np.arange(min(self.jobs, len(round))))
        carried = carried_plan(round, view.memory)
        plan, notes = self._plan(view, head, carried[: len(head)])
        start = backfill(round, plan) if len(head) < len(round) else plan
        if breaks_a_deadline(round, start, carried):  # behind a head that was planned without them
            start = carried
        now = start == view.now
        planned = dict(zip(round.job[~now].tolist(), start[~now].tolist(), strict=True))
        # A plan may let a job wait for no other, where that costs nothing or a ratio gains by it: then
        # nothing else would wake the policy.
        wake_at = min(planned.values(), default=None)
        return Decision(
            start=round.job[now],
            planned=planned,
            wake_at=wake_at,
            memory=planned,
            notes=notes,
            never=seen.never,
        )

    def _plan(self, view: View, round: Round, carried: Ints) -> tuple[Ints, dict[str, float]]:
        """The best plan of the searches and of what they began with, or else List-REG's; and the notes.

        With hard deadlines, the plan at hand that keeps most of them sets which must be kept, and a search
        begins with it: it might find no plan at all otherwise.
        """
        lists = {name: round.insert(order) for name, order in round.list_orders().items()}
        value = partial(metric_of_plan, self.metric, round)
        best_list = min(lists.values(), key=value)
        hints = [lists[name] for name in self.polished]
        if not hints and self.hint != "off":
            hints = [best_list]
        if self.hint == "search":
            found = searched_plan(view, round, self.metric, self.deadlines, self.seed)
            hints = [min(best_list, found, key=value)]
        due = None
        if round.deadline is not None and not round.soft:
            plans = [*lists.values(), round.insert(due_first(round)), carried]
            safe = most_in_time(round, plans, carried, value)
            due = np.where(safe > round.latest, NO_DEADLINE, round.latest)
            hints = [plan for plan in hints if (plan <= due).all()] or [safe]
            if not round.regular.any():
                return safe, {}
        solutions = self._solutions(round, hints, due)
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

    def _solutions(self, round: Round, hints: Sequence[Ints], due: Ints | None) -> list[Solution]:
        """What the searches say, one after the other until one has a proof; those that failed say nothing."""
        begins: list[list[Ints]] = [[hint] for hint in hints]
        if (self.polished and due is None) or not hints:
            begins.append([])
        amount = self.limit if self.deterministic is None else self.deterministic
        solutions: list[Solution] = []
        for begin in begins:
            solutions += self._solve(round, begin, due, amount / len(begins))
            if solutions and solutions[-1].status == OPTIMAL:
                break
        if not hints and not any(s.found for s in solutions):
            more = 2 * amount if self.extension is None else self.extension
            if more:
                solutions += self._solve(round, [], None, more)
        return solutions

    def _solve(
        self, round: Round, hints: Sequence[Ints], due: Ints | None, amount: float
    ) -> list[Solution]:
        """One search, or nothing where the solver fails: a round without an answer must not end a replay.

        Only the solver's failures are its own: what else goes wrong is a mistake of ours, and is told.
        """
        wall = self.deterministic is None
        try:
            solution = solve_round(
                round,
                self.metric,
                due=due,
                hints=hints,
                limit=amount,
                deterministic=None if wall else amount,
                workers=self.workers,
                seed=self.seed,
            )
        except SolverFailed:
            return []
        return [solution]
