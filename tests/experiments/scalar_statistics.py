"""The statistics of one group of values, by the functions for many groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from packwise.experiments.tables.statistics import change_percents, intervals
from packwise.model.workload import Floats


class Interval(NamedTuple):
    """A mean, half the width of its confidence interval (None: one value), and how many values."""

    mean: float | None
    half_width: float | None
    values: int


class PairedChange(NamedTuple):
    """The mean change in per cent over ``pairs`` of replicas; None where there is none."""

    mean: float | None
    half_width: float | None
    significant: bool | None
    pairs: int


def mean_interval(values: Iterable[float | None], confidence: float = 0.95) -> Interval:
    """The mean of the values that are there (not None, not NaN) and its t interval."""
    column = _column(values)
    found = intervals(column, np.zeros(len(column), np.int64), 1, confidence)
    return Interval(_known(found.mean[0]), _known(found.half_width[0]), int(found.count[0]))


def paired_change(
    values: Sequence[float | None], baseline: Sequence[float | None], confidence: float = 0.95
) -> PairedChange:
    """The change in per cent of each value against the one at the same place of the baseline.

    Pairs with one side missing are left out. A baseline of 0 anywhere leaves no mean: the mean of the
    others would be that of chosen replicas.
    """
    ours, theirs = _column(values), _column(baseline)
    if len(ours) != len(theirs):
        raise ValueError(f"expected as many values as baselines, found {len(ours)}, {len(theirs)}")
    changes = change_percents(ours, theirs)
    found = intervals(changes, np.zeros(len(changes), np.int64), 1, confidence)
    mean, half_width = _known(found.mean[0]), _known(found.half_width[0])
    significant = None if half_width is None else bool(found.significant[0])
    return PairedChange(mean, half_width, significant, int(found.count[0]))


def _column(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
