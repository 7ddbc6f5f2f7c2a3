"""Numbers and text packed small for a page: varints of differences, gzip, base64.

The browser's side is ``assets/unpack.js``.
"""

from __future__ import annotations

import base64
import gzip

import numpy as np

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
