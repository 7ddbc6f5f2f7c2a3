"""Where a waiting job could find room before its place: the first runs of each length, by demand.

A run is a stretch of time over which so many processors stay free. A job can start earlier only in a run that
is as long as itself, or in one that leads up to its own place. For each class of demands (those of as many
binary digits, looked at like the least of them) there is a staircase: runs in order of time, each longer than
all before. So a search begins at the first run that is long enough; where there is none, nothing is searched.

A staircase is made when somebody of its class first asks in a pass through the queue. Whoever moves leaves room
behind, and the runs through it are added. Runs that are cut stay: what is told may be too early then, never too
late.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.bisection import position
from packwise.engine.state import NO_TIME

#: Classes of demands, and the steps of a staircase: all lie one after another in one array, the number of steps
#: (-1: not made yet) before the steps, which are a start and a length each.
CLASSES, STEPS = 62, 24
WIDTH = 1 + 2 * STEPS


@inlined
def forget_runs(runs):
    """The profile has changed: staircases have to be made anew."""
    for one in range(CLASSES):
        runs[one * WIDTH] = -1


@inlined
def search_from(times, free, lo, hi, top, demand, duration, runs):
    """First step from which a job may have room; ``top``, where its place begins, if there is none before."""
    one = 0
    while demand >> (one + 1):
        one += 1
    at = one * WIDTH
    if runs[at] < 0:
        _make(times, free, lo, hi, runs, one)
    first = top
    if top > lo and free[top - 1] >= demand:
        first -= 1
        while first > lo and free[first - 1] >= demand:
            first -= 1
    step, end = at + 1, at + 1 + 2 * runs[at]
    while step < end and runs[step + 1] < duration:
        step += 2
    if step < end:
        first = min(first, position(times, lo, top, runs[step]))
    return first


@inlined
def add_runs(times, free, lo, hi, start, end, demand, runs):
    """So many processors have become free from ``start``, a step, until ``end``: the runs through that time."""
    first = position(times, lo, hi, start)
    last = first
    least = most = free[first]
    while last < hi and times[last] < end:
        least, most = min(least, free[last]), max(most, free[last])
        last += 1
    for one in range(CLASSES):
        level = 1 << one
        if level > most:
            break
        if runs[one * WIDTH] < 0 or level <= least - demand:
            continue
        i = first
        while i > lo and free[i] >= level and free[i - 1] >= level:
            i -= 1
        while i < last:
            if free[i] < level:
                i += 1
                continue
            begin = times[i]
            while i < hi and free[i] >= level:
                i += 1
            _add(runs, one, begin, times[i] - begin if i < hi else NO_TIME)


@inlined
def _make(times, free, lo, hi, runs, one):
    """The staircase of a class."""
    at = one * WIDTH
    level = 1 << one
    runs[at] = 0
    i = lo
    while i < hi:
        if free[i] < level:
            i += 1
            continue
        begin = times[i]
        while i < hi and free[i] >= level:
            i += 1
        _append(runs, at, begin, times[i] - begin if i < hi else NO_TIME)


@inlined
def _append(runs, at, begin, length):
    """A run behind all others. Where there is no step left, the last one is taken to be as long."""
    count = runs[at]
    last = at + 2 * count
    if count > 0 and runs[last] >= length:
        return
    if count < STEPS:
        runs[last + 1] = begin
        runs[at] = count + 1
        last += 2
    runs[last] = length


@inlined
def _add(runs, one, begin, length):
    """A run somewhere. Where there is no step left, the one before it is taken to be as long, or the first one
    to begin as early.
    """
    at = one * WIDTH
    step, end = at + 1, at + 1 + 2 * runs[at]
    while step < end and runs[step] <= begin:
        step += 2
    if step > at + 1 and runs[step - 1] >= length:
        return
    if runs[at] == STEPS:
        if step == at + 1:
            runs[step] = begin
            step += 2
        runs[step - 1] = max(runs[step - 1], length)
    else:
        for k in range(end - 1, step - 1, -1):
            runs[k + 2] = runs[k]
        runs[step] = begin
        runs[step + 1] = length
        step, end = step + 2, end + 2
    longer = step
    while longer < end and runs[longer + 1] <= runs[step - 1]:
        longer += 2
    for k in range(longer, end):
        runs[step + k - longer] = runs[k]
    runs[at] = (end - (longer - step) - at - 1) // 2
