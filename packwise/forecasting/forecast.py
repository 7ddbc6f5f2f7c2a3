"""The forecast: quantiles of the start of each job that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.forecasting.calibration import LEVELS, Calibration, Told
from packwise.forecasting.futures import Futures, draw_futures
from packwise.forecasting.history import History
from packwise.forecasting.situation import Situation
from packwise.forecasting.waits import LikeWaits
from packwise.model.decision import Policy
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER
from packwise.model.workload import Floats, Ints


class StartForecast(NamedTuple):
    """When a job starts: in one of ten cases by ``p10``, in half of them by ``p50``, in nine of ten by ``p90``;
    NEVER (-1) where the machine is too small for it.
    """

    job: int
    p10: int
    p50: int
    p90: int


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """Of the jobs ``job``, in this order: ``start``, a row for each job and a column for each of LEVELS;
    ``drawn``, the starts in the futures, a row for each of these; ``told``, what calibration learns from.
    """

    now: int
    job: Ints
    start: Ints
    drawn: Ints
    told: tuple[Told, ...]
    futures: Futures

    def of(self, job: int) -> StartForecast:
        """That of one job, by its id."""
        found = np.flatnonzero(self.job == job)
        if not found.size:
            raise InputError(
                f"expected one of the {len(self.job)} jobs that were forecast, found job {job}."
            )
        return StartForecast(job, *self.start[int(found[0])].tolist())

    def __iter__(self) -> Iterator[StartForecast]:
        return (StartForecast(*row) for row in np.column_stack([self.job, self.start]).tolist())


def forecast_starts(
    situation: Situation,
    history: History | None = None,
    *,
    policy: Policy | str = "easy",
    count: int = 100,
    seed: int = 0,
    calibration: Calibration | None = None,
    jobs: Sequence[int] | None = None,
    futures: Futures | None = None,
    waits: LikeWaits | None = None,
    step: Callable[[], None] | None = None,
) -> Forecast:
    """When those who wait will start (or those of the ids ``jobs``), from ``count`` futures replayed under
    ``policy``: the one that serves the queue, as far as it is known. ``calibration`` makes the quantiles hold;
    without it they are those of the futures. ``futures`` and ``waits`` can be given, if they are there already.
    ``step`` is called after each future.
    """
    if futures is None:
        futures = draw_futures(situation, history, count=count, seed=seed)
    waits = LikeWaits(history) if waits is None else waits
    places = situation.waiting
    if jobs is not None:
        places = np.unique([situation.place(job) for job in jobs]).astype(np.int64)
    drawn = futures.starts(policy, wanted=places, step=step)
    now = situation.now
    never = (drawn == NEVER).any(axis=0)
    raw = np.where(never, 0, quantiles(drawn) - now).T
    like = waits.left(situation, places)
    ids = situation.jobs.id[places]
    told = tuple(
        Told(job, now, low, middle, high, like_wait)
        for job, (low, middle, high), like_wait in zip(
            ids.tolist(), raw.astype(float).tolist(), like.tolist(), strict=True
        )
    )
    wait = (Calibration() if calibration is None else calibration).quantiles(told)
    start = np.where(never[:, None], NEVER, now + np.ceil(wait).astype(np.int64))
    able = tuple(one for one, stuck in zip(told, never.tolist(), strict=True) if not stuck)
    return Forecast(now, ids, start, drawn, able, futures)


def quantiles(drawn: Ints) -> Floats:
    """The quantiles of each column at LEVELS: one of the values, by which at least that share has happened."""
    if not drawn.shape[1]:
        return np.empty((len(LEVELS), 0))
    found: Floats = np.quantile(drawn, LEVELS, axis=0, method="inverted_cdf").astype(np.float64)
    return found
