"""Who is worse off than under EASY backfilling, what most clusters run today.

The reference is EASY with the users' limits, replayed with the run times of the schedule that is measured: so
these are metrics of a schedule alone, whatever it is compared with.
"""

from __future__ import annotations

import math

import numpy as np

from packwise.metrics.definition import Metric
from packwise.metrics.effects import NOTICED, Effects, of_responses
from packwise.metrics.outcome import Outcome
from packwise.metrics.reference_replays import starts_under
from packwise.model.workload import Floats

_PAPER = "D. A. Lifka, 'The ANL/IBM SP Scheduling System', JSSPP 1995 (EASY); the count is ours"


def response_under_easy(outcome: Outcome) -> Floats:
    """The response time of each job that ran, had EASY dispatched them."""
    start = starts_under("easy", outcome, outcome.limit, "a comparison with EASY")
    return (start + outcome.runtime - outcome.submit).astype(np.float64)


def effects_against_easy(outcome: Outcome) -> Effects:
    """Users and classes of size against EASY, computed once per outcome."""
    kept: Effects | None = outcome.__dict__.get("against_easy")
    if kept is None:
        before = response_under_easy(outcome)
        after = outcome.response.astype(np.float64)
        kept = of_responses(outcome.user, outcome.demand, after, before)
        outcome.__dict__["against_easy"] = kept
    return kept


def users_worse(outcome: Outcome) -> float:
    """Per cent of the users."""
    found = effects_against_easy(outcome)
    return 100.0 * len(found.users_worse) / len(found.users) if found.users else math.nan


def users_better(outcome: Outcome) -> float:
    """Per cent of the users."""
    found = effects_against_easy(outcome)
    return 100.0 * len(found.users_better) / len(found.users) if found.users else math.nan


def worst_size(outcome: Outcome) -> float:
    """Per cent; below zero if every class gains."""
    return max(one.change for one in effects_against_easy(outcome).sizes)


USERS_WORSE = Metric(
    name="users_worse",
    title="Users worse off than under EASY",
    formula=f"share of users whose mean F is more than {NOTICED:g} % above that under EASY",
    unit="%",
    better="lower",
    paper=_PAPER,
    meaning=(
        "How many users would notice that they lose: their mean response time grows by more than a tenth "
        "against EASY backfilling with users' limits. Users with fewer than 10 jobs are left out where 6 "
        "others remain. Not a number where the log does not know its users."
    ),
    of=users_worse,
    costly=True,
    of_all_jobs=True,
)
USERS_BETTER = Metric(
    name="users_better",
    title="Users better off than under EASY",
    formula=f"share of users whose mean F is more than {NOTICED:g} % below that under EASY",
    unit="%",
    better="higher",
    paper=_PAPER,
    meaning=(
        "How many users would notice that they gain: their mean response time shrinks by more than a tenth "
        "against EASY backfilling with users' limits. Read it with users_worse."
    ),
    of=users_better,
    costly=True,
    of_all_jobs=True,
)
WORST_SIZE = Metric(
    name="worst_size",
    title="Change of the size class that fares worst against EASY",
    formula="max over classes of demand of (mean F / mean F under EASY - 1)",
    unit="%",
    better="lower",
    paper=_PAPER,
    meaning=(
        "By how much the mean response time of one class of sizes (1 processor, 2-4, 5-8, and so on) grows "
        "against EASY backfilling with users' limits, for the class that fares worst; below zero if all gain. "
        "Classes with less than half a per cent of the jobs are left out."
    ),
    of=worst_size,
    costly=True,
    of_all_jobs=True,
)
