"""The user's last two run times, or limits."""

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

#: Of what the mean is taken.
RUN_TIMES, LIMITS = "runtimes", "limits"


@dataclass(frozen=True)
class Last2(LearningPredictor):
    """The mean of the user's last two run times, rounded down; the limit while there are fewer.

    Tsafrir, Etsion and Feitelson, TPDS 2007. ``of``: with ``limits`` it is the mean of what the last two jobs
    that ended had asked for, as in the code that Galleguillos, Kiziltan and Soto released with CP 2021.
    """

    part: ClassVar[str] = "last2"

    of: str = RUN_TIMES
    base_name = "last2"

    def __post_init__(self) -> None:
        if self.of not in (RUN_TIMES, LIMITS):
            raise InputError(
                f"estimate 'last2': of should be {RUN_TIMES} or {LIMITS}, found '{self.of}'. Write "
                f"last2(of={LIMITS})."
            )

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.last2 import last2

        user, users = grouped(workload.user)
        recent = (np.zeros(users, np.int64) for _ in range(3))
        remembered = workload.runtime if self.of == RUN_TIMES else workload.requested_time
        return Kernel(last2.address, (workload.requested_time, remembered, user, *recent))
