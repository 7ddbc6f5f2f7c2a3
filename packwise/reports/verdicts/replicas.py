"""Cells of a quantity that is no stored metric, from its values in the replicas of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.statistics import change_percents, intervals


def replica_cells(
    values: Mapping[str, Sequence[float]], baseline: str, confidence: float
) -> dict[str, Cell | None]:
    """By label: the mean and the paired change against ``baseline``; None where no replica has a value.

    ``values`` has one number for each replica, in the same order for all labels; NaN where there is none.
    """
    rows = np.array(list(values.values()), np.float64)
    changes = change_percents(rows, np.broadcast_to(np.array(values[baseline]), rows.shape).copy())
    group = np.repeat(np.arange(len(rows)), rows.shape[1])
    means = intervals(rows.ravel(), group, len(rows), confidence)
    paired = intervals(changes.ravel(), group, len(rows), confidence)
    return {
        label: None
        if not isfinite(means.mean[k])
        else Cell(
            value=float(means.mean[k]),
            half_width=_known(means.half_width[k]),
            change=_known(paired.mean[k]),
            change_half_width=_known(paired.half_width[k]),
            significant=bool(paired.significant[k]) if isfinite(paired.half_width[k]) else None,
            replicas=int(means.count[k]),
            pairs=int(paired.count[k]),
        )
        for k, label in enumerate(values)
    }


def _known(value: float) -> float | None:
    return float(value) if isfinite(value) else None
