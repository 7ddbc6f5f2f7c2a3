"""How good predictions of run times are, whatever the schedule makes of them.

Everything is about the estimate E that a job had at its submission, against its run time D. An estimate that
is too short breaks a plan, one that is too long only hides room, so the two sides are told apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from packwise.metrics.estimation import determination
from packwise.metrics.outcome import total
from packwise.model.run import Run
from packwise.model.workload import Floats, Ints

#: Upper ends (exclusive, in seconds) and names of the classes of estimates; the last has no end.
ESTIMATE_CLASSES = (
    (60, "< 1 min"),
    (600, "< 10 min"),
    (3600, "< 1 h"),
    (4 * 3600, "< 4 h"),
    (12 * 3600, "< 12 h"),
    (24 * 3600, "< 1 d"),
    (None, ">= 1 d"),
)
#: A share of fewer jobs than this says little.
FEW = 30


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The first estimates of a workload's jobs in numbers. Times in seconds; None where there is no such job.

    ``r2``: 1 - Σ (D - E)² / Σ (D - mean D)², None if all D are equal. ``bias``: the mean of E - D, positive
    if estimates are too long. ``under_share``, ``under_area``: the shares of jobs and of processor time with
    E < D; ``under_mean``, ``under_median``: how much these lack. ``over_factor``: the median of E / D of the
    others. ``corrections``: per job. ``at_limit``: the share of jobs that are told nothing but their limit.
    """

    jobs: int
    r2: float | None
    mean_error: float
    median_error: float
    bias: float
    under_share: float
    under_area: float
    under_mean: float | None
    under_median: float | None
    over_factor: float | None
    corrections: float
    at_limit: float

    @property
    def coverage(self) -> float:
        """The share of jobs with D <= E."""
        return 1.0 - self.under_share

    @property
    def area_coverage(self) -> float:
        """The share of processor time in jobs with D <= E."""
        return 1.0 - self.under_area


class Covered(NamedTuple):
    """Jobs with estimates of one class: how many, and the share with D <= E (None if there are none)."""

    name: str
    jobs: int
    coverage: float | None


def accuracy(
    runtime: Ints, estimate: Ints, demand: Ints, corrections: Ints, limit: Ints
) -> Accuracy:
    """The numbers for one workload, from columns of equal length that are not empty."""
    true = runtime.astype(np.float64)
    error = estimate - true
    size = np.abs(error)
    under = error < 0
    lack = size[under]
    area = true * demand
    n = len(true)
    r2 = determination(true, error)
    return Accuracy(
        jobs=n,
        r2=None if math.isnan(r2) else r2,
        mean_error=total(size) / n,
        median_error=float(np.median(size)),
        bias=total(error) / n,
        under_share=float(under.mean()),
        under_area=total(np.where(under, area, 0.0)) / total(area),
        under_mean=total(lack) / len(lack) if len(lack) else None,
        under_median=_median(lack),
        over_factor=_median(estimate[~under] / true[~under]),
        corrections=float(corrections.mean()),
        at_limit=float((estimate == limit).mean()),
    )


def accuracy_of(run: Run) -> Accuracy:
    """The numbers for the jobs of a run that ran."""
    ran = run.schedule.ran
    jobs = run.workload
    return accuracy(
        jobs.runtime[ran],
        run.first_estimate[ran],
        jobs.demand[ran],
        run.corrections[ran],
        jobs.requested_time[ran],
    )


def calibration(runtime: Ints, estimate: Ints, limit: Ints) -> list[Covered]:
    """Coverage by class of estimate: where a predictor is too short.

    Only jobs with an estimate below their limit count. No job runs longer than its limit, so those that are
    told just that are covered by no merit of the predictor.
    """
    told = estimate < limit
    ends = [end for end, _ in ESTIMATE_CLASSES if end is not None]
    place = np.searchsorted(ends, estimate[told], "right")
    covered = runtime[told] <= estimate[told]
    jobs = np.bincount(place, minlength=len(ESTIMATE_CLASSES)).tolist()
    good = np.bincount(place, covered, minlength=len(ESTIMATE_CLASSES)).tolist()
    return [
        Covered(name, count, kept / count if count else None)
        for (_, name), count, kept in zip(ESTIMATE_CLASSES, jobs, good, strict=True)
    ]


def calibration_of(run: Run) -> list[Covered]:
    """Coverage by class of estimate for the jobs of a run that ran."""
    ran = run.schedule.ran
    jobs = run.workload
    return calibration(jobs.runtime[ran], run.first_estimate[ran], jobs.requested_time[ran])


def nominal_quantile(predictor: Any) -> float | None:
    """Which share of run times a predictor means its estimates to cover; None if it does not say.

    It says so by an attribute: ``quantile``, as a share, or ``percent``, the percentage that may be longer (as
    survival probability has it, and means it of work rather than of jobs). A quantile of 1 is the highest
    that was seen, which promises nothing.
    """
    stated = getattr(predictor, "quantile", None)
    percent = getattr(predictor, "percent", None)
    if stated is None and isinstance(percent, int | float):
        stated = 1.0 - percent / 100
    return float(stated) if isinstance(stated, int | float) and 0 <= stated < 1 else None


def _median(values: Floats) -> float | None:
    return float(np.median(values)) if len(values) else None
