"""Conservative backfilling (CBF): a start is promised at submission and never moves later.

Feitelson and Weil, IPPS 1998; N'Takpé and Suter, JSSPP 2017, section 2. Every waiting job holds a
reservation in one profile. A new job gets the earliest place that disturbs none of them. When a job ends
early, the plan is compressed: the waiting jobs, in submission order, move to an earlier place where there is
one; with ``at_once`` only those move that can start now, and the holes stay for others. When a job outlives
its estimate, the promises rest on a false belief; the waiting jobs are placed anew in submission order, and
only then can a start move later. A promise rests on the estimate given at submission, so waiting jobs are
not estimated again, whatever the predictor offers.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.bisection import position
from packwise.engine.kernel import kernel_of_state
from packwise.engine.pool.profile import (
    bring_forward,
    build_profile,
    earlier,
    earliest,
    give_back,
    has_room,
    hold,
    take,
    tidy,
    trim,
)
from packwise.engine.pool.rounds import note_release
from packwise.engine.pool.runs import add_runs, forget_runs, search_from
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    AT_ONCE,
    CLOCK,
    CORE,
    EARLY,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NO_TIME,
    NOW,
    OVERRAN,
    PLAN_HI,
    PLAN_LO,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    SCRATCH,
    WAKE,
    Clock,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import append_until

#: A queue of fewer jobs is compressed without the help of ``runs``.
SHORT = 16


@kernel_of_state
def conservative_round(state):
    """Bring the promises up to date, make new ones, and pick those promised for now."""
    c = group(state, CORE, Core).counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    append_until(jobs, queue, c, c[NEW])
    old = c[QUEUE_HI] - c[QUEUE_LO]
    believed = c[OVERRAN] == 0
    early = c[EARLY] > 0
    if c[PLAN_HI] == 0:
        profile_of_releases(machine, machine.times, machine.free, c, c)
        if believed:
            hold_promises(queue, machine, c, old)
    elif bring_up_to_date(jobs, clock, machine, c, c[NOW], c[ENDED], believed):
        early = True
    append_until(jobs, queue, c, c[ARRIVED])
    return round_conservative(queue, machine, c, scratch, c[AT_ONCE] > 0, old, early, not believed)


@inlined
def profile_of_releases(machine, times, free, c, window):
    """A profile that holds the running jobs only; ``window`` are the counters of its window."""
    window[PLAN_LO] = 0
    window[PLAN_HI] = build_profile(
        times,
        free,
        machine.rel_time,
        machine.rel_amount,
        c[REL_LO],
        c[REL_HI],
        c[NOW],
        c[FREE],
    )


@inlined
def hold_promises(queue, machine, c, old):
    """Put the places of the first ``old`` jobs of the queue, as remembered, into a profile that has none.

    What is remembered is checked against what is: the machine may have lost processors, an estimate may have
    been raised, a moment may have been missed. A place in the past becomes one now. Whoever has no room any
    longer is placed anew, behind those who have.
    """
    lo = c[QUEUE_LO]
    for k in range(lo, lo + old):
        job = queue.job[k]
        machine.planned[job] = max(machine.planned[job], c[NOW])
        if place_is_free(queue, machine, c, k):
            hold_promise(queue, machine, c, k)
        else:
            machine.planned[job] = -1
    for k in range(lo, lo + old):
        if machine.planned[queue.job[k]] < 0:
            promise(queue, machine, c, k)


@inlined
def place_is_free(queue, machine, c, k):
    """Whether there is room in the profile for the job at queue position ``k`` where it is planned."""
    start = machine.planned[queue.job[k]]
    return has_room(
        machine.times,
        machine.free,
        c[PLAN_LO],
        c[PLAN_HI],
        start,
        start + queue.estimate[k],
        queue.demand[k],
    )


@inlined
def bring_up_to_date(jobs, clock, machine, c, now, ended, believed):
    """Let the profile begin now and, if it is still ``believed``, give back what the jobs that ended early
    had reserved. Returns whether any did.
    """
    early = False
    c[PLAN_LO], c[PLAN_HI] = trim(machine.times, machine.free, c[PLAN_LO], c[PLAN_HI], now)
    for i in range(ended):
        job = clock.ended[i]
        expected = clock.start[job] + jobs.estimate[job]
        if expected > now:
            early = True
            if believed:
                c[PLAN_HI] = give_back(
                    machine.times,
                    machine.free,
                    c[PLAN_LO],
                    c[PLAN_HI],
                    now,
                    expected,
                    jobs.demand[job],
                )
    return early


@inlined
def round_conservative(queue, machine, c, scratch, at_once, old, early, overrun):
    """Compress after an early end, promise starts to the new jobs, and pick those promised for now.

    The next promised start goes into WAKE: the job whose end it was set by may end early and leave no
    event at that moment.

    The first ``old`` jobs of the queue hold promises in ``machine.planned`` and, unless a job has
    overrun its estimate, reservations in the profile.
    """
    now = c[NOW]
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    keep = old
    if overrun:
        keep = 0
        profile_of_releases(machine, machine.times, machine.free, c, c)
    elif early or at_once:
        compress(queue, machine, c, scratch.memo, lo + old, at_once)
    for k in range(lo + keep, hi):
        promise(queue, machine, c, k)
    for k in range(lo + old, hi):
        machine.promised[queue.job[k]] = machine.planned[queue.job[k]]
    count = 0
    c[OVERRAN] = 0
    c[WAKE] = NO_TIME
    for k in range(lo, hi):
        start = machine.planned[queue.job[k]]
        if start > now:
            c[WAKE] = min(c[WAKE], start)
        else:
            scratch.picked[count] = k
            count += 1
            c[FREE] -= queue.demand[k]
            note_release(queue, machine, c, k)
    return count


@apart
def promise(queue, machine, c, k):
    """Reserve the earliest place for the job at queue position ``k``."""
    times = machine.times
    demand = queue.demand[k]
    i, j = earliest(times, machine.free, c[PLAN_LO], c[PLAN_HI], demand, queue.estimate[k])
    start = times[i]
    c[PLAN_HI] = take(times, machine.free, c[PLAN_HI], i, j, start + queue.estimate[k], demand)
    machine.planned[queue.job[k]] = start


@inlined
def compress(queue, machine, c, runs, end, at_once):
    """Move the reservations of the queue before position ``end`` to earlier places, where there are any, one
    after another.

    An early end moves much of a long queue by a little, and most others have nowhere to go: ``runs`` say who
    has to be searched a place for, and from when on. A short queue is done before they are made.
    """
    times = machine.times
    free = machine.free
    helped = not at_once and end - c[QUEUE_LO] >= SHORT
    if helped:
        forget_runs(runs)
    for k in range(c[QUEUE_LO], end):
        start = machine.planned[queue.job[k]]
        demand, duration = queue.demand[k], queue.estimate[k]
        if start <= c[NOW] or (at_once and free[c[PLAN_LO]] < demand):
            continue
        lo, hi = c[PLAN_LO], c[PLAN_HI]
        first = lo
        if helped:
            top = position(times, lo, hi, start)
            first = search_from(times, free, lo, hi, top, demand, duration, runs)
            if first == top:
                continue
        if pull_forward(queue, machine, c, k, at_once, first) and helped:
            moved_to = machine.planned[queue.job[k]] + duration
            begin = max(moved_to, start)
            add_runs(times, free, lo, c[PLAN_HI], begin, start + duration, demand, runs)
    c[PLAN_HI] = tidy(times, free, c[PLAN_LO], c[PLAN_HI])


@apart
def pull_forward(queue, machine, c, k, at_once, first):
    """Move the reservation of the job at queue position ``k`` to an earlier place, if there is one from step
    ``first`` on; with ``at_once``, only to the present moment. Returns whether it moved.

    An earlier start needs room until the reservation begins; from then on the job has its own. The profile has
    to be tidied when all have been looked at.
    """
    times = machine.times
    free = machine.free
    lo = c[PLAN_LO]
    job = queue.job[k]
    start = machine.planned[job]
    demand, duration = queue.demand[k], queue.estimate[k]
    if c[PLAN_HI] + 3 > times.size:
        c[PLAN_HI] = tidy(times, free, lo, c[PLAN_HI])
        first = lo
    now, hi = times[lo], c[PLAN_HI]
    if at_once:
        until = min(start, now + duration)
        i = lo if start > now and has_room(times, free, lo, hi, now, until, demand) else -1
    else:
        i = earlier(times, free, first, position(times, lo, hi, start), demand, duration, start)
    if i < 0:
        return False
    machine.planned[job] = times[i]
    c[PLAN_HI] = bring_forward(times, free, hi, i, start, duration, demand)
    return True


@inlined
def hold_promise(queue, machine, c, k):
    """Put the reservation of the job at queue position ``k``, as planned, into the profile."""
    start = machine.planned[queue.job[k]]
    c[PLAN_HI] = hold(
        machine.times,
        machine.free,
        c[PLAN_LO],
        c[PLAN_HI],
        start,
        start + queue.estimate[k],
        queue.demand[k],
    )
