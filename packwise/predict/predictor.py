"""The predictor: what the scheduler believes of run times."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, Ints, Workload


@runtime_checkable
class Predictor(Protocol):
    """Gives each job its estimate E.

    When a running job outlives E, the engine corrects it to the job's limit; the job itself is cut
    only at the limit.
    """

    @property
    def name(self) -> str: ...

    def estimates(self, workload: Workload) -> Ints:
        """E of each job, in whole seconds, at least 1 and at most the job's limit.

        A predictor with the attribute ``beyond_limit = True`` may believe in more than the limit.
        """
        ...


def estimates_of(predictor: Predictor, workload: Workload) -> Ints:
    """A predictor's estimates, checked."""
    estimate = np.asarray(predictor.estimates(workload))
    if estimate.shape != (len(workload),) or not np.issubdtype(estimate.dtype, np.integer):
        raise InputError(
            f"estimate '{predictor.name}' should give one whole number per job ({len(workload)}), "
            f"found {estimate.dtype} of shape {estimate.shape}."
        )
    free = getattr(predictor, "beyond_limit", False)
    most = np.full(len(workload), LARGEST) if free else workload.requested_time
    wrong = (estimate < 1) | (estimate > most)
    if wrong.any():
        i = int(np.argmax(wrong))
        bound = f"{most[i]} s" if free else f"the job's limit of {most[i]} s"
        raise InputError(
            f"estimate '{predictor.name}', job {workload.id[i]}: should be between 1 s and {bound}, "
            f"found {estimate[i]} s."
        )
    return estimate.astype(np.int64)
