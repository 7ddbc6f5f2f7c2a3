"""Segments: parts of a day in which it is about equally warm.

As in 'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', section 5: a portion of a day whose
temperatures lie within 5 degrees. The paper leaves open where one begins and what its temperature is. Here
days are local ones, a segment is as long as can be from midnight on (from the beginning of the account on its
first day), and its temperature is the mean over its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.energy.series import Series
from packwise.model.moments import merged
from packwise.model.workload import Floats, Ints


class Segments(NamedTuple):
    """``edges`` has one more than there are segments; ``temperature`` is the mean of each."""

    edges: Ints
    temperature: Floats


def segments(temperature: Series, midnights: Ints, degrees: float) -> Segments:
    """The segments of the time that a series of temperatures covers."""
    inside = midnights[(midnights > temperature.times[0]) & (midnights < temperature.end)]
    pieces = merged(temperature.times, inside)
    warm = temperature.at(pieces)
    new_day = np.isin(pieces, inside)
    begins = []
    least = most = np.nan
    for i, (value, dawn) in enumerate(zip(warm.tolist(), new_day.tolist(), strict=True)):
        low, high = min(least, value), max(most, value)
        if i == 0 or dawn or high - low > degrees:
            begins.append(i)
            low = high = value
        least, most = low, high
    edges = np.append(pieces[begins], temperature.end)
    return Segments(edges, np.diff(temperature.integral(edges)) / np.diff(edges))
