"""The mean of the user's last two run times: Tsafrir et al., TPDS 2007."""

from __future__ import annotations

from packwise.predict.kernels.kernel import FINISHED, kernel, whole_numbers

LIMIT, RUNTIME, USER, BEFORE_LAST, LAST, COUNT = range(6)


@kernel
def last2(event, job, time, state):
    user = whole_numbers(state, USER)[job]
    before_last = whole_numbers(state, BEFORE_LAST)
    last = whole_numbers(state, LAST)
    count = whole_numbers(state, COUNT)
    if event == FINISHED:
        before_last[user] = last[user]
        last[user] = whole_numbers(state, RUNTIME)[job]
        count[user] += 1
    elif count[user] >= 2:
        return float((before_last[user] + last[user]) // 2)
    return float(whole_numbers(state, LIMIT)[job])
