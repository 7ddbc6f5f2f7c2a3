"""A linear model that learns job by job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from packwise.model.workload import Workload
from packwise.predict.groups import grouped
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel


@dataclass(frozen=True)
class Regression(LearningPredictor):
    """On-line linear regression over the job and its user's past, tuned for BSLD of EASY-SJBF.

    Gaussier, Glesser, Reis and Trystram, SC 2015; Ross, Mineiro and Langford, UAI 2013.
    """

    part: ClassVar[str] = "cvh"

    base_name = "cvh"

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.regression import PLAIN, TERMS, TINY, regression

        n = len(workload)
        user, users = grouped(workload.user)
        done, work, width, last_end = (np.zeros(users, np.int64) for _ in range(4))
        start, older, newer = (np.zeros(n, np.int64) for _ in range(3))
        nobody = np.full(users, -1, np.int64)
        return Kernel(
            regression.address,
            (
                workload.submit,
                workload.demand,
                workload.runtime,
                workload.requested_time,
                user,
                done,
                np.zeros(3 * users, np.int64),
                work,
                width,
                last_end,
                nobody,
                nobody.copy(),
                start,
                older,
                newer,
                np.zeros(n * PLAIN),
                np.zeros(TERMS),
                np.full(TERMS, TINY),
                np.full(TERMS, TINY),
                np.append([TINY, 1.0], np.zeros(TERMS)),
            ),
        )
