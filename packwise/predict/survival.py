"""Survival probability: rarely too short."""

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
class SurvivalProbability(LearningPredictor):
    """The time by which all but ``percent`` of the work of like jobs had ended.

    Like jobs have the same application, user, limit and processors. Goponenko et al., SBAC-PAD 2022,
    section VI, after Kaplan and Meier. ``weights``: "exact", or "published" for the running sums, slightly
    off, with which the figures of that paper were made.
    """

    part: ClassVar[str] = "sp"

    percent: float = 2.0
    weights: str = "exact"
    named = ("percent",)
    corrects = True

    def __post_init__(self) -> None:
        if self.weights not in ("exact", "published"):
            raise InputError(
                f"estimate '{self.base_name}': weights should be 'exact' or 'published', found "
                f"'{self.weights}'."
            )
        if not 0 < self.percent < 100:
            raise InputError(
                f"estimate '{self.base_name}': the probability should be above 0 % and below 100 %."
            )

    @property
    def base_name(self) -> str:
        return f"sp-{float(self.percent)!r}%".replace(".0%", "%")

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.survival import survival

        group, groups = grouped(
            workload.app, workload.user, workload.requested_time, workload.demand
        )
        # A place for each job of a group and one for its artificial point.
        places = np.append(0, np.cumsum(np.bincount(group) + 1))
        return Kernel(
            survival.address,
            (
                workload.requested_time,
                workload.runtime,
                group,
                places,
                np.zeros(groups, np.int64),
                np.zeros(groups, np.int64),
                np.zeros(places[-1], np.int64),
                np.zeros(places[-1]),
                np.array([self.percent / 100]),
                np.zeros(groups if self.weights == "published" else 0),
            ),
        )
