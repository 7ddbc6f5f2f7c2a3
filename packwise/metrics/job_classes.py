"""Waits of regular and of deadline-driven jobs apart: who gains from the patience of whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from packwise.metrics.deadlines import deadlines_of
from packwise.metrics.definition import NTAKPE_2017, Metric
from packwise.metrics.outcome import Mask, Outcome, largest, mean_over
from packwise.model.workload import Floats, Ints

Kind = Literal["regular", "deadline"]

_MEANING = {
    "regular": (
        "Only the jobs without a deadline, which should end as early as possible: what they gain when "
        "deadline-driven jobs stand back. Read it with the same metric of the deadline-driven jobs. "
        "Which job is which depends on the draw of the deadlines."
    ),
    "deadline": (
        "Only the jobs with a deadline: what they pay so that regular jobs go first. A long wait does "
        "no harm while deadlines are met, so read it with deadline_misses and deadline_usage. "
        "Which job is which depends on the draw of the deadlines."
    ),
}
_WORDS = {"regular": "regular jobs", "deadline": "deadline-driven jobs"}


def members(outcome: Outcome, kind: Kind) -> Mask:
    """The jobs of a class; InputError where the workload has no deadlines."""
    deadlines_of(outcome)
    return outcome.regular if kind == "regular" else outcome.driven


def metrics_of(kind: Kind) -> tuple[Metric, ...]:
    """Wait and stretch by the limit, mean and maximum, of a class; NaN where it has no jobs."""
    jobs = _WORDS[kind]

    def made(
        name: str,
        title: str,
        formula: str,
        unit: str,
        values: Callable[[Outcome], Ints | Floats],
        reduce: Callable[[Ints | Floats], float],
    ) -> Metric:
        return Metric(
            name=f"{name}_{kind}",
            title=f"{title}, {jobs}",
            formula=f"{formula} over {jobs}",
            unit=unit,
            better="lower",
            paper=f"{NTAKPE_2017}, sections 6.1 and 6.3",
            meaning=_MEANING[kind],
            of=lambda outcome: reduce(values(outcome)[members(outcome, kind)]),
            of_deadlines=True,
        )

    return (
        made("wait", "Average wait", "mean of Q", "s", _wait, mean_over),
        made("max_wait", "Longest wait", "max Q", "s", _wait, largest),
        made(
            "limit_stretch",
            "Average stretch by the limit",
            "mean of (Q + L) / L",
            "",
            _stretch,
            mean_over,
        ),
        made(
            "max_limit_stretch",
            "Largest stretch by the limit",
            "max (Q + L) / L",
            "",
            _stretch,
            largest,
        ),
    )


def _wait(outcome: Outcome) -> Ints | Floats:
    return outcome.wait


def _stretch(outcome: Outcome) -> Ints | Floats:
    return outcome.limit_stretch
