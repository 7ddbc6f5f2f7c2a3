"""Promises: a policy may tell a job at its submission when it will start at the latest. Was it true?"""

from __future__ import annotations

from packwise.metrics.definition import NTAKPE_2017, Metric
from packwise.metrics.outcome import Outcome, mean_over
from packwise.model.errors import InputError
from packwise.model.workload import Ints


def gains_of(outcome: Outcome) -> Ints:
    """How long before its promised start each job with a promise started; below 0 if it was late."""
    if outcome.promised is None:
        raise InputError(
            "promises_broken and promise_gain: expected a schedule that tells which starts were promised, "
            "found none. Replay with a policy that makes promises, such as conservative backfilling."
        )
    told = outcome.with_promise
    return outcome.promised[told] - outcome.start[told]


def promises_broken(outcome: Outcome) -> float:
    """How many jobs started after their promised start."""
    return float((gains_of(outcome) < 0).sum())


def promise_gain(outcome: Outcome) -> float:
    """Mean of promised start less start over jobs with a promise; NaN if there are none."""
    return mean_over(gains_of(outcome))


PROMISES_BROKEN = Metric(
    name="promises_broken",
    title="Broken promises",
    formula="|{j : b > promised start}|",
    unit="jobs",
    better="lower",
    paper=f"{NTAKPE_2017}, sections 4 and 6.3",
    meaning=(
        "How many jobs started later than they were told at their submission. With the users' limits as "
        "estimates there should be none; estimates that are too short break promises."
    ),
    of=promises_broken,
    of_promises=True,
)
PROMISE_GAIN = Metric(
    name="promise_gain",
    title="Average start before the promise",
    formula="mean of (promised start - b) over jobs with a promise",
    unit="s",
    better="higher",
    paper=f"{NTAKPE_2017}, sections 4 and 6.3",
    meaning=(
        "How much earlier than promised jobs start; below 0 if they are late on average. A policy that "
        "promises little gains much, so compare it between policies only together with the waits. Not defined, "
        "and shown as a dash, where no job was promised a start."
    ),
    of=promise_gain,
    of_promises=True,
)
