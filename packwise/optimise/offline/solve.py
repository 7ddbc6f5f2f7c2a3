"""solve: the best schedule of a whole log that is found within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Ints
from packwise.optimise.bounds import relative_gap
from packwise.optimise.offline.bound import bound, bounds
from packwise.optimise.offline.budget import NOTHING, Budget, Spent, evaluations_of_a_pass
from packwise.optimise.offline.log import Log
from packwise.optimise.offline.neighbourhoods import ConstraintWindows, Windows
from packwise.optimise.offline.orders import orders

#: The share of a budget that goes to the bound, at most; and that may be gone before the last seed is made.
_BOUND_SHARE, _SEEDS_SHARE = 0.1, 0.8
#: A gap below this is rounding: the schedule is the best there is.
_CLOSED = 1e-9


class Progress(NamedTuple):
    """How far it has come. ``seed``: the best schedule to begin with."""

    seconds: float
    evaluations: int
    value: float
    seed: float
    bound: float

    @property
    def gap(self) -> float:
        """How far from the best the schedule can be, as a share of its value."""
        return relative_gap(self.value, self.bound)


@dataclass(frozen=True, eq=False)
class Solved:
    """The best schedule found, and how it came about.

    ``seeds``: the metric of each schedule to begin with, by name; ``seed``: the best of them. ``history``: what
    was reached when. ``interrupted``: whether somebody stopped it.
    """

    start: Ints
    value: float
    bound: float
    seed: str
    seed_start: Ints
    seeds: Mapping[str, float]
    history: tuple[Progress, ...]
    interrupted: bool

    @property
    def gap(self) -> float:
        return self.history[-1].gap


def solve(
    log: Log,
    budget: Budget,
    seeds: Mapping[str, Ints] | None = None,
    *,
    seed: int = 0,
    cp: float = 0.0,
    spent: Spent = NOTHING,
    progress: Callable[[Progress], None] | None = None,
) -> Solved:
    """Minimise the metric of a log from the best of some schedules on; the result is never worse.

    ``seeds``: schedules by name, besides those made here; ``spent``: what they took of the budget. ``cp``:
    the share of the budget for CP-SAT. A KeyboardInterrupt, also one that ``progress`` raises, ends it with the
    best so far.

    An order of a window is an evaluation; a schedule made from scratch or a step of the bound counts as one for
    each fifty jobs. There are no more of them than the budget says, but for one schedule where there
    is none at all. A time is kept, but for the one that is under way at its end.
    """
    if not len(log):
        raise InputError("expected a log with jobs, found none.")
    if not 0 <= cp <= 1:
        raise InputError(f"expected a share of the budget between 0 and 1, found {cp:g}.")
    solver = ConstraintWindows(log, np.random.default_rng(seed)) if cp > 0 else None
    if cp > 0 and budget.seconds is None:
        raise InputError(
            "CP-SAT is given a share of time, so the budget should be a time such as 60s; found a number of "
            "evaluations."
        )
    _compile(log.metric)
    task = _Task(log, budget, seed, spent, progress)
    try:
        task.begin(seeds or {})
        task.improve(solver, cp)
    except KeyboardInterrupt:
        if task.start is None:
            raise
        task.interrupted = True
    return task.solved()


def _compile(metric: str) -> None:
    """Let everything be compiled before the clock runs."""
    one = np.ones(2, np.int64)
    tiny = Log(one, one, one, 1, metric)
    windows = Windows(tiny, 0)
    windows.follow(windows.insert(np.arange(2)))
    windows.improve(0)
    bound(tiny, windows.start, 0.0)


class _Task:
    """One call of ``solve``: the best schedule so far, and what has been spent."""

    def __init__(
        self,
        log: Log,
        budget: Budget,
        seed: int,
        spent: Spent,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._log = log
        self._budget = budget
        self._progress = progress
        self._began = time.monotonic() - spent.seconds
        self._others = spent.evaluations
        self._pass = evaluations_of_a_pass(len(log))
        self._windows = Windows(log, seed)
        self._seeds: dict[str, float] = {}
        self._seed = ""
        self._seed_start = np.empty(0, np.int64)
        self._bound = np.nan
        self._history: list[Progress] = []
        self._cp_seconds = 0.0
        self.start: Ints | None = None
        self._value = np.inf
        self.interrupted = False

    def begin(self, seeds: Mapping[str, Ints]) -> None:
        """The best seed, and the bound."""
        for name, start in seeds.items():
            self._log.check_starts(start)
            if self._log.value(start) < self._value:
                self._log.check(start)  # takes long; one that is not used need not be right
            self._plant(name, start)
        for name, order in orders(self._log):
            if self.start is not None and self._left_after_a_pass() < 1 - _SEEDS_SHARE:
                break
            self._plant(name, self._windows.insert(order))
            self._others += self._pass
        self._report()
        self._find_bound()
        self._report()

    def _find_bound(self) -> None:
        """The bound, as good as it gets within its share."""
        assert self.start is not None
        enough = max(0.0, self._left() - _BOUND_SHARE)
        steps = bounds(self._log, self.start)
        while self._left_after_a_pass() > enough and (value := next(steps, None)) is not None:
            self._bound = value
            self._others += self._pass

    def improve(self, solver: ConstraintWindows | None, cp: float) -> None:
        """Windows until the budget is spent, or nothing better is possible."""
        assert self.start is not None
        if len(self._log) < 2 or not self._room():
            return
        self._windows.follow(self.start)
        began = time.monotonic()
        while self._room() and not self._value <= self._bound * (1 + _CLOSED):
            spent = time.monotonic() - began
            if solver is not None and self._cp_seconds < cp * spent:
                at = time.monotonic()
                better = solver.improve(self._windows.start, self._seconds_left())
                self._cp_seconds += time.monotonic() - at
                if better is not None:
                    self._windows.follow(better)
            elif cp < 1:
                self._windows.improve(self._last_begin())
            self._keep(self._windows.start)
            self._report()

    def solved(self) -> Solved:
        assert self.start is not None
        if not self._history:
            self._report(quietly=True)
        self._log.check(self.start)
        return Solved(
            self.start,
            self._value,
            self._bound,
            self._seed,
            self._seed_start,
            self._seeds,
            tuple(self._history),
            self.interrupted,
        )

    def _plant(self, name: str, start: Ints) -> None:
        value = self._log.value(start)
        self._seeds[name] = value
        if value < self._value:
            self._seed, self._seed_start = name, start.copy()
        self._keep(start)

    def _keep(self, start: Ints) -> None:
        value = self._log.value(start)
        if value < self._value:
            self.start, self._value = start.copy(), value

    @property
    def _evaluations(self) -> int:
        return self._others + self._windows.evaluations

    def _left(self) -> float:
        """The share of the budget that is left."""
        if self._budget.seconds is not None:
            return self._seconds_left() / self._budget.seconds
        assert self._budget.evaluations is not None
        return 1 - self._evaluations / self._budget.evaluations

    def _left_after_a_pass(self) -> float:
        """The same after another pass over the log, as far as that can be told."""
        most = self._budget.evaluations
        return self._left() if most is None else self._left() - self._pass / most

    def _seconds_left(self) -> float:
        assert self._budget.seconds is not None
        return self._budget.seconds - (time.monotonic() - self._began)

    def _last_begin(self) -> int | None:
        """Windows may begin before so many of their evaluations; None if only time counts."""
        if self._budget.evaluations is None:
            return None
        return self._budget.evaluations - self._others - self._windows.largest + 1

    def _room(self) -> bool:
        """Whether another window fits into the budget."""
        last = self._last_begin()
        return self._left() > 0 if last is None else self._windows.evaluations < last

    def _report(self, *, quietly: bool = False) -> None:
        now = Progress(
            time.monotonic() - self._began,
            self._evaluations,
            self._value,
            self._seeds[self._seed],
            self._bound,
        )
        self._history.append(now)
        if self._progress is not None and not quietly:
            self._progress(now)
