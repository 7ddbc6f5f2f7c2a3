"""Templates from the particular to the general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from packwise.model.workload import Workload
from packwise.predict.groups import grouped_by_subsets
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel


@dataclass(frozen=True)
class Hierarchy(LearningPredictor):
    """The decayed mean of the most specific template with data, over application, user, limit, processors.

    Goponenko et al., SBAC-PAD 2022, section VI, after Gibbons and Smith, Foster and Taylor.
    """

    part: ClassVar[str] = "hierarchy"

    decay: float = 0.8
    base_name = "hierarchy"

    def __post_init__(self) -> None:
        self._check("decay", 0.0, 1.0)

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.hierarchy import hierarchy

        groups, count = grouped_by_subsets(
            workload.app, workload.user, workload.requested_time, workload.demand
        )
        return Kernel(
            hierarchy.address,
            (
                workload.requested_time,
                workload.runtime,
                groups,
                np.zeros(count),
                np.zeros(count),
                np.array([self.decay]),
            ),
        )
