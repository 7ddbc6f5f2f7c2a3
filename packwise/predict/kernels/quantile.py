"""A quantile of what is left, for kernels."""

from __future__ import annotations

import math

from packwise.predict.kernels.kernel import inlined


@inlined
def quantile_above(shares, floor, quantile, enough):
    """The quantile of those shares that are above the floor, one that occurred; 1 if there are fewer than
    ``enough``.
    """
    above = 0
    for k in range(shares.size):
        above += shares[k] > floor
    if above < enough:
        return 1.0
    # A little less, since 0.55 * 100 is more than 55 in binary.
    wanted = max(math.ceil(quantile * above - 1e-9), 1)
    # The smallest above the floor with at least that many, itself counted, not above it.
    answer = 1.0
    for k in range(shares.size):
        share = shares[k]
        if floor < share < answer:
            rank = 0
            for other in range(shares.size):
                rank += floor < shares[other] <= share
            if rank >= wanted:
                answer = share
    return answer
