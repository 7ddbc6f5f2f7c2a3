"""What is left of a job, by those of the same user that ran as long: a corrector."""

from __future__ import annotations

import math

from packwise.predict.kernels.kernel import (
    FINISHED,
    OUTLIVED,
    inlined,
    kernel,
    real_numbers,
    whole_numbers,
)

LIMIT, RUNTIME, USER, COUNT, RECENT, QUANTILE = range(6)
#: Run times remembered per user, and how many must have run as long for an answer.
MEMORY = 64
ENOUGH = 3


@kernel
def conditional(event, job, time, state):
    limit = whole_numbers(state, LIMIT)[job]
    user = whole_numbers(state, USER)[job]
    count = whole_numbers(state, COUNT)
    recent = real_numbers(state, RECENT)
    if event == FINISHED:
        share = whole_numbers(state, RUNTIME)[job] / limit
        recent[user * MEMORY + count[user] % MEMORY] = share
        count[user] += 1
    elif event == OUTLIVED:
        known = recent[user * MEMORY : user * MEMORY + min(count[user], MEMORY)]
        return limit * quantile_above(known, time / limit, real_numbers(state, QUANTILE)[0])
    return float(limit)


@inlined
def quantile_above(values, floor, quantile):
    """The quantile of those values that are above the floor; 1 if there are too few."""
    above = 0
    for value in values:
        above += value > floor
    if above < ENOUGH:
        return 1.0
    # A little less, since 0.55 * 100 is more than 55 in binary.
    wanted = max(math.ceil(quantile * above - 1e-9), 1)
    # The smallest value above the floor with at least that many values, itself counted, not above it.
    answer = 1.0
    for value in values:
        if floor < value < answer:
            rank = 0
            for other in values:
                rank += floor < other <= value
            if rank >= wanted:
                answer = value
    return answer
