"""A high quantile of the shares of their limits that recent like jobs used: a ceiling, not a mean."""

from __future__ import annotations

import math

from packwise.predict.kernels.kernel import (
    FINISHED,
    SUBMITTED,
    WAITING,
    inlined,
    kernel,
    real_numbers,
    whole_numbers,
)

LIMIT, RUNTIME, GROUPS, COUNT, RECENT, HIGH, SIZES, SHARES = range(8)
# Of SIZES: jobs remembered in a group, and how many must have ended for it to count
MEMORY, ENOUGH = range(2)
# Of SHARES: what the estimate is made of
MARGIN, FLOOR, QUANTILE = range(3)


@kernel
def ceiling(event, job, time, state):
    limit = whole_numbers(state, LIMIT)
    groups = whole_numbers(state, GROUPS)
    count = whole_numbers(state, COUNT)
    high = real_numbers(state, HIGH)
    sizes = whole_numbers(state, SIZES)
    shares = real_numbers(state, SHARES)
    templates = groups.size // limit.size
    if event == FINISHED:
        recent = real_numbers(state, RECENT)
        share = whole_numbers(state, RUNTIME)[job] / limit[job]
        for i in range(job * templates, (job + 1) * templates):
            group = groups[i]
            first = group * sizes[MEMORY]
            recent[first + count[group] % sizes[MEMORY]] = share
            count[group] += 1
            known = recent[first : first + min(count[group], sizes[MEMORY])]
            high[group] = quantile_of(known, shares[QUANTILE])
    elif event in (SUBMITTED, WAITING):
        for i in range(job * templates, (job + 1) * templates):
            if count[groups[i]] >= sizes[ENOUGH]:
                return limit[job] * min(max(shares[MARGIN] * high[groups[i]], shares[FLOOR]), 1.0)
    return float(limit[job])


@inlined
def quantile_of(values, quantile):
    """The smallest of the values that so large a share of them does not exceed."""
    # A little less, since 0.55 * 100 is more than 55 in binary.
    rank = max(math.ceil(quantile * values.size - 1e-9), 1)
    # Quantiles are high: counted from the largest down.
    left = values.size - rank + 1
    largest = math.inf
    while left > 0:
        below = largest
        largest = -math.inf
        equal = 0
        for k in range(values.size):
            if values[k] < below:
                if values[k] > largest:
                    largest = values[k]
                    equal = 0
                equal += values[k] == largest
        left -= equal
    return largest
