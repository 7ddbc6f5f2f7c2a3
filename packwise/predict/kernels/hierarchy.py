"""A decayed mean per template, the most specific first: Goponenko et al., SBAC-PAD 2022, section VI."""

from __future__ import annotations

import math

from packwise.predict.kernels.kernel import (
    FINISHED,
    INTERRUPTED,
    STARTED,
    kernel,
    real_numbers,
    whole_numbers,
)

LIMIT, RUNTIME, GROUPS, TOTAL, WEIGHT, DECAY = range(6)


@kernel
def hierarchy(event, job, time, state):
    limit = whole_numbers(state, LIMIT)
    groups = whole_numbers(state, GROUPS)
    total = real_numbers(state, TOTAL)
    weight = real_numbers(state, WEIGHT)
    templates = groups.size // limit.size
    if event in (STARTED, INTERRUPTED):
        return 0.0
    if event == FINISHED:
        decay = real_numbers(state, DECAY)[0]
        runtime = float(whole_numbers(state, RUNTIME)[job])
        for i in range(job * templates, (job + 1) * templates):
            group = groups[i]
            total[group] = decay * total[group] + runtime
            weight[group] = decay * weight[group] + 1.0
        return 0.0
    for i in range(job * templates, (job + 1) * templates):
        group = groups[i]
        if weight[group] > 0.0:
            return math.floor(total[group] / weight[group] + 0.5)
    return float(limit[job])
