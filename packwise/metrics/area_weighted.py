"""Metrics of packing: each job counts as much as the computation in it."""

from __future__ import annotations

from packwise.metrics.definition import GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.model.errors import InputError


def awf(outcome: Outcome) -> float:
    """Area-weighted response time: AWF = Σ r D F / Σ r D."""
    return total(outcome.area * outcome.response) / outcome.total_area


def awq(outcome: Outcome) -> float:
    """Area-weighted wait: AWQ = Σ r D Q / Σ r D = AWF - Σ r D² / Σ r D."""
    return total(outcome.area * outcome.wait) / outcome.total_area


def pwawf(outcome: Outcome) -> float:
    """Priority-weighted AWF: Σ p r D F / Σ p r D, p being the weight; AWF if there are none."""
    if outcome.weight is None:
        return awf(outcome)
    weighted = outcome.weight * outcome.area
    whole = total(weighted)
    if whole == 0:
        raise InputError(
            "PWAWF needs at least one job that ran with a weight above 0, found none. "
            "Ask for AWF, or give the jobs weights."
        )
    return total(weighted * outcome.response) / whole


AWF = Metric(
    name="AWF",
    title="Area-weighted response time",
    formula="AWF = Σ r D F / Σ r D",
    unit="s",
    better="lower",
    paper=f"{GOPONENKO_2022}, Section III",
    meaning=(
        "Response time averaged over computation instead of jobs: how late the work gets done, "
        "hence how well jobs are packed. Splitting jobs or swapping equal pieces of work does not "
        "change it. It does not see who waits, so it says nothing about fairness: read P2SF for "
        "that."
    ),
    of=awf,
)
AWQ = Metric(
    name="AWQ",
    title="Area-weighted wait",
    formula="AWQ = Σ r D Q / Σ r D",
    unit="s",
    better="lower",
    paper=f"{GOPONENKO_2022}, Section III",
    meaning=(
        "AWF less the area-weighted run time, which no scheduler can change: the two rank "
        "schedules alike, but differences look larger in AWQ."
    ),
    of=awq,
)
PWAWF = Metric(
    name="PWAWF",
    title="Priority-weighted AWF",
    formula="PWAWF = Σ p r D F / Σ p r D   (p = weight of the job, 1 if there are none)",
    unit="s",
    better="lower",
    paper=f"{GOPONENKO_2022}, Section IV, first paragraph",
    meaning=(
        "AWF in which some work is worth more than other work, by the weights of the workload. "
        "Without weights it equals AWF."
    ),
    of=pwawf,
)
