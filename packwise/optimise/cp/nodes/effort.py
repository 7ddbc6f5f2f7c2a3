"""A search that is given more branches where it needs them.

Galleguillos, Kiziltan and Soto, CP 2021, sections 3 and 4, as their published code has it: a limit that is
doubled up to a longest one. PCP'19 and HCP'19 begin again with each limit, until a search comes to its end or
two in a row bring the same. PCP'21 goes on with its search, which ends at the first limit at which it has a
plan. Theirs are 1 to 16 s; here branches are counted, so that a round has one plan on every machine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.schedule import ScheduleModel

#: What ends a search: it came to its end, no better plan, the longest limit, its end without a plan.
PROOF, NO_BETTER, LONGEST, NONE = range(4)
#: A model that is too large to be made.
TOO_LARGE = 4
#: The longest limit, as a multiple of the first.
MOST_DOUBLED = 16


@dataclass(frozen=True, slots=True)
class Effort:
    """``branches`` of the search tree at first, and ``longest`` at most. ``extensions``: how many in a row may
    bring nothing once there is a plan. ``restart``: whether each limit begins with a new search.
    """

    branches: int
    longest: int
    extensions: int
    restart: bool

    def __post_init__(self) -> None:
        if self.longest < self.branches:
            raise InputError(
                f"the longest limit should be no less than the first, found {self.longest} and "
                f"{self.branches} branches."
            )


@dataclass(slots=True)
class Limit:
    """Where a search stands: the limit that holds now, and what was known at those before."""

    effort: Effort
    branches: int
    extensions: int = 0
    best: int | None = None
    unchanged: int = 0
    ended: int | None = None

    @classmethod
    def first(cls, effort: Effort) -> Limit:
        return cls(effort, effort.branches)

    def reached(self, best: int | None) -> bool:
        """At the limit, with the cost of the best plan or None: whether that is the end, else it is doubled."""
        alike = best is not None and best == self.best
        self.unchanged = self.unchanged + 1 if alike else 0
        self.best = best
        if best is not None and self.unchanged >= self.effort.extensions:
            self.ended = NO_BETTER
        elif self.branches >= self.effort.longest:
            self.ended = LONGEST
        else:
            self.branches = min(2 * self.branches, self.effort.longest)
            self.extensions += 1
        return self.ended is not None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The values of what is wanted in the best plan, or None; why the search ended, and what it took.
    ``python_seconds``: of its time, how long the search's own decisions took.
    """

    values: Ints | None
    ended: int
    extensions: int
    seconds: float
    python_seconds: float
    branches: int
    fails: int
    solutions: int


def solve(model: ScheduleModel, effort: Effort) -> Outcome:
    """Search a model."""
    begin = time.perf_counter()
    solver = model.solver
    best = solver.BestValueSolutionCollector(False)
    best.AddObjective(model.objective)
    best.Add(model.wanted)
    limit = Limit.first(effort)

    def cost() -> int | None:
        return int(best.ObjectiveValue(0)) if best.SolutionCount() else None

    python_seconds = 0.0

    def run(end: Any) -> None:
        nonlocal python_seconds
        search = model.search()
        solver.Solve(search, [solver.Minimize(model.objective, 1), best, end])
        python_seconds += getattr(search, "seconds", 0.0)
        if (error := getattr(search, "error", None)) is not None:
            raise error

    if effort.restart:
        ends = False
        while not ends:
            before = solver.Branches()
            run(solver.BranchesLimit(limit.branches))
            ends = solver.Branches() - before < limit.branches or limit.reached(cost())
    else:
        run(
            solver.CustomLimit(
                lambda: solver.Branches() >= limit.branches and limit.reached(cost())
            )
        )
    values = None
    if best.SolutionCount():
        values = np.array([best.Value(0, variable) for variable in model.wanted], np.int64)
    exhausted = PROOF if values is not None else NONE
    return Outcome(
        values,
        exhausted if limit.ended is None else limit.ended,
        limit.extensions,
        time.perf_counter() - begin,
        python_seconds,
        int(solver.Branches()),
        int(solver.Failures()),
        int(solver.Solutions()),
    )
