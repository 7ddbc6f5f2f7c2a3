"""Waits of regular and of deadline-driven jobs apart: who gains from the patience of whom."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from packwise.metrics.deadlines import deadlines_of
from packwise.metrics.definition import NTAKPE_2017, Metric
from packwise.metrics.outcome import Mask, Outcome, largest, mean_over
from packwise.metrics.response_time import need_percentage
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
    """Of a class: wait and stretch by the limit, mean and maximum, and who does not wait at all; NaN where it
    has no jobs.
    """
    made = partial(_of_class, kind)
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
        replace(
            made(
                "at_once", "Share that starts at once", "share with Q = 0", "", _at_once, mean_over
            ),
            better="higher",
        ),
    )


def wait_at_percentile_of(percent: float, kind: Kind) -> Metric:
    """The wait that so many per cent of a class do not exceed."""
    need_percentage(percent)

    def at(values: Ints | Floats) -> float:
        return float(np.percentile(values, percent)) if len(values) else math.nan

    return _of_class(
        kind,
        f"wait_p{percent:.12g}",
        f"{percent:.12g}th percentile of wait",
        f"{percent:.12g}th percentile of Q",
        "s",
        _wait,
        at,
    )


def _of_class(
    kind: Kind,
    name: str,
    title: str,
    formula: str,
    unit: str,
    values: Callable[[Outcome], Ints | Floats],
    reduce: Callable[[Ints | Floats], float],
) -> Metric:
    return Metric(
        name=f"{name}_{kind}",
        title=f"{title}, {_WORDS[kind]}",
        formula=f"{formula} over {_WORDS[kind]}",
        unit=unit,
        better="lower",
        paper=f"{NTAKPE_2017}, sections 6.1 and 6.3",
        meaning=_MEANING[kind],
        of=lambda outcome: reduce(values(outcome)[members(outcome, kind)]),
        of_deadlines=True,
    )


def _wait(outcome: Outcome) -> Ints | Floats:
    return outcome.wait


def _at_once(outcome: Outcome) -> Ints | Floats:
    at_once: Floats = (outcome.wait == 0).astype(np.float64)
    return at_once


def _stretch(outcome: Outcome) -> Ints | Floats:
    return outcome.limit_stretch
