"""What the scheduler believes of run times while a replay goes on, and who tells it.

A predictor is a C function that the loops call at six events: a job is submitted (what is its E?), starts,
ends (learn from it), still waits after others have ended (what is its E now?), outlives E (how long will
it run?), or is cut short, to run again.
Compiled predictors are such functions; one in Python is wrapped in a C callback. So the loops are the same,
and stay compiled, for all of them. A kernel's state is the address of the table of its arrays (``slots``).
"""

from __future__ import annotations

import math

from numba import types

from packwise.compiled import inlined
from packwise.engine.slots import call_real
from packwise.engine.state import (
    ASK,
    BAD_EVENT,
    BAD_JOB,
    CORRECTION,
    CORRECTOR,
    CORRECTOR_STATE,
    DOUBLING,
    ENDED,
    KERNEL,
    NOW,
    QUEUE_HI,
    QUEUE_LO,
    STALE,
    STATE,
    STEPS,
    UPDATES,
    VALID,
)
from packwise.engine.waiting import resort

# The events of a kernel: kernel(event, job, time, state) -> seconds. ``time`` is now; for a job that has
# outlived its estimate, how long it has run. The answer counts for SUBMITTED, WAITING and OUTLIVED.
SUBMITTED, STARTED, FINISHED, WAITING, OUTLIVED, INTERRUPTED = range(6)

KERNEL_SIGNATURE = types.float64(types.int64, types.int64, types.int64, types.int64)

#: What an estimate that has run out grows by, one step after the other: Tsafrir et al., TPDS 2007.
GROWTH = (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)


@inlined
def ask(belief, c, event, job, limit):
    """The predictor's E of a job, rounded, between 1 s and the limit; 0 if it is not a number."""
    value = call_real(belief[KERNEL], (event, job, c[NOW], belief[STATE]))
    if not math.isfinite(value):
        refuse(c, event, job)
        return 0
    return math.floor(min(max(value, 1.0), float(limit)) + 0.5)


@inlined
def refuse(c, event, job):
    """Note that a predictor did not give a number. The first time counts: nothing is asked after it."""
    if c[BAD_JOB] < 0:
        c[BAD_JOB] = job
        c[BAD_EVENT] = event


@inlined
def tell(belief, c, event, job):
    """Let the predictor know that a job has started, ended or been cut short, and the corrector that it has
    ended.
    """
    value = call_real(belief[KERNEL], (event, job, c[NOW], belief[STATE]))
    if belief[CORRECTOR] != belief[KERNEL] and event == FINISHED:
        call_real(belief[CORRECTOR], (event, job, c[NOW], belief[CORRECTOR_STATE]))
    if not math.isfinite(value):
        refuse(c, event, job)


@inlined
def corrected(belief, jobs, clock, c, job):
    """A new E for a running job that has outlived its own: at most the limit, and at least a second and a
    twentieth more than it has run, so that no corrector can creep. 0 if the answer is not a number.
    """
    # What it has waited for nodes to boot is in its limit and its E, but is no run time.
    late = clock.late[job]
    limit = jobs.limit[job] - late
    elapsed = c[NOW] - clock.start[job] - late
    value = float(limit)
    if belief[CORRECTION] == STEPS:
        step = jobs.corrections[job]
        if step < len(GROWTH):
            value = float(clock.believed[job] + GROWTH[step])
    elif belief[CORRECTION] == DOUBLING:
        value = 2.0 * elapsed
    elif belief[CORRECTION] == ASK:
        value = call_real(belief[CORRECTOR], (OUTLIVED, job, elapsed, belief[CORRECTOR_STATE]))
        if not math.isfinite(value):
            refuse(c, OUTLIVED, job)
            return 0
    return late + math.floor(min(max(value, elapsed + 1 + elapsed // 20), float(limit)) + 0.5)


@inlined
def estimate_again(belief, jobs, queue, c):
    """Estimate the waiting jobs anew, if anything was learned at this moment. Whether any changed; an
    estimate that is not a number is noted in BAD_JOB.
    """
    if not belief[UPDATES] or c[ENDED] == 0:
        return False
    changed = False
    for k in range(c[QUEUE_LO], c[QUEUE_HI]):
        job = queue.job[k]
        estimate = ask(belief, c, WAITING, job, jobs.limit[job])
        if estimate == 0:
            return False
        if estimate != queue.estimate[k]:
            queue.estimate[k] = estimate
            jobs.estimate[job] = estimate
            changed = True
    return changed


@inlined
def update_queue(belief, rules, function, jobs, queue, c):
    """Estimate the waiting jobs anew; where one has changed, the plan is to be made anew. False if a sort
    key is not finite.
    """
    if not estimate_again(belief, jobs, queue, c):
        return True
    c[STALE] = 1
    c[VALID] = 0
    return resort(rules, function, jobs, queue, c)
