"""Time: the next moment at which something happens, and what happens then.

At one moment: overrun corrections, then arrivals, then completions, then (in the loops) one round. A moment
that only brings corrections has no round: the scheduler runs when a job arrives or ends (or when it asked
to be woken), as in the simulator of Goponenko et al.
"""

from __future__ import annotations

from packwise.engine.compiled import inlined
from packwise.engine.heap import heap_pop, heap_push
from packwise.engine.state import (
    ARRIVED,
    CORRECTED,
    ENDED,
    ENDS,
    FREE,
    NEW,
    NO_TIME,
    NOW,
    OVERRUNS,
    WAKE,
)

NOTHING, QUIET, ROUND = range(3)


@inlined
def advance(jobs, clock, c):
    """Move to the next moment and apply its events: NOTHING (there is none), QUIET or ROUND."""
    n = jobs.submit.size
    now = c[WAKE]
    if c[ARRIVED] < n:
        now = min(now, jobs.submit[c[ARRIVED]])
    if c[ENDS] > 0:
        now = min(now, clock.end_time[0])
    if c[OVERRUNS] > 0:
        now = min(now, clock.over_time[0])
    if now == NO_TIME:
        return NOTHING
    c[NOW] = now
    outcome = QUIET
    if c[WAKE] <= now:
        c[WAKE] = NO_TIME
        outcome = ROUND

    # A job that outlives its estimate is believed to run to its limit. It is never cut at E.
    corrected = 0
    while c[OVERRUNS] > 0 and clock.over_time[0] <= now:
        job = clock.over_job[0]
        heap_pop(clock.over_time, clock.over_job, c[OVERRUNS])
        c[OVERRUNS] -= 1
        jobs.estimate[job] = jobs.limit[job]
        clock.corrected[corrected] = job
        corrected += 1
    c[CORRECTED] = corrected

    arrived = c[ARRIVED]
    c[NEW] = arrived
    while arrived < n and jobs.submit[arrived] <= now:
        arrived += 1
    c[ARRIVED] = arrived

    ended = 0
    while c[ENDS] > 0 and clock.end_time[0] <= now:
        job = clock.end_job[0]
        heap_pop(clock.end_time, clock.end_job, c[ENDS])
        c[ENDS] -= 1
        c[FREE] += jobs.demand[job]
        clock.ended[ended] = job
        ended += 1
    c[ENDED] = ended
    if ended > 0 or c[ARRIVED] > c[NEW]:
        outcome = ROUND
    return outcome


@inlined
def begin(jobs, clock, c, job):
    """Start a job at this moment. The caller has taken its processors from FREE."""
    now = c[NOW]
    clock.start[job] = now
    heap_push(clock.end_time, clock.end_job, c[ENDS], now + jobs.runtime[job], job)
    c[ENDS] += 1
    if jobs.estimate[job] < jobs.runtime[job]:
        heap_push(clock.over_time, clock.over_job, c[OVERRUNS], now + jobs.estimate[job], job)
        c[OVERRUNS] += 1
