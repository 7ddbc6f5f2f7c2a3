"""What the browser does with the numbers of a page: the naive twin of its decoder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Ints


def read_varints(content: bytes, count: int, *, delta: bool = False) -> tuple[Ints, bytes]:
    """The first ``count`` numbers that ``varints`` wrote, and the bytes behind them."""
    raw: NDArray[np.uint8] = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(raw < 128)[:count]
    if len(ends) < count:
        raise ValueError(f"expected {count} numbers, found {len(ends)}")
    values = np.zeros(count, np.int64)
    begin = 0
    for i, end in enumerate(ends.tolist()):
        number = 0
        for k in range(end, begin - 1, -1):
            number = number << 7 | int(raw[k]) & 127
        values[i] = (number >> 1) ^ -(number & 1)
        begin = end + 1
    return (np.cumsum(values) if delta else values), content[begin:]
