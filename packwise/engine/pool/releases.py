"""Releases: when running jobs are expected to give their processors back.

A window [lo, hi) of two arrays (time, demand), sorted by time, one entry per distinct time. Entries
leave at the front as time passes, so ``lo`` moves on and ``hi`` grows; ``compact`` moves the window
back to the front of the arrays when ``hi`` reaches their end.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.bisection import position


@inlined
def add_release(times, amounts, lo, hi, time, amount):
    """Note that ``amount`` processors come back at ``time``. Returns the new ``hi``."""
    i = position(times, lo, hi, time)
    if i < hi and times[i] == time:
        amounts[i] += amount
        return hi
    for k in range(hi, i, -1):
        times[k] = times[k - 1]
        amounts[k] = amounts[k - 1]
    times[i] = time
    amounts[i] = amount
    return hi + 1


@inlined
def drop_release(times, amounts, lo, hi, time, amount):
    """Take back a release noted before. Returns the new ``lo`` and ``hi``."""
    i = position(times, lo, hi, time)
    amounts[i] -= amount
    if amounts[i] > 0:
        return lo, hi
    if i == lo:
        return lo + 1, hi
    for k in range(i, hi - 1):
        times[k] = times[k + 1]
        amounts[k] = amounts[k + 1]
    return lo, hi - 1


@inlined
def compact(times, amounts, lo, hi):
    """Move the window to the front of its arrays. Returns the new ``hi``."""
    for k in range(hi - lo):
        times[k] = times[lo + k]
        amounts[k] = amounts[lo + k]
    return hi - lo
