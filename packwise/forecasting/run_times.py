"""Run times of jobs that have not ended: drawn from what like jobs took, given how long they have run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from packwise.forecasting.history import Alike, History
from packwise.forecasting.situation import Situation
from packwise.model.workload import Floats, Ints, Workload

#: Steps between what a job has run and its limit where no like job is known.
_STEPS = np.arange(1, 11) / 10
#: What a job that has reached its limit is given: schedulers end such jobs soon, not at once.
GRACE = 60
#: What a job has in the columns of each level.
Kinds = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class RunTimes:
    """``recent``: how many of the last like jobs count at each level of likeness. ``doubt``: as many like jobs
    count as much as all that is known of those less alike.

    The levels: user, application, limit and size; user and limit; user; limits of the same class; all. Where
    limits differ, shares of the limit are drawn and not seconds.
    """

    history: History | None
    recent: int = 20
    doubt: float = 4.0

    def draws(self, situation: Situation, chances: Floats) -> Ints:
        """Run times, a row for each future and a column for each job; ``chances`` are numbers from 0 to 1 of
        that shape. A run time is longer than what a job has run so far, and within its limit (for a job beyond
        its limit, a minute).
        """
        jobs, elapsed = situation.jobs, situation.elapsed
        found = np.empty(chances.shape, np.int64)
        keys = _keys(jobs)
        known: dict[tuple[Kinds, int, int], tuple[Ints, Floats]] = {}
        for place in range(len(jobs)):
            limit, ran = int(jobs.requested_time[place]), int(elapsed[place])
            kind = (tuple(level[place] for level in keys), limit, ran)
            if kind not in known:
                known[kind] = self._distribution(situation.now, *kind)
            seconds, until = known[kind]
            found[:, place] = seconds[np.searchsorted(until, chances[:, place], side="right")]
        return found

    def quantile(self, situation: Situation, place: int, share: float) -> int:
        """The time within which a job ends with that probability."""
        return int(self.draws(situation, np.full((1, len(situation.jobs)), share))[0, place])

    @cached_property
    def _levels(self) -> list[Level]:
        """What is known at each level, sorted once for all that is asked later."""
        if self.history is None:
            return []
        jobs = self.history.jobs
        return [
            Level(
                self.history.alike(*columns),
                jobs.runtime.astype(np.float64) if absolute else jobs.runtime / jobs.requested_time,
                absolute,
            )
            for columns, absolute in _likeness(jobs)
        ]

    def _distribution(self, now: int, kinds: Kinds, limit: int, ran: int) -> tuple[Ints, Floats]:
        """Run times in ascending order, and the probability of a shorter one or that one."""
        if ran >= limit:
            return np.array([ran + GRACE]), np.array([1.0])
        seconds: list[Floats] = []
        weights: list[Floats] = []
        left = 1.0
        for level, kind in zip(self._levels, kinds, strict=bool(self._levels)):
            took = level.times(kind, now, self.recent, limit)
            took = took[took > ran]
            if len(took):
                share = left * len(took) / (len(took) + self.doubt)
                seconds.append(np.minimum(took, limit))
                weights.append(np.full(len(took), share / len(took)))
                left -= share
        if not seconds:
            seconds, weights = [np.ceil(ran + _STEPS * (limit - ran))], [np.full(len(_STEPS), 0.1)]
        together, weight = np.concatenate(seconds), np.concatenate(weights)
        order = np.argsort(together, kind="stable")
        until = np.cumsum(weight[order]) / weight.sum()
        until[-1] = 1.0
        return together[order].astype(np.int64), until


class Level(NamedTuple):
    """Like jobs, and what each took: in seconds if ``absolute``, or as a share of its limit."""

    alike: Alike
    took: Floats
    absolute: bool

    def times(self, kind: tuple[int, ...], now: int, most: int, limit: int) -> Floats:
        """What the last jobs of a kind took, for a job with that limit."""
        took: Floats = self.took[self.alike.last(kind, now, most)]
        return took if self.absolute else np.ceil(took * limit)


def _likeness(jobs: Workload) -> list[tuple[tuple[Ints, ...], bool]]:
    """The columns in which jobs are alike at each level, and whether their limits are the same there."""
    user, limit = jobs.user, jobs.requested_time
    return [
        ((user, jobs.app, limit, size_class(jobs.demand)), True),
        ((user, limit), True),
        ((user,), False),
        ((size_class(limit),), False),
        ((), False),
    ]


def _keys(jobs: Workload) -> list[list[tuple[int, ...]]]:
    """What each job has in the columns of each level."""
    return [
        list(zip(*(column.tolist() for column in columns), strict=True))
        if columns
        else [()] * len(jobs)
        for columns, _ in _likeness(jobs)
    ]


def size_class(amounts: Ints) -> Ints:
    """Classes of amounts from a power of two up to the next."""
    return np.frexp(amounts.astype(np.float64))[1].astype(np.int64)
