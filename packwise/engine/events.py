"""Time: the next moment at which something happens, and what happens then.

At one moment: overrun corrections, then arrivals (their E is asked for), then completions in the order in
which the jobs were started (the predictor learns from them), then (in the loops) one round. A moment that
only brings corrections has no round: the scheduler runs when a job arrives or ends (or when it asked
to be woken), as in the simulator of Goponenko et al.; and when nodes go out or come back, which is seen to by
``packwise.engine.nodes.outages`` between the events and the round.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.belief import FINISHED, STARTED, SUBMITTED, ask, corrected, tell
from packwise.engine.heap import heap_pop, heap_push
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    BEGUN,
    CHANGES,
    CORRECTED,
    ENDED,
    ENDS,
    FREE,
    LEARNS,
    NEW,
    NO_TIME,
    NOW,
    OUT_CHANGED,
    OUT_NEW,
    OVERRUNS,
    RETURNED,
    WAKE,
)

NOTHING, QUIET, ROUND, NO_ESTIMATE, CHANGE = range(5)


@inlined
def advance(belief, jobs, clock, c):
    """Move to the next moment and apply its events: NOTHING (there is none), QUIET, ROUND, CHANGE (of the
    nodes, and then a round), or NO_ESTIMATE (the predictor's answer was not a number: BAD_JOB says for whom).
    """
    n = jobs.submit.size
    now = c[WAKE]
    if c[ARRIVED] < n:
        now = min(now, jobs.submit[c[ARRIVED]])
    if c[ENDS] > 0:
        now = min(now, clock.end_time[0])
    if c[OVERRUNS] > 0:
        now = min(now, clock.over_time[0])
    if c[CHANGES] < clock.change.size:
        now = min(now, clock.change[c[CHANGES]])
    if now == NO_TIME:
        return NOTHING
    c[NOW] = now
    c[OUT_CHANGED] = 0
    c[OUT_NEW] = 0
    c[RETURNED] = 0
    outcome = QUIET
    if c[WAKE] <= now:
        c[WAKE] = NO_TIME
        outcome = ROUND

    # A job that outlives its estimate gets a new one. It is never cut at E.
    expired = 0
    while c[OVERRUNS] > 0 and clock.over_time[0] <= now:
        job = clock.over_job[0]
        heap_pop(clock.over_time, clock.over_job, c[OVERRUNS])
        c[OVERRUNS] -= 1
        estimate = corrected(belief, jobs, clock, c, job)
        if estimate == 0:
            return NO_ESTIMATE
        jobs.estimate[job] = estimate
        jobs.corrections[job] += 1
        clock.corrected[expired] = job
        expired += 1
        if estimate < jobs.runtime[job]:
            heap_push(
                clock.over_time, clock.over_job, c[OVERRUNS], clock.start[job] + estimate, job
            )
            c[OVERRUNS] += 1
    c[CORRECTED] = expired

    arrived = c[ARRIVED]
    c[NEW] = arrived
    while arrived < n and jobs.submit[arrived] <= now:
        if belief[LEARNS]:
            estimate = ask(belief, c, SUBMITTED, arrived, jobs.limit[arrived])
            jobs.estimate[arrived] = estimate
            jobs.first[arrived] = estimate
        arrived += 1
    c[ARRIVED] = arrived

    ended = 0
    while c[ENDS] > 0 and clock.end_time[0] <= now:
        job = clock.begun[clock.end_place[0]]
        heap_pop(clock.end_time, clock.end_place, c[ENDS])
        c[ENDS] -= 1
        c[FREE] += jobs.demand[job]
        clock.ended[ended] = job
        ended += 1
        if belief[LEARNS]:
            tell(belief, c, FINISHED, job)
    c[ENDED] = ended
    if c[BAD_JOB] >= 0:
        return NO_ESTIMATE
    if ended > 0 or c[ARRIVED] > c[NEW]:
        outcome = ROUND
    if c[CHANGES] < clock.change.size and clock.change[c[CHANGES]] <= now:
        c[CHANGES] += 1
        outcome = CHANGE
    return outcome


@inlined
def begin(belief, jobs, clock, c, job):
    """Start a job at this moment. The caller has taken its processors from FREE."""
    now = c[NOW]
    clock.start[job] = now
    clock.believed[job] = jobs.estimate[job] - clock.late[job]
    clock.begun[c[BEGUN]] = job
    heap_push(clock.end_time, clock.end_place, c[ENDS], now + jobs.runtime[job], c[BEGUN])
    c[ENDS] += 1
    c[BEGUN] += 1
    if belief[LEARNS]:
        tell(belief, c, STARTED, job)
    if jobs.estimate[job] < jobs.runtime[job]:
        heap_push(clock.over_time, clock.over_job, c[OVERRUNS], now + jobs.estimate[job], job)
        c[OVERRUNS] += 1
