"""What is left of a job, by those of the same user that ran as long: a corrector."""

from __future__ import annotations

from packwise.predict.kernels.kernel import (
    FINISHED,
    OUTLIVED,
    kernel,
    real_numbers,
    whole_numbers,
)
from packwise.predict.kernels.quantile import quantile_above

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
        return limit * quantile_above(known, time / limit, real_numbers(state, QUANTILE)[0], ENOUGH)
    return float(limit)
