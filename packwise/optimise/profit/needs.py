"""Classes of what units need of nodes, by which what is known of one job tells something of another.

Where many jobs need different amounts, amounts are put on a grid: what is learnt of a job is noted for the
class above it, and asked for by the class below; so nothing is concluded that does not hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.demands import Demands
from packwise.model.workload import Ints

#: About as many classes at most.
_MOST = 300


class Classes(NamedTuple):
    """By job the classes that need no less, and no more; and for two classes, whether the second needs no less
    of anything than the first and may run on no other nodes.
    """

    up: Ints
    down: Ints
    harder: Ints


def classes_of(wanted: Demands) -> Classes:
    """The classes of jobs."""
    levels = _levels(wanted.per_unit)
    above, below = (
        np.stack(
            [
                _on(grid, column, side)
                for grid, column in zip(levels, wanted.per_unit.T, strict=True)
            ]
        )
        for side in ("left", "right")
    )
    where = wanted.where[None]
    rows = np.concatenate([np.concatenate([above, where]).T, np.concatenate([below, where]).T])
    found, place = np.unique(rows, axis=0, return_inverse=True)
    place = place.reshape(-1).astype(np.int64)
    up, down = place[: len(wanted.where)], place[len(wanted.where) :]
    needs = found[:, :-1]
    more = (needs[None, :, :] >= needs[:, None, :]).all(axis=2)
    patterns = wanted.open
    inside = np.asarray((patterns[None, :, :] <= patterns[:, None, :]).all(axis=2))
    row = found[:, -1]
    harder = more & inside[row[:, None], row[None, :]]
    return Classes(up[wanted.kind], down[wanted.kind], np.ascontiguousarray(harder, np.int64))


def _levels(per_unit: Ints) -> list[Ints]:
    """Amounts of each resource: all that there are, or some of them where that would be too many classes."""
    values = [np.unique(column) for column in per_unit.T]
    while np.prod([float(len(each)) for each in values]) > _MOST and len(per_unit) > _MOST:
        most = int(np.argmax([len(each) for each in values]))
        size = len(values[most]) // 2 + 1
        values[most] = np.unique(
            values[most][np.linspace(0, len(values[most]) - 1, size).astype(np.int64)]
        )
        if max(map(len, values)) <= 2:
            break
    return values


def _on(levels: Ints, column: Ints, side: str) -> Ints:
    """The place of the smallest level that is no less (``left``), or of the largest that is no more."""
    if side == "left":
        return np.searchsorted(levels, column, "left")
    return np.searchsorted(levels, column, "right") - 1
