"""The user's last two run times."""

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
class Last2(LearningPredictor):
    """The mean of the user's last two run times, rounded down; the limit while there are fewer.

    Tsafrir, Etsion and Feitelson, TPDS 2007.
    """

    part: ClassVar[str] = "last2"

    base_name = "last2"

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.last2 import last2

        user, users = grouped(workload.user)
        recent = (np.zeros(users, np.int64) for _ in range(3))
        return Kernel(last2.address, (workload.requested_time, workload.runtime, user, *recent))
