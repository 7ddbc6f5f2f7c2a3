"""The highest share of the limit that recent like jobs used: a ceiling, not a mean."""

from __future__ import annotations

from packwise.predict.kernels.kernel import (
    FINISHED,
    SUBMITTED,
    WAITING,
    kernel,
    real_numbers,
    whole_numbers,
)

LIMIT, RUNTIME, GROUPS, COUNT, RECENT, HIGHEST, MEMORY, SHARES = range(8)


@kernel
def ceiling(event, job, time, state):
    limit = whole_numbers(state, LIMIT)
    groups = whole_numbers(state, GROUPS)
    count = whole_numbers(state, COUNT)
    highest = real_numbers(state, HIGHEST)
    sizes = whole_numbers(state, MEMORY)
    memory = sizes[0]
    shares = real_numbers(state, SHARES)
    templates = groups.size // limit.size
    if event == FINISHED:
        recent = real_numbers(state, RECENT)
        share = whole_numbers(state, RUNTIME)[job] / limit[job]
        for i in range(job * templates, (job + 1) * templates):
            group = groups[i]
            first = group * memory
            recent[first + count[group] % memory] = share
            count[group] += 1
            highest[group] = 0.0
            for k in range(first, first + min(count[group], memory)):
                highest[group] = max(highest[group], recent[k])
    elif event in (SUBMITTED, WAITING):
        for i in range(job * templates, (job + 1) * templates):
            if count[groups[i]] >= sizes[1]:
                return limit[job] * min(max(shares[0] * highest[groups[i]], shares[1]), 1.0)
    return float(limit[job])
