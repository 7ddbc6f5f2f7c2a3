"""Long staircases made short: distributions and cumulative sums in a few hundred steps."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats

#: How far the short staircase may be from the true one, as a fraction: below 0.2 points.
ERROR: Final = 0.0019


class Staircase(NamedTuple):
    """From ``x[i]`` on the share is ``share[i]``; left of the first it is 0."""

    x: Floats
    share: Floats


def distribution(values: NDArray[np.integer] | Floats, error: float = ERROR) -> Staircase:
    """Which share of the values is this large or smaller, never off by more than ``error``."""
    x, counts = np.unique(values, return_counts=True)
    share = np.cumsum(counts) / len(values)
    return shorten(x.astype(np.float64), share.astype(np.float64), error)


def shorten(x: Floats, share: Floats, error: float = ERROR) -> Staircase:
    """Fewer steps for a rising staircase from 0 to 1: at most 1 / (2 error) + 2.

    Consecutive steps whose heights differ by up to twice the error become one of middle height. The
    first and the last step stay exact: they are what people read off.
    """
    if len(x) <= 2:
        return Staircase(x, share)
    starts = [0]
    begin = 1
    last = len(x) - 1
    while begin < last:
        starts.append(begin)
        beyond = int(np.searchsorted(share, share[begin] + 2 * error, "right"))
        begin = min(max(beyond, begin + 1), last)
    starts.append(last)
    first = np.array(starts)
    ends = np.append(first[1:] - 1, last)
    return Staircase(x[first], (share[first] + share[ends]) / 2)
