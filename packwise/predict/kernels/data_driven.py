"""The last run time of the first rule that knows one: Galleguillos et al., MOD 2017."""

from __future__ import annotations

from packwise.predict.kernels.kernel import FINISHED, OUTLIVED, kernel, whole_numbers

LIMIT, RUNTIME, GROUPS, LAST = range(4)
RULES = 6


@kernel
def data_driven(event, job, time, state):
    groups = whole_numbers(state, GROUPS)[job * RULES : (job + 1) * RULES]
    last = whole_numbers(state, LAST)
    if event == FINISHED:
        for k in range(RULES):
            if groups[k] >= 0:
                last[groups[k]] = whole_numbers(state, RUNTIME)[job]
        return 0.0
    # A run time is at least 1 s, so 0 is also the mark of a group without one.
    floor = time if event == OUTLIVED else 0
    for k in range(RULES):
        if groups[k] >= 0 and last[groups[k]] > floor:
            return float(last[groups[k]])
    return float(whole_numbers(state, LIMIT)[job])
