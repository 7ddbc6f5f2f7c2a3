"""The step loop's compiled half: the same events, with the waiting and running sets kept for a view."""

from __future__ import annotations

from typing import NamedTuple

from packwise.compiled import compiled, inlined
from packwise.engine.belief import WAITING as STILL_WAITING
from packwise.engine.belief import ask
from packwise.engine.events import NO_ESTIMATE, QUIET, ROUND, advance, begin
from packwise.engine.memory import Group
from packwise.engine.slots import call_whole, group
from packwise.engine.state import (
    ARRIVED,
    CLOCK,
    CORE,
    ENDED,
    FREE,
    JOBS,
    NEW,
    NOW,
    POLICY,
    QUEUE,
    RETURNED,
    ROOM_KERNEL,
    SCRATCH,
    SLEEP_KERNEL,
    STARTING,
    UPDATES,
    Clock,
    Core,
    Jobs,
    Queue,
    Scratch,
)
from packwise.model.workload import Ints

FUTURE, WAITING, RUNNING, ENDED_JOB, REJECTED = range(5)
WAITS, RUNS = 0, 1


class Sets(NamedTuple):
    """The phase of each job, and who waits and runs, with expected ends; ``sizes`` says how many they are.

    ``start`` and ``reject`` are what a policy has decided.
    """

    phase: Ints
    waiting: Ints
    running: Ints
    expected: Ints
    start: Ints
    reject: Ints
    sizes: Ints


def new_sets(jobs: int) -> Group:
    """Nobody has come yet."""
    return Group(Sets, (*(jobs,) * 6, 2))


@compiled
def step_events(state):
    """Move to the next round: ROUND, NOTHING (nothing is left), NO_ESTIMATE (an estimate is not a number), or
    CHANGE (nodes go out or come back: when that is done, ``step_sets`` goes on).
    """
    core = group(state, CORE, Core)
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    outcome = QUIET
    while outcome == QUIET:
        outcome = advance(core.belief, jobs, clock, core.counters)
        if core.counters[ROOM_KERNEL] != 0:
            call_whole(core.counters[ROOM_KERNEL], (state,))
        if core.counters[SLEEP_KERNEL] != 0:
            core.counters[STARTING] = 0
            call_whole(core.counters[SLEEP_KERNEL], (state,))
    return bring_up_to_date(state) if outcome == ROUND else outcome


@compiled
def step_sets(state):
    """After a CHANGE: ROUND or NO_ESTIMATE."""
    return bring_up_to_date(state)


@inlined
def bring_up_to_date(state):
    """Bring the sets up to date with the events of this moment."""
    core = group(state, CORE, Core)
    c = core.counters
    belief = core.belief
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    sets = group(state, POLICY, Sets)
    sizes = sets.sizes
    for i in range(c[RETURNED]):
        job = queue.returned[i]
        sets.phase[job] = WAITING
        place = sizes[WAITS]
        while place > 0 and sets.waiting[place - 1] > job:
            sets.waiting[place] = sets.waiting[place - 1]
            place -= 1
        sets.waiting[place] = job
        sizes[WAITS] += 1
    for job in range(c[NEW], c[ARRIVED]):
        sets.phase[job] = WAITING
        sets.waiting[sizes[WAITS]] = job
        sizes[WAITS] += 1
    for i in range(c[ENDED]):
        sets.phase[clock.ended[i]] = ENDED_JOB
    kept = 0
    for i in range(sizes[RUNS]):
        job = sets.running[i]
        if sets.phase[job] == RUNNING:
            sets.running[kept] = job
            # An estimate may have been corrected; an expected end is never in the past.
            sets.expected[kept] = max(clock.start[job] + jobs.estimate[job], c[NOW] + 1)
            kept += 1
    sizes[RUNS] = kept
    if belief[UPDATES] and c[ENDED] > 0:
        for i in range(sizes[WAITS]):
            job = sets.waiting[i]
            jobs.estimate[job] = ask(belief, c, STILL_WAITING, job, jobs.limit[job])
            if jobs.estimate[job] == 0:
                return NO_ESTIMATE
    return ROUND


@compiled
def step_start(state, starts, rejects):
    """Start and reject the first so many of ``sets.start`` and ``sets.reject``, which a referee has checked."""
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    sets = group(state, POLICY, Sets)
    sizes = sets.sizes
    for i in range(rejects):
        sets.phase[sets.reject[i]] = REJECTED
    if c[SLEEP_KERNEL] != 0 and starts > 0:
        scratch = group(state, SCRATCH, Scratch)
        for i in range(starts):
            scratch.slot[i] = sets.start[i]
        c[STARTING] = starts
        call_whole(c[SLEEP_KERNEL], (state,))
    for i in range(starts):
        job = sets.start[i]
        c[FREE] -= jobs.demand[job]
        sets.phase[job] = RUNNING
        begin(core.belief, jobs, clock, c, job)
        sets.running[sizes[RUNS]] = job
        sizes[RUNS] += 1
    kept = 0
    for i in range(sizes[WAITS]):
        if sets.phase[sets.waiting[i]] == WAITING:
            sets.waiting[kept] = sets.waiting[i]
            kept += 1
    sizes[WAITS] = kept
