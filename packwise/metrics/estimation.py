"""Metrics of what was believed of run times, from the estimate that each job had at its submission."""

from __future__ import annotations

import math

import numpy as np

from packwise.metrics.definition import GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.model.errors import InputError
from packwise.model.workload import Floats


def estimates_of(outcome: Outcome) -> Floats:
    """The estimates of the jobs that ran; InputError where the schedule does not tell."""
    if outcome.estimate is None:
        raise InputError(
            "the schedule does not tell what was believed of run times. Replay it with Packwise, or add "
            "a column 'estimate' with the estimate of each job at its submission."
        )
    return outcome.estimate.astype(np.float64)


def determination(runtime: Floats, error: Floats) -> float:
    """Coefficient of determination: 1 - Σ (D - E)² / Σ (D - mean D)²; NaN if all D are equal.

    That is asked of D itself: the mean of equal numbers is not always that number once it is rounded.
    """
    if runtime.min() == runtime.max():
        return math.nan
    spread = total((runtime - total(runtime) / len(runtime)) ** 2)
    return 1.0 - total(error**2) / spread


def r2(outcome: Outcome) -> float:
    """Coefficient of determination of the estimates."""
    return determination(
        outcome.runtime.astype(np.float64), outcome.runtime - estimates_of(outcome)
    )


def mean_absolute_error(outcome: Outcome) -> float:
    """1/n Σ |D - E|."""
    return total(np.abs(outcome.runtime - estimates_of(outcome))) / len(outcome)


def underpredicted_share(outcome: Outcome) -> float:
    """The share of jobs with E < D."""
    return float((estimates_of(outcome) < outcome.runtime).mean())


R2 = Metric(
    name="R2",
    title="R² of the estimates",
    formula="1 - Σ (D - E)² / Σ (D - mean D)²",
    unit="",
    better="higher",
    paper=f"{GOPONENKO_2022}, Table IV",
    meaning="How much of the spread of run times the estimates at submission explain; 1 is exact, 0 no "
    "better than the mean, below 0 worse. Not defined, and shown as a dash, where all run times are equal, as "
    "those of a single job are. A better value does not mean a better schedule.",
    of=r2,
    of_estimates=True,
)

MAE = Metric(
    name="MAE",
    title="mean absolute error",
    formula="1/n Σ |D - E|",
    unit="s",
    better="lower",
    paper="E. Gaussier, D. Glesser, V. Reis and D. Trystram, SC 2015",
    meaning="How far the estimates at submission are from the run times, on average.",
    of=mean_absolute_error,
    of_estimates=True,
)

UNDERPREDICTED = Metric(
    name="underpredicted",
    title="underpredicted jobs",
    formula="share of jobs with E < D",
    unit="",
    better="lower",
    paper=f"{GOPONENKO_2022}, section VI",
    meaning="How many jobs outlive their estimate. Each disturbs the plan that was made with it; packing "
    "and fairness suffer more from that than from estimates that are too long.",
    of=underpredicted_share,
    of_estimates=True,
)
