"""Stretch by the limit: how much a wait means beside the time that a user asked for.

Unlike the slowdown F / D it does not know the run time, which no scheduler does either, so a job of a
second with a limit of a day hardly counts.
"""

from __future__ import annotations

from packwise.metrics.definition import NTAKPE_2017, Metric
from packwise.metrics.outcome import Outcome, largest, mean_over


def mean_limit_stretch(outcome: Outcome) -> float:
    """1/n Σ (Q + L) / L."""
    return mean_over(outcome.limit_stretch)


def max_limit_stretch(outcome: Outcome) -> float:
    """max (Q + L) / L."""
    return largest(outcome.limit_stretch)


LIMIT_STRETCH = Metric(
    name="limit_stretch",
    title="Average stretch by the limit",
    formula="1/n Σ (Q + L) / L   (L = limit of the job)",
    unit="",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.1, equation 2",
    meaning=(
        "The wait relative to the time that the user asked for, averaged over jobs; 1 if nobody waits. "
        "Limits are mostly far too long, so it is much smaller than the slowdown, and jobs of a few "
        "seconds do not decide it. Jobs with short limits still count most."
    ),
    of=mean_limit_stretch,
)
MAX_LIMIT_STRETCH = Metric(
    name="max_limit_stretch",
    title="Largest stretch by the limit",
    formula="max (Q + L) / L   (L = limit of the job)",
    unit="",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.3, figure 5",
    meaning=(
        "The stretch by the limit of the worst-treated job. The closer it is to the average, the fairer "
        "the schedule; but one job decides it, so small changes of a workload can move it much."
    ),
    of=max_limit_stretch,
    of_extremes=True,
)
