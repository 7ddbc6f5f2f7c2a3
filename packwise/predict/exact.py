"""The true run time as the estimate, and its distortion: what better information would be worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, Ints, Workload


@dataclass(frozen=True)
class Exact:
    """E = k·D, rounded half up, at least 1 s; k = 1 is exact.

    Distorted estimates: Goponenko et al., SBAC-PAD 2022, figure 4. They may exceed the limit: what the
    paper says of the figure (exact run times are best for BSLD of SAF-JustBF and for P2SF of LAF-JustBF)
    holds only so.
    """

    factor: float = 1.0
    beyond_limit = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.factor) and 0 < self.factor <= 1e6):
            raise InputError(
                f"estimate 'exact*k': k should be a positive number up to a million, "
                f"found {self.factor}."
            )

    @property
    def name(self) -> str:
        return "exact" if self.factor == 1 else f"exact*{self.factor:g}"

    def estimates(self, workload: Workload) -> Ints:
        if self.factor == 1:
            return workload.runtime
        distorted = np.floor(workload.runtime * self.factor + 0.5)
        estimate: Ints = np.clip(distorted, 1, LARGEST).astype(np.int64)
        return estimate
