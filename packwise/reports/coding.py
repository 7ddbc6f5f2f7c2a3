"""Numbers and text packed small for a page: varints of differences, gzip, base64.

The browser's side is ``assets/unpack.js``.
"""

from __future__ import annotations

import base64
import gzip

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Ints


def packed(content: bytes) -> str:
    """Gzip in base64, the same text for the same content."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def varints(values: Ints, *, delta: bool = False) -> bytes:
    """Seven bits a byte, low ones first, the sign in the lowest bit; ``delta`` codes differences."""
    column = np.asarray(values, np.int64)
    if delta:
        column = np.diff(column, prepend=0)
    rest = ((column << 1) ^ (column >> 63)).astype(np.uint64)
    size = np.ones(len(rest), np.int64)
    for bits in range(7, 64, 7):
        size += rest >= np.uint64(1 << bits)
    place = np.cumsum(size) - size
    out = np.zeros(int(size.sum()), np.uint8)
    for k in range(int(size.max(initial=0))):
        more = size > k
        low = (rest[more] & np.uint64(127)).astype(np.uint8)
        goes_on = (size[more] > k + 1).astype(np.uint8) << np.uint8(7)
        out[place[more] + k] = low | goes_on
        rest = rest >> np.uint64(7)
    return out.tobytes()


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
