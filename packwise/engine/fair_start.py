"""Fair start times of all jobs of a schedule. ``packwise.metrics.fair_start`` has the definition."""

from __future__ import annotations

import numpy as np

from packwise.compiled import compiled, inlined
from packwise.engine.pool.profile import build_profile, earliest, take, trim
from packwise.engine.pool.releases import add_release
from packwise.engine.slots import borrow


@compiled
def fair_starts(submit, start, end, demand, procs):
    """One fair start per job. Jobs are sorted by submission; each fits on the machine by itself.

    The plan (fair starts of the waiting jobs) is kept from one arrival to the next as long as the
    schedule does what it says: every planned start was kept and nothing else started. Then planning
    afresh would give the same plan, because a job that started around the others' reservations
    takes nothing from them, and no job can do better than before. Only when the schedule departs
    from the plan is everything planned again.
    """
    n = len(submit)
    waiting = np.empty(n, np.int64)
    running = np.empty(n, np.int64)
    planned = np.empty(n, np.int64)
    fair = np.empty(n, np.int64)
    own = np.empty((4, 4 * n + 16), np.int64)
    room = borrow(own)
    times, free, rel_time, rel_amount = room[0], room[1], room[2], room[3]
    waits = runs = 0
    lo = 0
    hi = build_profile(times, free, rel_time, rel_amount, 0, 0, submit[0], procs)
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
            level = procs
            rel_hi = 0
            for k in range(runs):
                other = running[k]
                level -= demand[other]
                rel_hi = add_release(rel_time, rel_amount, 0, rel_hi, end[other], demand[other])
            lo = 0
            hi = build_profile(times, free, rel_time, rel_amount, 0, rel_hi, now, level)
            for k in range(waits):
                other = waiting[k]
                length = end[other] - start[other]
                planned[other], hi = place(times, free, lo, hi, demand[other], length)
        else:
            lo, hi = trim(times, free, lo, hi, now)
        fair[job], hi = place(times, free, lo, hi, demand[job], end[job] - start[job])
        planned[job] = fair[job]
        waiting[waits] = job
        waits += 1
    return fair


@inlined
def place(times, free, lo, hi, demand, length):
    """Reserve at the earliest time. Returns the start and the new ``hi``."""
    i, j = earliest(times, free, lo, hi, demand, length)
    start = times[i]
    return start, take(times, free, hi, i, j, start + length, demand)
