"""What a start costs, as a search asks: noting if it is no number, or less than it can be."""

from __future__ import annotations

import math

from packwise.compiled import inlined
from packwise.optimise.kernels.cost import cost_of
from packwise.optimise.kernels.workspace import BAD_PLACE, BAD_START, IRREGULAR, NOT_FINITE


@inlined
def pay(terms, now, pool, space, j, start):
    """The cost of a start, noting if it is no number or less than it can be."""
    cost = cost_of(terms, now, pool, j, start)
    if not math.isfinite(cost):
        if space.report[NOT_FINITE] == 0.0:
            space.report[BAD_PLACE] = j
            space.report[BAD_START] = start
        space.report[NOT_FINITE] = 1.0
        return 0.0
    if cost < pool.least[j]:
        space.report[IRREGULAR] = 1.0
    return cost
