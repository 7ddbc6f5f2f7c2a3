"""What replicas allow to say: means with Student's t intervals, and paired changes.

Replica k of a policy and replica k of the baseline replay the same jobs. So the changes are taken replica
by replica, and what moves both sides alike drops out. A change is significant if 0 lies outside of the
interval of its mean, which is the paired t-test on the changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats, Ints

#: Changes that are equal but for rounding have no variance.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Intervals:
    """Means and half-widths of many groups of values; NaN where there is none."""

    mean: Floats
    half_width: Floats
    count: Ints

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether 0 lies outside of the interval. Means nothing where there is no half-width."""
        return np.abs(self.mean) > self.half_width


def change_percents(values: Floats, baseline: Floats) -> Floats:
    """Changes in per cent; NaN where a side is missing, infinite where only the baseline is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        changes: Floats = 100.0 * (values - baseline) / np.abs(baseline)
    changes[(baseline == 0) & ~np.isnan(values)] = np.inf
    changes[(baseline == 0) & (values == 0)] = 0.0
    return changes


def intervals(values: Floats, group: Ints, groups: int, confidence: float) -> Intervals:
    """The mean and the t interval of each group. ``group`` has the number of each value's group.

    NaN is a missing value; a group with an infinite one has no mean.
    """
    from scipy.special import stdtrit

    there = ~np.isnan(values)
    values, group = values[there], group[there]
    count = np.bincount(group, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(group, values, minlength=groups) / count
        squares = np.bincount(group, (values - mean[group]) ** 2, minlength=groups)
        deviation = np.sqrt(squares / (count - 1))
    mean[~np.isfinite(mean)] = np.nan
    sizes, which = np.unique(count, return_inverse=True)
    quantile = np.array([stdtrit(n - 1, (1 + confidence) / 2) if n > 1 else np.nan for n in sizes])
    half_width: Floats = quantile[which] * deviation / np.sqrt(np.maximum(count, 1))
    half_width[deviation <= _ROUNDING * np.abs(mean)] = 0.0
    half_width[(count < 2) | np.isnan(mean)] = np.nan
    return Intervals(mean, half_width, count)
