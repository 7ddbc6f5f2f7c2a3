"""Correctors: the new estimate of a running job that has outlived its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.model.errors import InputError, UnknownName
from packwise.model.workload import Workload
from packwise.predict.groups import grouped

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel

#: Name and meaning of each corrector.
CORRECTORS = {
    "limit": "the job's limit",
    "steps": "the first estimate plus 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours in turn "
    "(Tsafrir et al., TPDS 2007)",
    "doubling": "twice as long as it has run",
    "conditional": "the 90th percentile of the user's recent jobs that ran as long, as shares of their "
    "limits; conditional-75% takes another percentile",
    "own": "what the predictor says",
}

_CONDITIONAL = re.compile(r"conditional(?:-(\d+(?:\.\d+)?)%)?")


@dataclass(frozen=True)
class Corrector:
    """A corrector by name: limit, steps, doubling, conditional, conditional-75% or own."""

    name: str = "limit"

    def __post_init__(self) -> None:
        if self.name not in CORRECTORS and self.quantile is None:
            raise UnknownName("corrector", self.name, [*CORRECTORS, "conditional-75%"])

    @property
    def quantile(self) -> float | None:
        """For a conditional corrector, which quantile of what is left it takes."""
        found = _CONDITIONAL.fullmatch(self.name)
        if found is None:
            return None
        quantile = float(found.group(1) or 90) / 100
        if not 0 < quantile <= 1:
            raise InputError(
                f"corrector '{self.name}': expected a percentage above 0 and up to 100, as in "
                "conditional-90%."
            )
        return quantile

    @property
    def code(self) -> int:
        """The engine's number for it."""
        from packwise.engine.state import ASK, DOUBLING, STEPS, TO_LIMIT

        return {"limit": TO_LIMIT, "steps": STEPS, "doubling": DOUBLING}.get(self.name, ASK)

    def kernel(self, workload: Workload) -> Kernel | None:
        """The kernel to ask, where it is not the predictor's own."""
        if self.quantile is None:
            return None
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.conditional import MEMORY, conditional

        user, users = grouped(workload.user)
        return Kernel(
            conditional.address,
            (
                workload.requested_time,
                workload.runtime,
                user,
                np.zeros(users, np.int64),
                np.zeros(users * MEMORY),
                np.array([self.quantile]),
            ),
        )


def corrector_of(predictor: Any) -> Corrector:
    """The corrector that a user's predictor names, the limit if none."""
    given = getattr(predictor, "corrector", "limit")
    if isinstance(given, Corrector):
        return given
    try:
        return Corrector(str(given))
    except InputError as error:
        raise InputError(f"estimate '{predictor.name}': {error}") from error
