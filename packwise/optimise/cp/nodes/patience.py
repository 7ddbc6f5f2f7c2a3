"""A search that is given more time as long as that helps.

Galleguillos, Kiziltan and Soto, CP 2021, section 3: a limit that is doubled until it reaches a longest one,
and given up once the best plan has not changed for some extensions. Under limits of wall time the search goes
on as it is. Under deterministic ones, which CP-SAT can only be given when a search begins, each
extension beyond the first few, before which nobody gives up, is a search of its own that begins with the best
plan so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Ints
from packwise.optimise.cp.limits import Limits
from packwise.optimise.cp.nodes.scheduling import SchedulingModel
from packwise.optimise.cp.search import FEASIBLE, OPTIMAL, UNKNOWN, Answer, search

#: What ended a search: a proof, k extensions without a better plan, the longest limit, or that the model has no
#: plan.
PROOF, NO_BETTER, LONGEST, NONE = range(4)

#: Less of what CP-SAT does before it searches, which on these models took longer than it saved: a round of 100
#: jobs of Eurora's had no plan after 5 s otherwise, though it was given one to begin with (PCP'19).
BRISK = {
    "max_presolve_iterations": 1,
    "cp_model_probing_level": 0,
    "symmetry_level": 0,
    "linearization_level": 0,
}


@dataclass(frozen=True, slots=True)
class Patience:
    """``limit`` and ``longest`` are seconds, or with ``deterministic`` units of CP-SAT's own measure of work;
    ``extensions``: how many in a row may bring nothing.
    """

    limit: float = 1.0
    longest: float = 16.0
    extensions: int = 2
    deterministic: bool = False
    workers: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self.limits(self.limit)
        if self.longest < self.limit:
            raise InputError(
                f"the longest limit should be no less than the first, found {self.longest:g} and "
                f"{self.limit:g}."
            )

    def limits(self, amount: float) -> Limits:
        """The limit of one search."""
        unit = {"deterministic": amount} if self.deterministic else {"seconds": amount}
        return Limits(**unit, workers=self.workers, seed=self.seed)

    def within(self, left: float) -> Patience:
        """The same, with no more than is left."""
        return replace(self, limit=min(self.limit, left), longest=left)

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters of CP-SAT. A single thread is reproducible without taking turns among strategies."""
        one = self.limits(self.limit).threads == 1
        return {**BRISK, "interleave_search": False} if one else dict(BRISK)

    def moments(self) -> Iterator[float]:
        """The limits, each twice the last, up to the longest."""
        at = self.limit
        while at < self.longest:
            yield at
            at *= 2
        yield self.longest


@dataclass(slots=True)
class Progress:
    """What is known at the limits so far: how many in a row have brought nothing better."""

    patience: Patience
    best: float | None = None
    idle: int = -1

    def at_limit(self, best: float | None) -> bool:
        """Whether to give up, given the best plan's cost at a limit (None: there is no plan yet)."""
        self.idle = 0 if best is None or best != self.best else self.idle + 1
        self.best = best
        return self.idle >= self.patience.extensions


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a search has found, what it took, and why it ended. ``fails``: conflicts."""

    status: int
    values: Ints | None
    bound: float
    ended: int
    extensions: int
    seconds: float
    work: float
    fails: int


def solve(model: SchedulingModel, patience: Patience) -> Outcome:
    """Search a model. SolverFailed if CP-SAT does not do its part."""
    begin = time.perf_counter()
    if patience.deterministic:
        found, ended, extensions = _step_by_step(model, patience)
    else:
        found, ended, extensions = _at_once(model, patience)
    seconds = time.perf_counter() - begin
    work, fails = sum(one.work for one in found), sum(one.fails for one in found)
    known = [one for one in found if one.values is not None]
    last = min(known, key=lambda one: one.objective or 0.0) if known else found[-1]
    bound = max((one.bound for one in found if np.isfinite(one.bound)), default=float("nan"))
    return Outcome(last.status, last.values, bound, ended, extensions, seconds, work, fails)


def _at_once(model: SchedulingModel, patience: Patience) -> tuple[list[Answer], int, int]:
    """One search, looked at whenever a limit is reached."""
    progress = Progress(patience)
    moments = list(patience.moments())[:-1]
    passed = 0

    def look(seconds: float, best: float | None) -> bool:
        nonlocal passed
        while passed < len(moments) and seconds >= moments[passed]:
            if progress.at_limit(best):
                return True
            passed += 1
        return False

    answer = search(
        model.cp,
        model.wanted,
        patience.limits(patience.longest),
        patience.longest,
        look=look,
        settings=patience.settings,
    )
    if answer.status == OPTIMAL:
        return [answer], PROOF, passed
    if answer.status not in (UNKNOWN, FEASIBLE):
        return [answer], NONE, passed
    return [answer], NO_BETTER if progress.idle >= patience.extensions else LONGEST, passed


def _step_by_step(model: SchedulingModel, patience: Patience) -> tuple[list[Answer], int, int]:
    """A search from limit to limit, each from the best plan so far.

    Before the first few limits have passed nobody gives up, so they are one search.
    """
    progress = Progress(patience)
    answers: list[Answer] = []
    moments = list(patience.moments())
    together = min(patience.extensions, len(moments) - 1)
    spent = 0.0
    for extensions in range(together, len(moments)):
        amount = moments[extensions] - spent
        spent = moments[extensions]
        limits = patience.limits(amount)
        answer = search(model.cp, model.wanted, limits, amount, settings=patience.settings)
        answers.append(answer)
        if answer.status == OPTIMAL:
            early = extensions == together
            passed = sum(at < answer.work for at in moments[:together]) if early else extensions
            return answers, PROOF, passed
        if answer.status not in (UNKNOWN, FEASIBLE):
            return answers, NONE, extensions
        if extensions == together:
            for moment in moments[:together]:
                progress.at_limit(_best_by(answer, moment))
        costs = [one.objective for one in answers if one.objective is not None]
        if progress.at_limit(min(costs, default=None)) and extensions < len(moments) - 1:
            return answers, NO_BETTER, extensions
        if answer.values is not None:
            _hint(model.cp, answer)
    ended = NO_BETTER if progress.idle >= patience.extensions else LONGEST
    return answers, ended, len(moments) - 1


def _best_by(answer: Answer, work: float) -> float | None:
    """The cost of the best plan by then; None if there was none."""
    found = [cost for at, cost in answer.costs if at <= work]
    return found[-1] if found else None


def _hint(model: Any, answer: Answer) -> None:
    """Let the next search begin with all that this one has found."""
    model.clear_hints()
    model.proto.solution_hint.vars.extend(range(len(answer.solution)))
    model.proto.solution_hint.values.extend(answer.solution)
