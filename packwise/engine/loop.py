"""The compiled event loop: one for all policies, whose rounds it calls by their address."""

from __future__ import annotations

from packwise.compiled import compiled, inlined
from packwise.engine.events import CHANGE, NO_ESTIMATE, NOTHING, QUIET, advance, begin
from packwise.engine.kernel import BAD_ESTIMATE
from packwise.engine.slots import call_whole, group
from packwise.engine.state import (
    BAD_JOB,
    CLOCK,
    CORE,
    ENDED,
    ENDS,
    JOBS,
    LOG,
    NEW,
    NOW,
    PAUSED,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    ROOM_KERNEL,
    ROUND_KERNEL,
    ROUNDS,
    SCRATCH,
    SLEEP_KERNEL,
    STARTING,
    Clock,
    Core,
    Jobs,
    Log,
    Queue,
    Scratch,
)
from packwise.engine.waiting import FAR, remove, to_front

#: Why a loop was left, if nothing is wrong: more is to come, nothing is, or nodes go out or come back, after
#: which it goes on with the round of this moment.
MORE, DONE, CHANGED = 0, 1, 2


@compiled
def run(state, rounds):
    """Run up to ``rounds`` rounds: MORE, DONE, CHANGED, or what is wrong (see ``kernel``)."""
    core = group(state, CORE, Core)
    c = core.counters
    belief = core.belief
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    scratch = group(state, SCRATCH, Scratch)
    log = group(state, LOG, Log)
    last = min(c[ROUNDS] + rounds, log.time.size)
    while c[ROUNDS] < last:
        if c[PAUSED] == 0:
            outcome = advance(belief, jobs, clock, c)
            if outcome == NOTHING:
                return DONE
            if outcome == NO_ESTIMATE:
                return BAD_ESTIMATE
            if c[ROOM_KERNEL] != 0:
                call_whole(c[ROOM_KERNEL], (state,))
            if c[SLEEP_KERNEL] != 0:
                c[STARTING] = 0
                call_whole(c[SLEEP_KERNEL], (state,))
            if outcome == QUIET:
                continue
            if outcome == CHANGE:
                if nothing_left(jobs, c):
                    return DONE
                c[PAUSED] = 1
                return CHANGED
        c[PAUSED] = 0
        count = call_whole(c[ROUND_KERNEL], (state,))
        if count < 0:
            return count
        log.time[c[ROUNDS]] = c[NOW]
        log.queued[c[ROUNDS]] = c[QUEUE_HI] - c[QUEUE_LO]
        log.started[c[ROUNDS]] = count
        if c[SLEEP_KERNEL] != 0 and count > 0:
            for m in range(count):
                scratch.slot[m] = queue.job[scratch.picked[m]]
            c[STARTING] = count
            call_whole(c[SLEEP_KERNEL], (state,))
        start_picked(belief, jobs, clock, queue, c, scratch, count)
        if c[BAD_JOB] >= 0:
            return BAD_ESTIMATE
        c[ROUNDS] += 1
    return MORE


@inlined
def nothing_left(jobs, c):
    """Whether all jobs have ended, before this moment."""
    here = c[ENDS] + c[ENDED] + c[QUEUE_HI] - c[QUEUE_LO]
    return here == 0 and c[NEW] == jobs.submit.size


@inlined
def start_picked(belief, jobs, clock, queue, c, scratch, count):
    """Start the jobs at the picked queue positions and take them out of the queue."""
    for m in range(count):
        begin(belief, jobs, clock, c, queue.job[scratch.picked[m]])
    # Ascending positions: each removal then moves the later ones up by one place.
    for m in range(1, count):
        k = scratch.picked[m]
        i = m
        while i > 0 and scratch.picked[i - 1] > k:
            scratch.picked[i] = scratch.picked[i - 1]
            i -= 1
        scratch.picked[i] = k
    lo = c[QUEUE_LO]
    for m in range(count):
        remove(queue, c, c[QUEUE_LO] + scratch.picked[m] - lo - m)
    if 2 * c[QUEUE_LO] > FAR + c[QUEUE_HI]:
        to_front(queue, c)
