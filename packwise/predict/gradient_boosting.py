"""Gradient-boosted trees, trained again every day."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Floats, Workload
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel
    from packwise.predict.kernels.trees import Forest

DAY = 86400
#: Completed jobs before the first training.
ENOUGH = 100
TREES = 50

#: What is known of a job by itself: its columns, the hour of the day and the day of the week.
ASKED = ("limit", "demand", "app", "queue", "user", "hour", "weekday")
#: What its user's completed jobs add: -1 for a user without any.
PAST = ("last", "before last", "mean", "count", "seconds since the last end", "demand over mean")

NO_PAST = (-1.0, -1.0, -1.0, 0.0, -1.0, -1.0)


@dataclass(frozen=True)
class GradientBoosting(LearningPredictor):
    """A quantile of the share of its limit that a job will use, by gradient-boosted trees over its features.

    The features are what was asked for, hour and weekday of the submission, and the user's past. The trees
    are LightGBM's (Ke et al., NIPS 2017), trained on the last ``memory`` completed jobs: as soon as 100 have
    ended, and then when a job is to be estimated and ``every`` seconds have passed since the last time.
    Until then the estimate is the limit. The quantile is high because an estimate that is too short costs
    more than one that is too long.

    Training takes nearly all the time of a replay, and asking for waiting jobs again would change little
    between two trainings: they keep the estimate of their submission unless ``update=round`` is given. With
    ``corrector=own``, a job that has outlived its estimate gets that of the newest trees if it is longer,
    and its limit otherwise.
    """

    quantile: float = 0.9
    every: int = DAY
    memory: int = 20_000
    seed: int = 0
    updates: bool = field(default=False, kw_only=True)
    base_name = "gbm"

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise InputError(
                f"estimate 'gbm': quantile should be above 0 and below 1, found {self.quantile}."
            )
        self._check("every", 1, 1e9)
        self._check("memory", ENOUGH, 10_000_000)
        self._check("seed", 0, 2**31 - 1)

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import PythonKernel

        return PythonKernel(Learner(self, workload).answer)


class Learner:
    """What one replay has seen, and the trees made from it."""

    def __init__(self, predictor: GradientBoosting, workload: Workload) -> None:
        self._lightgbm = lightgbm()
        self._predictor = predictor
        self._limit = workload.requested_time.tolist()
        self._demand = workload.demand.tolist()
        self._user = workload.user.tolist()
        self._runtime = workload.runtime.tolist()
        self._past: dict[int, _Past] = {}
        self._rows = np.empty((len(workload), len(ASKED) + len(PAST)))
        self._rows[:, : len(ASKED)] = asked(workload)
        self._share = workload.runtime / workload.requested_time
        self._done: list[int] = []
        self._trees: Forest | None = None
        self._trained = 0
        self.trainings: list[int] = []

    def answer(self, event: int, job: int, time: int) -> float:
        """What the engine asks for or tells: see ``packwise.predict.kernels.kernel``."""
        from packwise.engine.belief import FINISHED, OUTLIVED, STARTED
        ...
