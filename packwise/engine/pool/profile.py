"""The availability profile: free processors over future time, as a step function.

A window [lo, hi) of two flat arrays: ``free[i]`` processors are free from ``times[i]`` until
``times[i + 1]``; the last step lasts for ever. Linear scans over flat arrays beat trees at the lengths
that real queues reach (hundreds of steps).
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.bisection import position


@inlined
def build_profile(times, free, rel_time, rel_amount, rel_lo, rel_hi, now, free_now):
    """Running jobs only: what is free now, and each release later. Returns ``hi`` (``lo`` is 0)."""
    times[0] = now
    level = free_now
    free[0] = level
    for k in range(rel_hi - rel_lo):
        level += rel_amount[rel_lo + k]
        times[k + 1] = rel_time[rel_lo + k]
        free[k + 1] = level
    return rel_hi - rel_lo + 1


@inlined
def trim(times, free, lo, hi, now):
    """Let the profile begin at ``now``. Returns the new ``lo`` and ``hi``.

    The window moves through its arrays as steps pass into history and new ones come behind; a third of
    the way in, it goes back to the front.
    """
    while lo + 1 < hi and times[lo + 1] <= now:
        lo += 1
    times[lo] = now
    if lo <= times.size // 3:
        return lo, hi
    for i in range(hi - lo):
        times[i] = times[lo + i]
        free[i] = free[lo + i]
    return 0, hi - lo


@inlined
def earliest(times, free, lo, hi, demand, duration):
    """First step from which ``demand`` processors stay free for ``duration``.

    Returns its index and the index of the first step at or after the end. The last step must have
    room, which holds because the demand fits on the machine.
    """
    i = lo
    while True:
        while free[i] < demand:
            i += 1
        end = times[i] + duration
        j = i + 1
        while j < hi and times[j] < end and free[j] >= demand:
            j += 1
        if j == hi or times[j] >= end:
            return i, j
        i = j + 1


@inlined
def take(times, free, hi, i, j, end, demand):
    """Reserve from step ``i`` until ``end``, ``j`` being the first step at or after it. Returns ``hi``."""
    hi = split(times, free, hi, j, end)
    for k in range(i, j):
        free[k] -= demand
    return hi


@apart
def hold(times, free, lo, hi, start, end, demand):
    """Reserve from ``start`` until ``end``, where there is known to be room. Returns ``hi``."""
    i = position(times, lo, hi, start)
    hi = split(times, free, hi, i, start)
    j = position(times, i, hi, end)
    return take(times, free, hi, i, j, end, demand)


@inlined
def has_room(times, free, lo, hi, start, end, demand):
    """Whether so many processors stay free from ``start``, which is not before the profile, until ``end``."""
    i = position(times, lo, hi, start)
    if i == hi or times[i] > start:
        i -= 1
    while i < hi and times[i] < end:
        if free[i] < demand:
            return False
        i += 1
    return True


@inlined
def copy_profile(times, free, lo, hi, to_times, to_free):
    """Copy the window to the front of other arrays. Returns the copy's ``hi`` (its ``lo`` is 0)."""
    for i in range(hi - lo):
        to_times[i] = times[lo + i]
        to_free[i] = free[lo + i]
    return hi - lo


@inlined
def earlier(times, free, i, top, demand, duration, start):
    """First step from ``i`` on from which ``demand`` processors stay free for ``duration``, or until ``start``,
    from when on whoever asks has its own; -1 if there is none before ``top``, the first step not before that.
    """
    while True:
        while i < top and free[i] < demand:
            i += 1
        if i >= top:
            return -1
        end = min(times[i] + duration, start)
        j = i + 1
        while j < top and times[j] < end and free[j] >= demand:
            j += 1
        if j == top or times[j] >= end:
            return i
        i = j + 1


@apart
def bring_forward(times, free, hi, i, start, duration, demand):
    """Move a reservation from ``start`` to step ``i`` before it. What it has in both places is not touched.
    Steps that no longer are one stay, until ``tidy``. Returns ``hi``.
    """
    end = times[i] + duration
    first, second = min(end, start), max(end, start)
    j = position(times, i, hi, first)
    hi = split(times, free, hi, j, first)
    for k in range(i, j):
        free[k] -= demand
    i = position(times, j, hi, second)
    hi = split(times, free, hi, i, second)
    j = position(times, i, hi, start + duration)
    hi = split(times, free, hi, j, start + duration)
    for k in range(i, j):
        free[k] += demand
    return hi


@inlined
def tidy(times, free, lo, hi):
    """Drop the steps that are none, since as many are free as before. Returns ``hi``."""
    last = lo
    for i in range(lo + 1, hi):
        if free[i] != free[last]:
            last += 1
            times[last] = times[i]
            free[last] = free[i]
    return last + 1


@apart
def give_back(times, free, lo, hi, start, end, demand):
    """Undo a reservation (its part from now on). Returns the new ``hi``.

    Steps that no longer are one are dropped, so the bounds of a reservation may have to be put back
    first: two reservations that touched, of equal demand, shared a level.
    """
    if end <= times[lo]:
        return hi
    i = lo
    while i < hi and times[i] < start:
        i += 1
    hi = split(times, free, hi, i, max(start, times[lo]))
    j = i
    while j < hi and times[j] < end:
        j += 1
    hi = split(times, free, hi, j, end)
    for k in range(i, j):
        free[k] += demand
    if free[j] == free[j - 1]:
        hi = _drop_step(times, free, hi, j)
    if i > lo and free[i] == free[i - 1]:
        hi = _drop_step(times, free, hi, i)
    return hi


@inlined
def split(times, free, hi, i, time):
    """Let a step begin at ``time``, whose place is ``i``. Returns the new ``hi``."""
    if i < hi and times[i] == time:
        return hi
    for k in range(hi, i, -1):
        times[k] = times[k - 1]
        free[k] = free[k - 1]
    times[i] = time
    free[i] = free[i - 1]
    return hi + 1


@inlined
def _drop_step(times, free, hi, i):
    for k in range(i, hi - 1):
        times[k] = times[k + 1]
        free[k] = free[k + 1]
    return hi - 1
