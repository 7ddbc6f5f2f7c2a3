"""Better schedules near a given one: some jobs are taken out, and put back in a better way."""

from __future__ import annotations

import math
import time

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Ints
from packwise.optimise.offline.log import Log
from packwise.optimise.round import Round

#: Seconds of compiled code between two chances to report or to be interrupted, about.
_SLICE_SECONDS = 0.2
#: Jobs of a window for CP-SAT, and its limit in seconds.
_CP_JOBS, _CP_SECONDS = 24, 2.0


class Windows:
    """The compiled order search over windows, and its profile of the whole log."""

    def __init__(self, log: Log, seed: int) -> None:
        from packwise.optimise.kernels.offline import Jobs, new_work
        from packwise.optimise.kernels.offline_profile import new_line

        self._log = log
        self._rule = log.rule
        self._jobs = Jobs(log.submit, log.demand, log.runtime, log.weights)
        self._line = new_line(len(log), log.origin, log.span)
        self._work = new_work(len(log), int(np.random.default_rng(seed).integers(1, 2**63)))
        self._slice = 1
        self.start = log.submit.copy()

    @property
    def evaluations(self) -> int:
        from packwise.optimise.kernels.offline import EVALUATIONS

        return int(self._work.counts[EVALUATIONS])

    @property
    def largest(self) -> int:
        """The most evaluations that a window takes; one that is begun is finished."""
        from packwise.optimise.kernels.offline import EFFORT, LARGEST

        return 1 + int(EFFORT * min(len(self._log), LARGEST))

    def insert(self, order: Ints) -> Ints:
        """The jobs placed in this order, and then once more in the order of their starts."""
        from packwise.optimise.kernels.offline import insert_in_order

        start = np.empty(len(self._log), np.int64)
        insert_in_order(order, self._jobs, self._line, self._log.procs, start)
        again = np.argsort(start, kind="stable")
        insert_in_order(again, self._jobs, self._line, self._log.procs, start)
        return start

    def follow(self, start: Ints) -> None:
        """Go on from this schedule."""
        from packwise.optimise.kernels.offline import follow, sums_of

        self.start = start.copy()
        follow(self.start, self._jobs, self._line, self._log.procs)
        sums_of(self._rule, self._jobs, self.start, self._work.sums)

    def improve(self, most: int | None) -> None:
        """Improve ``start`` for a moment, or until ``most`` evaluations are counted."""
        from packwise.optimise.kernels.offline import improve

        until = self.evaluations + self._slice
        if most is not None:
            until = min(until, most)
        began = time.monotonic()
        improve(self._rule, self._jobs, self._line, self._work, self.start, until)
        took = max(time.monotonic() - began, 1e-3)
        factor = min(max(_SLICE_SECONDS / took, 0.5), 2.0)
        self._slice = max(1, math.ceil(self._slice * factor))


class ConstraintWindows:
    """Windows of few jobs for CP-SAT, which also finds starts that no order of insertion has."""

    def __init__(self, log: Log, random: np.random.Generator) -> None:
        from packwise.optimise.cp.library import cp_sat

        if log.alpha is not None:
            raise InputError(
                f"CP-SAT windows are for AF, AWF and BSLD, whose parts add up, not for {log.metric}. Leave out "
                "--cp."
            )
        cp_sat()  # its absence is to show at once
        self._log = log
        self._random = random

    def improve(self, start: Ints, seconds: float = _CP_SECONDS) -> Ints | None:
        """A schedule with a better window somewhere; None if there is none where it looked.

        ``seconds`` are the most that it may take.
        """
        from packwise.optimise.cp import solve_round

        log = self._log
        limit = max(1e-3, min(seconds, _CP_SECONDS))
        chosen = self._choose(start)
        run = log.runtime[chosen]
        horizon = int((start[chosen] + run).max() + run.max())
        window = self._round(start, chosen, horizon)
        ready = np.maximum(log.submit[chosen], window.now)
        found = solve_round(
            window, log.metric, ready=ready, hints=[start[chosen]], limit=limit, workers=1
        )
        if found.start is None or (found.start + run).max() > horizon:
            return None
        better = start.copy()
        better[chosen] = found.start
        return better if log.value(better) < log.value(start) else None

    def _choose(self, start: Ints) -> Ints:
        """A job that waits, if there is one, and its neighbours in time; in submission order."""
        sequence = np.argsort(start, kind="stable")
        late = np.flatnonzero((start > self._log.submit)[sequence])
        if not len(late):
            late = np.arange(len(start))
        place = int(self._random.choice(late)) - _CP_JOBS // 2
        first = max(0, min(place, len(start) - _CP_JOBS))
        return np.sort(sequence[first : first + _CP_JOBS])

    def _round(self, start: Ints, chosen: Ints, horizon: int) -> Round:
        """The chosen jobs from the first of their starts on, and what the others leave free.

        Only what starts before the horizon is looked at: a plan that goes beyond it is not used.
        """
        log = self._log
        now = int(start[chosen].min())
        end = start + log.runtime
        others = (end > now) & (start < horizon)
        others[chosen] = False
        begin, stop, demand = np.maximum(start[others], now), end[others], log.demand[others]
        times = np.unique(np.concatenate([[now], begin, stop]))
        change = np.zeros(len(times), np.int64)
        np.subtract.at(change, np.searchsorted(times, begin), demand)
        np.add.at(change, np.searchsorted(times, stop), demand)
        return Round(
            now,
            log.procs,
            chosen,
            log.submit[chosen],
            log.demand[chosen],
            log.runtime[chosen],
            times,
            log.procs + np.cumsum(change),
        )
