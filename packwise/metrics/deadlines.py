"""Deadlines: how many were missed, and how much of the time until then was used.

Notation: d is the deadline (a time like s, b and c), L the limit. A job without a deadline is regular,
the others are deadline-driven. N'Takpé and Suter (JSSPP 2017) give a deadline-driven job 24 hours or ten
times its limit, whichever is longer; the classes of 24 hours and of more are theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from packwise.metrics.definition import NTAKPE_2017, Metric
from packwise.metrics.outcome import Mask, Outcome, mean_over
from packwise.model.errors import InputError
from packwise.model.workload import Ints, Workload

#: Deadlines of at most this many seconds after the submission are those of a day.
DAY = 24 * 3600

#: What a user can do about a workload without deadlines.
REMEDY = "Give some jobs deadlines: --deadlines 'slack(share=20%)'."


class Driven(NamedTuple):
    """The deadline-driven jobs, also those that never ran. ``unfit``: wider than the machine."""

    given: Ints
    limit: Ints
    missed: Mask
    unfit: Mask

    @property
    def impossible(self) -> Mask:
        """Those with a deadline that nobody could promise: less time than the limit, or no room ever."""
        return (self.given < self.limit) | self.unfit


def need_deadlines(metrics: Iterable[Metric], workload: Workload) -> None:
    """Raise InputError if some of the metrics need deadlines and the workload has none."""
    if workload.deadline is None:
        names = [one.name for one in metrics if one.of_deadlines]
        if names:
            raise InputError(
                f"{', '.join(names)}: expected a workload with deadlines, found none in "
                f"'{workload.name}'. {REMEDY}"
            )


def deadlines_of(outcome: Outcome) -> Ints:
    """The deadlines of the deadline-driven jobs that ran; InputError where the workload has none."""
    if outcome.deadline is None:
        raise InputError(f"expected a workload with deadlines, found none. {REMEDY}")
    return outcome.deadline[outcome.driven]


def driven_of(outcome: Outcome) -> Driven:
    """All deadline-driven jobs. One that never ran missed, unless the machine could not have run it."""
    due, ran, others = deadlines_of(outcome), outcome.driven, outcome.never_ran
    given, limit = due - outcome.submit[ran], outcome.limit[ran]
    missed = outcome.end[ran] > due
    unfit = np.zeros(len(due), np.bool_)
    if others is not None:
        wide = others.demand > outcome.procs
        given = np.concatenate([given, others.deadline - others.submit])
        limit = np.concatenate([limit, others.limit])
        missed, unfit = np.concatenate([missed, ~wide]), np.concatenate([unfit, wide])
    return Driven(given, limit, missed, unfit)


def misses(outcome: Outcome) -> float:
    """|{j : c > d}|, and those that were refused."""
    return float(driven_of(outcome).missed.sum())


def misses_of_a_day(outcome: Outcome) -> float:
    """Misses of jobs with d - s <= 24 h."""
    jobs = driven_of(outcome)
    return float((jobs.missed & (jobs.given <= DAY)).sum())


def misses_of_longer(outcome: Outcome) -> float:
    """Misses of jobs with d - s > 24 h."""
    jobs = driven_of(outcome)
    return float((jobs.missed & (jobs.given > DAY)).sum())


def misses_of_possible(outcome: Outcome) -> float:
    """Misses of jobs with d >= s + L."""
    jobs = driven_of(outcome)
    return float((jobs.missed & ~jobs.impossible).sum())


def impossible(outcome: Outcome) -> float:
    """|{j : d < s + L}|, and those that are wider than the machine."""
    return float(driven_of(outcome).impossible.sum())


def usage(outcome: Outcome) -> float:
    """Mean of F / (d - s) over deadline-driven jobs with Q > 0 and d > s; NaN if there are none."""
    given = deadlines_of(outcome) - outcome.submit[outcome.driven]
    response, wait = outcome.response[outcome.driven], outcome.wait[outcome.driven]
    counted = (wait > 0) & (given > 0)
    return mean_over(response[counted] / given[counted])


def usage_over_80(outcome: Outcome) -> float:
    """The share of deadline-driven jobs with F > 0.8 (d - s), in whole numbers; NaN if there are none."""
    given = deadlines_of(outcome) - outcome.submit[outcome.driven]
    return mean_over((5 * outcome.response[outcome.driven] > 4 * given).astype(np.float64))


_MISSED = (
    "A job that the policy refused missed its deadline, too; one that is wider than the machine counts as "
    "impossible instead."
)
DEADLINE_MISSES = Metric(
    name="deadline_misses",
    title="Missed deadlines",
    formula="|{j : c > d}|",
    unit="jobs",
    better="lower",
    paper=f"{NTAKPE_2017}, sections 6.1 and 6.3, figure 6",
    meaning=(
        "How many deadline-driven jobs ended after their deadline: by a second or by a week, all the same. "
        f"{_MISSED}"
    ),
    of=misses,
    of_deadlines=True,
)
DEADLINE_MISSES_DAY = Metric(
    name="deadline_misses_day",
    title="Missed deadlines of at most a day",
    formula="|{j : c > d, d - s <= 24 h}|",
    unit="jobs",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.3, figure 6",
    meaning=(
        "Misses of the jobs that had at most 24 hours. With deadlines of max(24 h, 10 L) these are the "
        f"short jobs, which miss when the load is high at their submission. {_MISSED}"
    ),
    of=misses_of_a_day,
    of_deadlines=True,
)
DEADLINE_MISSES_LONGER = Metric(
    name="deadline_misses_longer",
    title="Missed deadlines of more than a day",
    formula="|{j : c > d, d - s > 24 h}|",
    unit="jobs",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.3, figure 6",
    meaning=(
        "Misses of the jobs that had more than 24 hours. With deadlines of max(24 h, 10 L) these are the "
        f"jobs with limits above 2.4 hours. {_MISSED}"
    ),
    of=misses_of_longer,
    of_deadlines=True,
)
DEADLINE_MISSES_POSSIBLE = Metric(
    name="deadline_misses_possible",
    title="Missed deadlines that could be promised",
    formula="|{j : c > d >= s + L}|   (L = limit of the job)",
    unit="jobs",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.3; without the deadlines that nobody could promise",
    meaning=(
        "Misses less those that no scheduler could have ruled out, because the deadline left less time than "
        "the limit. Where it is above 0 the machine was too full, or the policy did not care."
    ),
    of=misses_of_possible,
    of_deadlines=True,
)
DEADLINE_IMPOSSIBLE = Metric(
    name="deadline_impossible",
    title="Deadlines that nobody could promise",
    formula="|{j : d < s + L}|   (L = limit of the job)",
    unit="jobs",
    better="lower",
    paper="after the admission of deadlines in N'Takpé and Suter, JSSPP 2017, section 4",
    meaning=(
        "Jobs with less time until the deadline than they asked for, and rejected jobs that are wider than "
        "the machine. It describes the workload, not the policy. Such a job may still end in time, since "
        "most jobs run much shorter than their limits."
    ),
    of=impossible,
    of_deadlines=True,
)
DEADLINE_USAGE = Metric(
    name="deadline_usage",
    title="Average use of the deadline",
    formula="mean of F / (d - s) over deadline-driven jobs with Q > 0",
    unit="",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.1, equation 3, and section 6.3, figure 7",
    meaning=(
        "How much of the time until the deadline passed before a job ended; 1 is just in time. Jobs that "
        "started at once are left out, as in the paper, and so are deadlines at or before the submission. "
        "Low values mean that the jobs found quiet hours long before, or that deadlines are too generous."
    ),
    of=usage,
    of_deadlines=True,
)
DEADLINE_USAGE_OVER_80 = Metric(
    name="deadline_usage_over_80",
    title="Jobs that used over 80 % of the time until the deadline",
    formula="share of deadline-driven jobs with F > 0.8 (d - s)",
    unit="",
    better="lower",
    paper=f"{NTAKPE_2017}, section 6.3",
    meaning=(
        "Jobs that came close to their deadline or missed it, out of all deadline-driven jobs that ran, "
        "also those that started at once. It shows the tail that the average use hides."
    ),
    of=usage_over_80,
    of_deadlines=True,
)
