"""The step loop's compiled half: the same events, with the waiting and running sets kept for a view."""

from __future__ import annotations

from numba import njit

from packwise.engine.events import advance, begin
from packwise.engine.state import ARRIVED, ENDED, FREE, NEW, NOW

FUTURE, WAITING, RUNNING, ENDED_JOB, REJECTED = range(5)
WAITS, RUNS = 0, 1

OK, NOT_WAITING, NO_ROOM = range(3)


@njit(cache=True)
def step_events(jobs, clock, c, phase, waiting, running, expected, sizes):
    """Move to the next moment. ``sizes`` holds how many wait and run. False when nothing is left."""
    if not advance(jobs, clock, c):
        return False
    for job in range(c[NEW], c[ARRIVED]):
        phase[job] = WAITING
        waiting[sizes[WAITS]] = job
        sizes[WAITS] += 1
    for i in range(c[ENDED]):
        phase[clock.ended[i]] = ENDED_JOB
    kept = 0
    for i in range(sizes[RUNS]):
        job = running[i]
        if phase[job] == RUNNING:
            running[kept] = job
            # An estimate may have been corrected; an expected end is never in the past.
            expected[kept] = max(clock.start[job] + jobs.estimate[job], c[NOW] + 1)
            kept += 1
    sizes[RUNS] = kept
    return True


@njit(cache=True)
def step_start(jobs, clock, c, phase, waiting, running, sizes, start, reject):
    """Start and reject jobs. Returns OK or what is wrong, and the job it is wrong about."""
    n = c[ARRIVED]
    for job in reject:
        if job < 0 or job >= n or phase[job] != WAITING:
            return NOT_WAITING, job
        phase[job] = REJECTED
    for job in start:
        if job < 0 or job >= n or phase[job] != WAITING:
            return NOT_WAITING, job
        if jobs.demand[job] > c[FREE]:
            return NO_ROOM, job
        c[FREE] -= jobs.demand[job]
        phase[job] = RUNNING
        begin(jobs, clock, c, job)
        running[sizes[RUNS]] = job
        sizes[RUNS] += 1
    kept = 0
    for i in range(sizes[WAITS]):
        if phase[waiting[i]] == WAITING:
            waiting[kept] = waiting[i]
            kept += 1
    sizes[WAITS] = kept
    return OK, -1
