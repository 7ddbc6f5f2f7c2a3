"""Trim a limit only where like jobs have long stayed far below theirs."""

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
class Ceiling(LearningPredictor):
    """A little more than the highest share of their limits that like jobs used lately.

    E = L min(1, max(``floor``, ``margin`` H)), where H is the ``quantile`` (1: the highest) of D / L among
    the last ``memory`` jobs of the first template in which at least ``enough`` have ended: (application,
    user, limit, processors), (user, limit, processors), (user, limit), (user). The limit where there is none.

    Made for packing and fairness, which suffer from estimates that are too short far more than they gain
    from those that are nearer: about one job in thirty outlives this one, one in two a mean.
    """

    part: ClassVar[str] = "ceiling"

    memory: int = 20
    enough: int = 10
    quantile: float = 1.0
    margin: float = 1.05
    floor: float = 0.5
    base_name = "ceiling"

    def __post_init__(self) -> None:
        self._check("memory", 1, 1000)
        self._check("enough", 1, 1_000_000)
        self._check("quantile", 0.0, 1.0)
        self._check("margin", 0.0, 1000.0)
        self._check("floor", 0.0, 1.0)

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.ceiling import ceiling

        app, user, limit = workload.app, workload.user, workload.requested_time
        rows = []
        total = 0
        for columns in (
            (app, user, limit, workload.demand),
            (user, limit, workload.demand),
            (user, limit),
            (user,),
        ):
            group, groups = grouped(*columns)
            rows.append(group + total)
            total += groups
        return Kernel(
            ceiling.address,
            (
                limit,
                workload.runtime,
                np.ascontiguousarray(np.array(rows).T),
                np.zeros(total, np.int64),
                np.zeros(total * self.memory),
                np.zeros(total),
                np.array([self.memory, self.enough]),
                np.array([self.margin, self.floor, self.quantile]),
            ),
        )
