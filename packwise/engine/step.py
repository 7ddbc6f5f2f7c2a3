"""The step loop's compiled half: the same events, with the waiting and running sets kept for a view."""

from __future__ import annotations

from packwise.engine.belief import WAITING as STILL_WAITING
from packwise.engine.belief import ask
from packwise.engine.compiled import compiled, inlined
from packwise.engine.events import NO_ESTIMATE, QUIET, ROUND, advance, begin
from packwise.engine.state import ARRIVED, ENDED, FREE, NEW, NOW, UPDATES, Clock, Jobs

FUTURE, WAITING, RUNNING, ENDED_JOB, REJECTED = range(5)
WAITS, RUNS = 0, 1

OK, NOT_WAITING, NO_ROOM = range(3)


@compiled
def step_events(belief, job_table, clock_table, sets, c, sizes):
    """Move to the next round: ROUND, NOTHING (nothing is left) or NO_ESTIMATE (an estimate is not a number).
    ``sizes`` holds how many wait and run.

    Few arrays instead of many named ones: each that crosses from Python costs a microsecond.
    """
    jobs = _jobs(job_table)
    clock = _clock(clock_table)
    phase, waiting, running, expected = sets[0], sets[1], sets[2], sets[3]
    outcome = QUIET
    while outcome == QUIET:
        outcome = advance(belief, jobs, clock, c)
    if outcome != ROUND:
        return outcome
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
    if belief[UPDATES] and c[ENDED] > 0:
        for i in range(sizes[WAITS]):
            job = waiting[i]
            jobs.estimate[job] = ask(belief, c, STILL_WAITING, job, jobs.limit[job])
            if jobs.estimate[job] == 0:
                return NO_ESTIMATE
    return ROUND


@compiled
def step_start(belief, job_table, clock_table, sets, c, sizes, start, reject):
    """Start and reject jobs. Returns OK or what is wrong, and the job it is wrong about."""
    jobs = _jobs(job_table)
    clock = _clock(clock_table)
    phase, waiting, running = sets[0], sets[1], sets[2]
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
        begin(belief, jobs, clock, c, job)
        running[sizes[RUNS]] = job
        sizes[RUNS] += 1
    kept = 0
    for i in range(sizes[WAITS]):
        if phase[waiting[i]] == WAITING:
            waiting[kept] = waiting[i]
            kept += 1
    sizes[WAITS] = kept
    return OK, -1


@inlined
def _jobs(rows):
    return Jobs(
        rows[0],
        rows[1],
        rows[2],
        rows[3],
        rows[4],
        rows[5],
        rows[6],
        rows[7],
        rows[8],
        rows[9],
    )


@inlined
def _clock(rows):
    return Clock(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[8])
