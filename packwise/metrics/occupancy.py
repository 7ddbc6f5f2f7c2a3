"""Metrics of the machine: how long, how full, how evenly full, and what was left lying."""

from __future__ import annotations

import numpy as np

from packwise.metrics.definition import FEITELSON_1998, GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total


def makespan(outcome: Outcome) -> float:
    """From the first submission to the last completion: max c - min s."""
    return float(outcome.last_end - outcome.first_submit)


def utilization(outcome: Outcome) -> float:
    """Busy fraction of the machine over the makespan: Σ r D / (makespan · R)."""
    return outcome.total_area / (makespan(outcome) * outcome.procs)


def utilization_variance(outcome: Outcome) -> float:
    """Variance over time of the busy fraction u(t): 1/T ∫ (u - ū)² dt from min s to max c."""
    lengths, busy, _ = outcome.gaps
    fraction = busy / outcome.procs
    whole = total(lengths)
    mean = total(lengths * fraction) / whole
    return total(lengths * (fraction - mean) ** 2) / whole


def loss_of_capacity(outcome: Outcome) -> float:
    """LOC = ∫ min(queued demand, R - busy) dt / (makespan · R), exactly, event by event.

    Idle processors count as 0 where a (broken) schedule uses more than there are.
    """
    lengths, busy, queued = outcome.gaps
    idle = np.maximum(outcome.procs - busy, 0)
    return total(lengths * np.minimum(queued, idle)) / (makespan(outcome) * outcome.procs)


MAKESPAN = Metric(
    name="makespan",
    title="Makespan",
    formula="max c - min s",
    unit="s",
    better="lower",
    paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
    meaning=(
        "From the first submission to the last completion. In a replay the submit times are given, "
        "so the last jobs to arrive decide it and the scheduler hardly can: not a measure of "
        "quality."
    ),
    of=makespan,
    of_all_jobs=True,
)
UTILIZATION = Metric(
    name="utilization",
    title="Utilization",
    formula="Σ r D / ((max c - min s) · R)",
    unit="",
    better="higher",
    paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
    meaning=(
        "Fraction of the processor time between first submission and last completion that ran "
        "jobs. It measures the offered load more than the scheduler: two replays of one trace "
        "differ only through the makespan."
    ),
    of=utilization,
    of_all_jobs=True,
)
UTILIZATION_VARIANCE = Metric(
    name="utilization_variance",
    title="Variance of utilization",
    formula="1/T ∫ (u(t) - ū)² dt,  u(t) = busy / R,  T from min s to max c",
    unit="",
    better="lower",
    paper=(
        "R. Boëzennec, F. Dufossé and G. Pallez, 'Qualitatively Analyzing Optimization Objectives "
        "in the Design of HPC Resource Manager', ACM TOMPECS 2024"
    ),
    meaning=(
        "How unevenly the machine was filled over time. It tells how utilization varies, not "
        "whether work is done early, and depends on the arrivals as much as on the scheduler."
    ),
    of=utilization_variance,
    of_all_jobs=True,
)
LOC = Metric(
    name="LOC",
    title="Loss of capacity",
    formula="LOC = ∫ min(Σ_waiting r, R - Σ_running r) dt / ((max c - min s) · R)",
    unit="",
    better="lower",
    paper=(
        "V. Leung, G. Sabin and P. Sadayappan, 'Parallel Job Scheduling Policies to Improve "
        f"Fairness: A Case Study', ICPP Workshops 2010; {GOPONENKO_2022}, Section VII"
    ),
    meaning=(
        "Fraction of the machine that stood idle while waiting jobs could have used it. While the "
        "queue is long it does not notice that work moves to an earlier time, and with a short "
        "queue it may favour short jobs; AWF is the more reliable measure of packing."
    ),
    of=loss_of_capacity,
    of_all_jobs=True,
)
