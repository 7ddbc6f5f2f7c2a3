"""A backtest: forecasts made at moments of a log with known starts, as they would have been made then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from packwise.forecasting.arrivals import Arrivals
from packwise.forecasting.calibration import LEVELS, Calibration, Told
from packwise.forecasting.forecast import forecast_starts
from packwise.forecasting.futures import draw_futures
from packwise.forecasting.history import History
from packwise.forecasting.run_times import RunTimes
from packwise.forecasting.situation import Situation
from packwise.forecasting.waits import LikeWaits
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.decision import Policy
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER
from packwise.model.workload import Floats, Ints, Workload

#: A forecast is asked for so many seconds after a submission: most who can start at once have started then.
PATIENCE = 60


@dataclass(frozen=True, slots=True, eq=False)
class Backtest:
    """Forecasts in the order in which they were asked for. ``place`` is that of the job in the log, ``asked``
    the moment, ``start`` what happened; ``told`` what the futures said, as calibration learns from it;
    ``wait``, from the moment of asking, at LEVELS, as calibrated by what was known then, a row for each
    forecast.
    """

    place: Ints
    asked: Ints
    start: Ints
    told: tuple[Told, ...]
    wait: Floats

    @property
    def raw(self) -> Floats:
        """As ``wait``, without calibration."""
        return np.array([one[2:5] for one in self.told])

    @property
    def outcome(self) -> Ints:
        """For how long those waited who were asked for, from then on."""
        return self.start - self.asked


def askable(workload: Workload, start: Ints, patience: int = PATIENCE) -> Ints:
    """Places of the jobs that waited for longer than ``patience`` seconds, as anybody could see then."""
    start = np.asarray(start, np.int64)
    return np.flatnonzero((start != NEVER) & (start - workload.submit > patience))


def backtest(
    workload: Workload,
    start: Ints,
    cluster: Cluster | int,
    places: Ints,
    *,
    policy: Policy | str = "easy",
    count: int = 100,
    seed: int = 0,
    patience: int = PATIENCE,
    progress: Callable[[int], None] | None = None,
) -> Backtest:
    """Forecasts for jobs of a log, by place, each asked for ``patience`` seconds after its submission; with
    ``patience=0``, at the submission, before anybody was started then.

    ``start`` is what happened: ``recorded_starts(workload)``, or the starts of a replay. A forecast knows what
    was known when it was asked for: who waited and ran, those who had ended, and what became of earlier
    forecasts whose jobs had started. ``policy`` is the one that the futures are replayed with.
    """
    start = np.asarray(start, np.int64)
    cluster = as_cluster(cluster)
    places = np.unique(np.asarray(places, np.int64))
    may = askable(workload, start, patience if patience > 0 else -1)
    early = ~np.isin(places, may)
    if early.any():
        raise InputError(
            f"expected jobs that still wait {patience} s after their submission, found job "
            f"{workload.id[places[early][0]]}. askable(workload, start) has those."
        )
    asked = workload.submit[places] + patience
    history = History.of(workload, start)
    run_times, arrivals, waits = RunTimes(history), Arrivals(history), LikeWaits(history)
    calibration = Calibration()
    # Of all starts calibration believes those that have happened: what it is told of the others does not count.
    starts = dict(zip(workload.id[places].tolist(), start[places].tolist(), strict=True))
    told: list[Told] = []
    wait = np.empty((len(places), len(LEVELS)))
    for k, (place, now) in enumerate(zip(places.tolist(), asked.tolist(), strict=True)):
        situation = Situation.at(now, workload, start, cluster, undecided=patience == 0)
        futures = draw_futures(
            situation, count=count, seed=seed + place, run_times=run_times, arrivals=arrivals
        )
        # At a submission nobody has been started yet at that moment.
        calibration = calibration.settled(now if patience else now - 1, starts)
        found = forecast_starts(
            situation,
            policy=policy,
            jobs=[int(workload.id[place])],
            calibration=calibration,
            futures=futures,
            waits=waits,
        )
        calibration = calibration.asked(found.told)
        told.extend(found.told)
        wait[k] = found.start[0] - now
        if progress is not None:
            progress(k + 1)
    return Backtest(places, asked, start[places], tuple(told), wait)
