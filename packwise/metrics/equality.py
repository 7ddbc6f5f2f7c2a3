"""How equally users are served: Jain's fairness index."""

from __future__ import annotations

import math

import numpy as np

from packwise.metrics.definition import Metric
from packwise.metrics.outcome import Outcome, total
from packwise.metrics.response_time import TAU
from packwise.model.workload import UNKNOWN, Floats


def index_of(values: Floats) -> float:
    """Jain's index (Σ x)² / (n Σ x²) of values that are not all zero; not a number of none."""
    if not len(values):
        return math.nan
    # Shares of the largest: squares of large numbers would lose digits.
    shares = values / values.max()
    return total(shares) ** 2 / (len(shares) * total(shares**2))


def slowdowns_of_users(outcome: Outcome) -> Floats:
    """The mean bounded slowdown of each user that the log knows; jobs of unknown users are left out."""
    known = outcome.user != UNKNOWN
    users, member = np.unique(outcome.user[known], return_inverse=True)
    slowdown = outcome.bounded_slowdown(TAU)[known]
    sums = np.bincount(member, weights=slowdown, minlength=len(users))
    means: Floats = sums / np.bincount(member, minlength=len(users))
    return means


JAIN = Metric(
    name="jain",
    title="Jain's fairness index of users",
    formula="(Σ x)² / (n Σ x²),  x: a user's mean of max(1, F / max(D, 10 s)), n: users",
    unit="",
    better="higher",
    paper=(
        "R. Jain, D.-M. Chiu and W. Hawe, 'A Quantitative Measure of Fairness and Discrimination for Resource "
        "Allocation in Shared Computer Systems', DEC TR-301, 1984; that x is a user's mean bounded slowdown is "
        "our choice"
    ),
    meaning=(
        "How equally users are served: 1 if the mean bounded slowdown of all is the same, 1/n if one of n "
        "bears all of it. Users are compared and not jobs, because fairness is between people, and by "
        "slowdown, because waits mean little without run times. It says nothing of how well they are "
        "served: if everybody waits ten times as long it stays as it is. A few users with short jobs and "
        "huge slowdowns decide it, and every user counts the same, also one with a single job. Jobs whose "
        "user is unknown are left out. Not a number where the log does not know its users."
    ),
    of=lambda outcome: index_of(slowdowns_of_users(outcome)),
    costly=True,
    of_all_jobs=True,
)
