"""Moments in order, each once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Ints


def merged(*moments: Ints) -> Ints:
    """All distinct moments, in order; many times as fast as ``np.unique`` where there are millions."""
    joined = np.sort(np.concatenate(moments))
    return joined[lasts(joined)]


def lasts(moments: Ints) -> NDArray[np.bool_]:
    """Of equal moments in order, the last one each."""
    last = np.ones(len(moments), np.bool_)
    last[:-1] = moments[1:] != moments[:-1]
    return last
