"""Who leads by a metric: all that no other beats for certain.

With replicas, a difference whose interval includes 0 beats nobody. One run has no interval: there a
difference counts if a table shows it and it is not negligible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.statistics import intervals
from packwise.metrics.comparison import NEGLIGIBLE, change_percent
from packwise.metrics.definition import Metric

#: The value of a metric in each replica; empty where there is one replica only.
Sample = tuple[float, ...]
#: How the means of a metric are written, in a column of their own.
Readings = Callable[[Sequence[float], Metric], Sequence[str]]
Table = NDArray[np.bool_]


def leading(
    cells: Sequence[Cell | None],
    samples: Sequence[Sample],
    base: Sample,
    one: Metric,
    confidence: float,
    readings: Readings,
) -> list[bool]:
    """Which of these no other beats: several if they tie. ``base`` is the sample of the baseline."""
    lost = beaten(cells, samples, base, one, confidence, readings)
    return [
        cell is not None and isfinite(cell.value) and not row.any()
        for cell, row in zip(cells, lost, strict=True)
    ]


def beaten(
    cells: Sequence[Cell | None],
    samples: Sequence[Sample],
    base: Sample,
    one: Metric,
    confidence: float,
    readings: Readings,
) -> Table:
    """[i, j]: whether j is better than i for certain; nobody beats or is beaten without a value."""
    known = [k for k, cell in enumerate(cells) if cell is not None and isfinite(cell.value)]
    values = [cell.value for cell in cells if cell is not None and isfinite(cell.value)]
    certain = _certain([samples[k] for k in known], base, confidence)
    found = np.zeros((len(cells), len(cells)), bool)
    found[np.ix_(known, known)] = _seen(values, readings(values, one), one) & certain
    return found


def outstanding(leads: Sequence[bool], cells: Sequence[Cell | None]) -> list[bool]:
    """Who stands out: those that lead, but nobody where all do."""
    known = sum(cell is not None and isfinite(cell.value) for cell in cells)
    return list(leads) if sum(leads) < known else [False] * len(leads)


def _seen(values: Sequence[float], shown: Sequence[str], one: Metric) -> Table:
    """[i, j]: whether a reader of the table sees that j is better than i, by more than next to nothing."""
    sign = 1 if one.better == "lower" else -1

    def worse(i: int, j: int) -> bool:
        if sign * (values[i] - values[j]) <= 0 or shown[i] == shown[j]:
            return False
        change = change_percent(values[i], values[j])
        return change is None or abs(change) >= NEGLIGIBLE

    places = range(len(values))
    return np.array([[worse(i, j) for j in places] for i in places], bool).reshape(
        len(values), len(values)
    )


def _certain(samples: Sequence[Sample], base: Sample, confidence: float) -> Table:
    """[i, j]: whether i and j differ in spite of the noise, paired by replica; True where one run cannot tell.

    Differences are taken in parts of the baseline's values, as the changes in the tables are: against the
    baseline both give the same answer.
    """
    count, sizes = len(samples), {len(sample) for sample in samples}
    if len(sizes) != 1 or sizes == {0}:
        return np.ones((count, count), bool)
    rows = np.array(samples, np.float64)
    scale = np.abs(np.array(base, np.float64))
    if scale.shape != rows.shape[1:] or not (np.isfinite(scale) & (scale > 0)).all():
        scale = np.ones(rows.shape[1])
    apart = (rows[:, None, :] - rows[None, :, :]) / scale
    group = np.repeat(np.arange(count * count), rows.shape[1])
    found = intervals(apart.ravel(), group, count * count, confidence)
    told = np.isnan(found.half_width) | found.significant
    return told.reshape(count, count)
