"""Columns that nobody can write to: shared where that is safe, copied where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(column: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """The column as one that cannot change: itself, if nobody can write to it, or else a copy.

    Workloads are passed on and cut and extended often; those of millions of jobs have no room for copies.
    """
    dtype = column.dtype if dtype is None else np.dtype(dtype)
    if column.dtype == dtype and column.flags.c_contiguous and _settled(column):
        return column
    copy = np.array(column, dtype)
    copy.setflags(write=False)
    return copy


def _settled(column: NDArray[Any]) -> bool:
    """Whether neither this array nor one that it is a view of can be written to."""
    owner: Any = column
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    return True
