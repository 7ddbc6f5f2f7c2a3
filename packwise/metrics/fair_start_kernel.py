"""Fair start times of all jobs, compiled. See ``fair_start`` for the definition."""

from __future__ import annotations

import numpy as np
from numba import njit

from packwise.model.workload import Ints


@njit(cache=True)
def fair_starts(submit: Ints, start: Ints, end: Ints, demand: Ints, procs: int) -> Ints:
    """One fair start per job. Jobs are sorted by submission; each fits on the machine by itself.

    The plan (fair starts of the waiting jobs) is kept from one arrival to the next as long as the
    schedule does what it says: every planned start was kept and nothing else started. Then planning
    afresh would give the same plan, because a job that started around the others' reservations
    takes nothing from them, and no job can do better than before. Only when the schedule departs
    from the plan is everything planned again.
    """
    n = len(submit)
    fair = np.empty(n, np.int64)
    waiting = np.empty(n, np.int64)
    running = np.empty(n, np.int64)
    times = np.empty(2 * n + 2, np.int64)
    free = np.empty(2 * n + 2, np.int64)
    planned = np.empty(n, np.int64)
    waits = runs = 0
    steps = 1
    times[0], free[0] = submit[0], procs
    for job in range(n):
        now = submit[job]
        departed = False
        kept = 0
        for k in range(waits):
            other = waiting[k]
            if start[other] < now:
                departed |= planned[other] != start[other]
                running[runs] = other
                runs += 1
            else:
                departed |= planned[other] < now
                waiting[kept] = other
                kept += 1
        waits = kept
        kept = 0
        for k in range(runs):
            if end[running[k]] > now:
                running[kept] = running[k]
                kept += 1
        runs = kept
        if departed:
            steps = _running_only(times, free, running[:runs], end, demand, procs, now)
            for k in range(waits):
                other = waiting[k]
                length = end[other] - start[other]
                planned[other], steps = _place(times, free, steps, now, demand[other], length)
        else:
            steps = _forget(times, free, steps, now)
        planned[job], steps = _place(times, free, steps, now, demand[job], end[job] - start[job])
        fair[job] = planned[job]
        waiting[waits] = job
        waits += 1
    return fair


@njit(cache=True)
def _running_only(
    times: Ints, free: Ints, running: Ints, end: Ints, demand: Ints, procs: int, now: int
) -> int:
    """The profile with nothing but the running jobs in it; returns its number of steps."""
    level = procs
    for job in running:
        level -= demand[job]
    times[0], free[0] = now, level
    steps = 1
    for job in running[np.argsort(end[running])]:
        level += demand[job]
        if end[job] != times[steps - 1]:
            times[steps] = end[job]
            steps += 1
        free[steps - 1] = level
    return steps


@njit(cache=True)
def _forget(times: Ints, free: Ints, steps: int, now: int) -> int:
    """Drop the steps that ended before ``now``."""
    first = 0
    while first + 1 < steps and times[first + 1] <= now:
        first += 1
    if first > 0:
        for k in range(first, steps):
            times[k - first], free[k - first] = times[k], free[k]
    times[0] = now
    return steps - first


@njit(cache=True)
def _place(
    times: Ints, free: Ints, steps: int, now: int, demand: int, length: int
) -> tuple[int, int]:
    """Reserve at the earliest time at which ``demand`` stays free for ``length`` seconds."""
    first = 0
    k = 0
    while True:
        if free[k] < demand:
            first = k + 1
        elif k + 1 == steps or times[k + 1] >= times[first] + length:
            break
        k += 1
    begin = times[first]
    until = begin + length
    last = first
    while last + 1 < steps and times[last + 1] < until:
        last += 1
    if last + 1 == steps or times[last + 1] != until:  # cut the last step in two at ``until``
        for m in range(steps, last + 1, -1):
            times[m], free[m] = times[m - 1], free[m - 1]
        times[last + 1], free[last + 1] = until, free[last]
        steps += 1
    for m in range(first, last + 1):
        free[m] -= demand
    return begin, steps
