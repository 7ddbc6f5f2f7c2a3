"""The nearest of the user's past jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.predict.groups import grouped
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel


@dataclass(frozen=True)
class NearestNeighbours(LearningPredictor):
    """A high quantile of the k most similar past jobs of the user, as shares of their limits.

    Similar by what was asked for: application, queue, limit and processors; the newer of two equals.
    ``memory`` is how many of the user's last completed jobs are looked at. A user with fewer than ``k`` is
    compared with the last ``memory`` jobs of all users, and gets the limit while those are fewer than
    ``k``, too. The quantile is high because an estimate that is too short delays others and has to be
    corrected, while one that is too long only hides room.

    With ``corrector=own``, a job that has outlived its estimate gets the quantile of those neighbours that
    used more of their limits than it has by now; its limit if there are none.
    """

    part: ClassVar[str] = "knn"

    k: int = 15
    quantile: float = 0.9
    memory: int = 256
    base_name = "knn"
    corrects = True

    def __post_init__(self) -> None:
        self._check("k", 1, 256)
        self._check("quantile", 0.0, 1.0)
        self._check("memory", 1, 100_000)
        if self.k > self.memory:
            raise InputError(
                f"estimate 'knn': k should be at most memory ({self.memory}), found {self.k}. "
                "Remember more jobs or ask fewer."
            )

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.knn import knn

        n = len(workload)
        user, users = grouped(workload.user)
        kind, kinds = grouped(
            workload.user, workload.app, workload.queue, workload.requested_time, workload.demand
        )
        first = np.append(0, np.cumsum(np.bincount(user))[:-1])
        return Kernel(
            knn.address,
            (
                workload.requested_time,
                workload.runtime,
                user,
                workload.app,
                workload.queue,
                np.log(workload.requested_time),
                np.log(workload.demand),
                kind,
                first,
                np.zeros(users, np.int64),
                np.zeros(n, np.int64),
                np.zeros(n, np.int64),
                np.zeros(1, np.int64),
                np.zeros(kinds),
                np.zeros(kinds, np.int64),
                np.zeros(self.k),
                np.zeros(self.k),
                np.array([self.k, self.memory]),
                np.array([self.quantile]),
            ),
        )
