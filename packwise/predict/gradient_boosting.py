"""Gradient-boosted trees, trained again every week."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from packwise.extras import extra
from packwise.model.errors import InputError
from packwise.model.workload import Floats, Workload
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel
    from packwise.predict.kernels.trees import Forest

HOUR = 3600
DAY = 24 * HOUR
WEEK = 7 * DAY
#: Completed jobs before the first training.
ENOUGH = 100
#: Few trees with long steps: 200 with shorter ones hardly differed on KTH-SP2 and SDSC-BLUE, and took three
#: times as long.
TREES = 30
STEP = 0.2


@dataclass(frozen=True)
class GradientBoosting(LearningPredictor):
    """A quantile of the run time by gradient-boosted trees over the job and its user's past.

    The features are what was asked for, hour and weekday of the submission, and what the user's completed
    jobs used of their limits. The trees are LightGBM's (Ke et al., NIPS 2017), trained on the last
    ``memory`` completed jobs: as soon as 100 have ended, and again when a job is to be estimated and
    ``every`` seconds have passed since the last time. Before that the estimate is the limit. The quantile
    is high because an estimate that is too short costs more than one that is too long.

    Waiting jobs keep the estimate of their submission unless ``update=round`` is given: the trees stay the
    same for a week, and asking Python for a whole queue at each end takes long. With ``corrector=own``, a
    job that has outlived its estimate gets that of the newest trees if it is longer than it has run, and
    its limit otherwise.
    """

    part: ClassVar[str] = "trees"

    quantile: float = 0.9
    every: int = WEEK
    memory: int = 20_000
    seed: int = 0
    updates: bool = field(default=False, kw_only=True)
    base_name = "gbm"
    corrects = True
    packages = ("lightgbm",)

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise InputError(
                f"estimate 'gbm': quantile should be above 0 and below 1, found {self.quantile}."
            )
        self._check("every", 1, 1e9)
        self._check("memory", ENOUGH, 1e7)
        self._check("seed", 0, 2**31 - 1)

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import PythonKernel

        return PythonKernel(Learner(self, workload).answer)


class Learner:
    """What one replay has seen, and the trees made of it."""

    def __init__(self, settings: GradientBoosting, workload: Workload) -> None:
        self._lightgbm = lightgbm()
        self._settings = settings
        self._limit = workload.requested_time.tolist()
        self._demand = workload.demand.tolist()
        self._share = (workload.runtime / workload.requested_time).tolist()
        self._log_runtime = np.log(workload.runtime)
        people = {user: Past() for user in np.unique(workload.user).tolist()}
        self._past = [people[user] for user in workload.user.tolist()]
        self._rows = np.column_stack([asked(workload), np.zeros((len(workload), Past.FEATURES))])
        self._done: list[int] = []
        self._trees: Forest | None = None
        self.trainings: list[int] = []

    def answer(self, event: int, job: int, time: int) -> float:
        """One event of the replay: see ``packwise.predict.kernels.kernel``."""
        from packwise.engine.belief import FINISHED, INTERRUPTED, OUTLIVED, STARTED

        if event in (STARTED, INTERRUPTED):
            return 0.0
        if event == FINISHED:
            self._past[job].add(self._share[job], self._demand[job], time)
            self._done.append(job)
            return 0.0
        if event == OUTLIVED:
            longer = self._estimate(job)
            return longer if longer > time else float(self._limit[job])
        self._train_if_due(time)
        # The row that is learned from at the end is that of the last time the job was asked about.
        self._rows[job, -Past.FEATURES :] = self._past[job].seen_by(self._demand[job], time)
        return self._estimate(job)

    def _estimate(self, job: int) -> float:
        if self._trees is None:
            return float(self._limit[job])
        return math.exp(self._trees.value(self._rows[job]))

    def _train_if_due(self, now: int) -> None:
        if len(self._done) < ENOUGH:
            return
        if self.trainings and now - self.trainings[-1] < self._settings.every:
            return
        from packwise.predict.kernels.trees import forest

        jobs = self._done[-self._settings.memory :]
        booster = self._trained(self._rows[jobs], self._log_runtime[jobs])
        self._trees = forest(booster.dump_model()["tree_info"])
        self.trainings.append(now)

    def _trained(self, rows: Floats, target: Floats) -> Any:
        parameters = {
            "objective": "quantile",
            "alpha": self._settings.quantile,
            "learning_rate": STEP,
            "seed": self._settings.seed,
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "verbosity": -1,
        }
        data = self._lightgbm.Dataset(rows, target)
        return self._lightgbm.train(parameters, data, num_boost_round=TREES)


class Past:
    """A user's completed jobs, as features of the next one."""

    FEATURES = 6

    def __init__(self) -> None:
        self._count = 0
        self._last = self._before_last = -1.0
        self._shares = 0.0
        self._demands = 0
        self._last_end = 0

    def add(self, share: float, demand: int, end: int) -> None:
        """A job has ended, after that share of its limit."""
        self._count += 1
        self._before_last, self._last = self._last, share
        self._shares += share
        self._demands += demand
        self._last_end = end

    def seen_by(self, demand: int, now: int) -> tuple[float, ...]:
        """Jobs completed, the last share and the one before, the mean share, seconds since the last end,
        processors relative to the mean. -1 stands for what does not exist yet.
        """
        count = self._count
        if count == 0:
            return 0.0, -1.0, -1.0, -1.0, -1.0, -1.0
        return (
            float(count),
            self._last,
            self._before_last,
            self._shares / count,
            float(now - self._last_end),
            demand * count / self._demands,
        )


def asked(workload: Workload) -> Floats:
    """What a job brings along, one row each: its columns, the hour and the day of the week.

    Applications, queues and users are plain numbers: their order means nothing, but trees can single them
    out. Hours are those of UTC: another zone would only move the thresholds.
    """
    clock = workload.submit + workload.start_time
    columns = (
        workload.requested_time,
        workload.demand,
        workload.app,
        workload.queue,
        workload.user,
        clock // HOUR % 24,
        clock // DAY % 7,
    )
    return np.column_stack(columns).astype(np.float64)


def lightgbm() -> Any:
    """The module, or an error that says how to get it."""
    with extra("estimate 'gbm' needs", "LightGBM", "learn"):
        import lightgbm as module
    return module
