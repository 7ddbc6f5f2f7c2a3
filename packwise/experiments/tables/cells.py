"""One metric of one grid point, over its replicas: the value, and the change against the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from packwise.metrics.definition import Metric


@dataclass(frozen=True)
class Cell:
    """Means over replicas, with half-widths of their confidence intervals (None: one replica).

    ``change`` is the mean of the changes in per cent, replica by replica (paired), against the
    baseline: None where there is no baseline result or it is 0. ``significant`` tells whether the
    change differs from 0 at the study's confidence; None where one replica cannot tell. ``pairs``
    counts the replicas that both sides have: the change is over these.
    """

    value: float
    half_width: float | None
    change: float | None
    change_half_width: float | None
    significant: bool | None
    replicas: int
    pairs: int = 0


def best_of(cells: Sequence[Cell | None], metric: Metric) -> list[bool]:
    """Which cells have the best mean value; none where all are equal."""
    values = [cell.value if cell and isfinite(cell.value) else None for cell in cells]
    known = {value for value in values if value is not None}
    if len(known) < 2:
        return [False] * len(values)
    top = min(known) if metric.better == "lower" else max(known)
    return [value == top for value in values]
