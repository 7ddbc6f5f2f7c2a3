"""Futures of a situation: what could happen from now on, drawn once and replayed as often as is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from packwise.forecasting.arrivals import DAY, Arrivals
from packwise.forecasting.columns import Columns
from packwise.forecasting.history import History
from packwise.forecasting.run_times import RunTimes
from packwise.forecasting.situation import Situation
from packwise.forecasting.staging import Stage, staged
from packwise.model.decision import Policy
from packwise.model.errors import InputError, JobTooLarge
from packwise.model.schedule import NEVER
from packwise.model.workload import UNKNOWN, Floats, Ints, Workload
from packwise.simulation import simulate

#: Who comes later is replayed for so long at first; and for four times as long, if somebody who is asked for
#: has not started by then.
_FIRST_HORIZON = DAY // 2
#: What a future may be asked for.
MOST_FUTURES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Futures:
    """``runtime``: what each job takes, a row for each future and a column for each job of the situation.
    ``days``: for each future the pieces of history from which those come who come later, for ``horizon``
    seconds. All that is random is in here: what is replayed in the same futures differs by what was changed,
    and by nothing else.
    """

    situation: Situation
    runtime: Ints
    arrivals: Arrivals
    days: tuple[list[tuple[int, int]], ...]
    horizon: int

    def __len__(self) -> int:
        return len(self.days)

    def first(self, count: int) -> Futures:
        """The first ones."""
        return replace(self, runtime=self.runtime[:count], days=self.days[:count])

    def starts(
        self,
        policy: Policy | str = "easy",
        *,
        wanted: Sequence[int] | Ints | None = None,
        jobs: Workload | None = None,
        runtime: Ints | None = None,
        step: Callable[[], None] | None = None,
    ) -> Ints:
        """When those who wait start: a row for each future, a column for each of ``wanted`` (places of waiting
        jobs, in ascending order; without it, all of them); NEVER for who can never run. ``jobs`` and
        ``runtime`` replace those of the situation, for what would be if somebody asked for less. ``step`` is
        called after each future.
        """
        waiting = self.situation.waiting
        wanted = waiting if wanted is None else np.asarray(wanted, np.int64)
        if not np.isin(wanted, waiting).all():
            raise InputError("expected places of jobs that wait, found one that runs.")
        asked = np.searchsorted(waiting, wanted)
        situation = self.situation if jobs is None else replace(self.situation, jobs=jobs)
        runtime = self.runtime if runtime is None else runtime
        stage = staged(situation, policy)
        found = np.empty((len(self), len(asked)), np.int64)
        for future in range(len(self)):
            found[future] = self._replayed(stage, situation, runtime[future], future, policy, asked)
            if step is not None:
                step()
        return found

    def _replayed(
        self,
        stage: Stage,
        situation: Situation,
        runtime: Ints,
        future: int,
        policy: Policy | str,
        asked: Ints,
    ) -> Ints:
        """The starts in one future. Who comes after the last of them has no say in it, so only a part of those
        who come later is replayed at first.
        """
        now, history = situation.now, self.arrivals.history
        ahead = min(_FIRST_HORIZON, self.horizon)
        while True:
            later = None
            if history is not None:
                places, when = self.arrivals.jobs(now, self.days[future], now + ahead)
                if len(places):
                    later = Columns.of(history.jobs, places).changed(submit=when)
            workload = stage.workload(situation.jobs, situation.elapsed, runtime, later)
            found = _starts(workload, stage, policy)[asked]
            if ahead >= self.horizon or int(found.max(initial=0)) <= now + ahead:
                return found
            ahead = min(4 * ahead, self.horizon)


def _starts(workload: Workload, stage: Stage, policy: Policy | str) -> Ints:
    start = np.full(len(workload), NEVER, np.int64)
    try:
        run = simulate(workload, stage.cluster, policy, reject_too_large=True)
    except JobTooLarge:  # for all of them: nobody will ever start
        return stage.starts(start)[1]
    start[run.workload.id] = run.schedule.start  # ids are places, and some may be refused
    return stage.starts(start)[1]


def draw_futures(
    situation: Situation,
    history: History | None = None,
    *,
    count: int = 100,
    seed: int = 0,
    horizon: int = 14 * DAY,
    run_times: RunTimes | None = None,
    arrivals: Arrivals | None = None,
    kinship: float = 0.7,
) -> Futures:
    """``count`` futures of a situation, equal for equal seeds. Without a history run times are anything up to
    the limits, and nobody comes later. ``run_times`` and ``arrivals`` can be made once for many situations.
    """
    if not 1 <= count <= MOST_FUTURES:
        raise InputError(f"expected between 1 and {MOST_FUTURES:,} futures, found {count}.")
    if horizon < 0:
        raise InputError(f"the horizon should be 0 seconds or more, found {horizon}.")
    run_times = RunTimes(history) if run_times is None else run_times
    arrivals = Arrivals(history) if arrivals is None else arrivals
    rng = np.random.default_rng(seed)
    chances = _chances(situation.jobs, count, kinship, rng)
    pieces = -(-horizon // DAY)
    days = tuple(arrivals.days(situation.now, pieces, rng) for _ in range(count))
    return Futures(situation, run_times.draws(situation, chances), arrivals, days, horizon)


def _chances(jobs: Workload, count: int, kinship: float, rng: np.random.Generator) -> Floats:
    """Numbers from 0 to 1, a row for each future and a column for each job, each as likely as any other. Jobs
    of one user end early together or late together: with the probability ``kinship`` a job has the number of
    its user and not one of its own.
    """
    alone = UNKNOWN - 1 - np.arange(len(jobs))  # who is not known is somebody of his own
    told = np.where(jobs.user == UNKNOWN, alone, jobs.user)
    users, user = np.unique(told, return_inverse=True)
    own = _spread(count, len(jobs), rng)
    shared = _spread(count, len(users), rng)[:, user.reshape(-1)]
    mixed = np.where(rng.random(own.shape) < kinship, shared, own)
    return _spread(count, len(jobs), rng, order=mixed)


def _spread(
    count: int, columns: int, rng: np.random.Generator, order: Floats | None = None
) -> Floats:
    """One number in each of ``count`` equal parts of 0 to 1, in an order of its own for each column: so the few
    draws that there are cover all that may happen. ``order``: numbers in whose order they are to be.
    """
    order = rng.random((count, columns)) if order is None else order
    parts = order.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    spread: Floats = (parts + rng.random(parts.shape)) / count
    return spread
