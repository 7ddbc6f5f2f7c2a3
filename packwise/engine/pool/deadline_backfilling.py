"""Deadline-based backfilling (DBF): jobs that only have to be done by a date make room for the others.

N'Takpé and Suter, JSSPP 2017, section 4 and algorithm 1, on top of conservative backfilling. The places of
definitive jobs (their list L0) never move later: regular jobs, and those with a deadline that could not give
way any longer. Tentative jobs (L1) have a deadline that their place meets; they are placed anew, in submission
order, behind every regular job that arrives, and become definitive when they would be late.

There are two profiles: ``base`` with the running and the definitive jobs, and that of ``machine`` with the
tentative ones as well, each with counters for its window.

Two things go beyond the paper. Algorithm 1 does not look at the deadlines again after its last step, and
placing jobs greedily has anomalies: more room for one can mean a later place for another. Where a deadline
that the plan kept would be broken, the plan is left as it was and the arriving job goes around all of it,
as in conservative backfilling. And the paper does not say what happens when a job ends early: here the
definitive jobs move forward first, as if the tentative ones were not there, and those are placed anew, with the
same care.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.bisection import position
from packwise.engine.kernel import kernel_of_state
from packwise.engine.pool.conservative import (
    bring_up_to_date,
    hold_promise,
    place_is_free,
    profile_of_releases,
    promise,
    pull_forward,
)
from packwise.engine.pool.profile import copy_profile, earliest, give_back, take, tidy
from packwise.engine.pool.rounds import note_release
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    AT_ONCE,
    CLOCK,
    CORE,
    DEFINITE,
    EARLY,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    MEMOS,
    NEW,
    NO_TIME,
    NOW,
    OVERRAN,
    PLAN_HI,
    PLAN_LO,
    POLICY,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    SCRATCH,
    WAKE,
    Clock,
    Core,
    Jobs,
    Lists,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import append_until
from packwise.model.workload import NO_DEADLINE

#: What a waiting job's place is. PROMOTED: definitive as soon as the round's plan is accepted (Ltmp).
DEFINITIVE, TENTATIVE, PROMOTED = range(3)

#: In ``Lists.kept``: steps of the profiles that were kept, and profiles built so far.
BASE, FULL, BUILT = range(3)

NOBODY = -1


@kernel_of_state
def deadline_round(state):
    """Bring the plan up to date, find places for those who have come, and pick those to start now."""
    c = group(state, CORE, Core).counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    lists = group(state, POLICY, Lists)
    base = group(state, DEFINITE, Machine)
    b = lists.counters
    append_until(jobs, queue, c, c[NEW])
    old = c[QUEUE_HI] - c[QUEUE_LO]
    believed = c[OVERRAN] == 0
    early = c[EARLY] > 0
    if c[PLAN_HI] == 0:
        profile_of_releases(machine, machine.times, machine.free, c, c)
        profile_of_releases(machine, base.times, base.free, c, b)
        believed = believed and _hold_plan(queue, machine, c, base, b, lists, old)
    else:
        if bring_up_to_date(jobs, clock, machine, c, c[NOW], c[ENDED], believed):
            early = True
        bring_up_to_date(jobs, clock, base, b, c[NOW], c[ENDED], believed)
    append_until(jobs, queue, c, c[ARRIVED])
    at_once = c[AT_ONCE] > 0
    return round_deadline_backfilling(
        jobs, queue, machine, c, base, b, lists, scratch, at_once, old, early, not believed
    )


@inlined
def _hold_plan(queue, machine, c, base, b, lists, old):
    """Put the plan as it is remembered into profiles that hold the running jobs only. Returns whether all of
    it has room: if not, it is void.
    """
    lo = c[QUEUE_LO]
    for k in range(lo, lo + old):
        job = queue.job[k]
        machine.planned[job] = max(machine.planned[job], c[NOW])
        if not place_is_free(queue, machine, c, k):
            return False
        hold_promise(queue, machine, c, k)
        if lists.kind[job] == DEFINITIVE:
            hold_promise(queue, base, b, k)
    return True


@inlined
def round_deadline_backfilling(
    jobs, queue, machine, c, base, b, lists, scratch, at_once, old, early, overrun
):
    """Bring the plan up to date, find places for the new jobs one by one, and pick those to start now.

    The first ``old`` jobs of the queue are in ``lists`` and have places in ``machine.planned`` and, unless a
    job has overrun its estimate, in the profiles.
    """
    now = c[NOW]
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    # First the plan of those who wait, at the place before the first new job; then the new jobs, one by one.
    # They share the code below, which is compiled into this function.
    for k in range(lo + old - 1, hi):
        newest = NOBODY if k < lo + old else queue.job[k]
        if newest != NOBODY:
            settle = _admit(jobs, queue, machine, c, base, b, lists, k)
        elif overrun:
            settle = True
            _start_over(queue, machine, c, base, b, lists, k + 1)
        else:
            settle = (early or at_once) and _bring_forward(
                queue, machine, c, base, b, lists, at_once, k + 1
            )
        if settle:
            kept = _settle(jobs, queue, machine, c, base, b, lists, scratch, k + 1, newest)
            if kept or (overrun and newest == NOBODY):
                _accept(queue, base, b, lists, lo, k + 1)
            else:
                _leave_as_it_was(queue, machine, c, base, b, lists, at_once, k, newest)
        if newest != NOBODY:
            machine.promised[newest] = machine.planned[newest]
            if lists.kind[newest] == TENTATIVE:
                machine.promised[newest] = jobs.deadline[newest] - queue.estimate[k]
    count = 0
    c[OVERRAN] = 0
    c[WAKE] = NO_TIME
    for k in range(lo, hi):
        job = queue.job[k]
        start = machine.planned[job]
        if start > now:
            c[WAKE] = min(c[WAKE], start)
            continue
        if lists.kind[job] == TENTATIVE:
            hold_promise(queue, base, b, k)
        scratch.picked[count] = k
        count += 1
        c[FREE] -= queue.demand[k]
        note_release(queue, machine, c, k)
    return count


@inlined
def _admit(jobs, queue, machine, c, base, b, lists, k):
    """Take up the new job at queue position ``k``. Returns whether others have to give way to it.

    A job with a deadline takes the earliest place among all others and is tentative, if it ends in time
    there; if it does not, it is treated as a regular job.
    """
    job = queue.job[k]
    if jobs.deadline[job] != NO_DEADLINE:
        promise(queue, machine, c, k)
        if not _late(jobs, queue, k, machine.planned[job]):
            lists.kind[job] = TENTATIVE
            return False
        _give_back(queue, machine, c, k, machine.planned[job])
    lo = c[QUEUE_LO]
    for other in range(lo, k):
        if lists.kind[queue.job[other]] == TENTATIVE:
            _keep_plan(queue, machine, c, base, b, lists, lo, k)
            lists.kind[job] = PROMOTED
            return True
    lists.kind[job] = DEFINITIVE
    promise(queue, machine, c, k)
    hold_promise(queue, base, b, k)
    return False


@inlined
def _bring_forward(queue, machine, c, base, b, lists, at_once, end):
    """After an early end: move definitive jobs forward, as if there were no others. Returns whether any moved,
    so that the tentative ones have to be placed anew; if not, those have been moved forward.
    """
    lo = c[QUEUE_LO]
    _keep_plan(queue, machine, c, base, b, lists, lo, end)
    moved = False
    for k in range(lo, end):
        definitive = lists.kind[queue.job[k]] == DEFINITIVE
        if definitive and pull_forward(queue, base, b, k, at_once, b[PLAN_LO]):
            moved = True
    b[PLAN_HI] = tidy(base.times, base.free, b[PLAN_LO], b[PLAN_HI])
    if not moved:
        for k in range(lo, end):
            if lists.kind[queue.job[k]] == TENTATIVE:
                pull_forward(queue, machine, c, k, at_once, c[PLAN_LO])
        c[PLAN_HI] = tidy(machine.times, machine.free, c[PLAN_LO], c[PLAN_HI])
    return moved


@inlined
def _leave_as_it_was(queue, machine, c, base, b, lists, at_once, k, newest):
    """A deadline would be broken: the plan stays as it was before the new job at queue position ``k``, which
    goes around it; or before an early end, after which all then move forward around one another.
    """
    lo = c[QUEUE_LO]
    end = k if newest != NOBODY else k + 1
    _bring_plan_back(queue, machine, c, base, b, lists, lo, end)
    if newest != NOBODY:
        lists.kind[newest] = DEFINITIVE
        promise(queue, machine, c, k)
        hold_promise(queue, base, b, k)
        return
    for other in range(lo, end):
        before = machine.planned[queue.job[other]]
        moved = pull_forward(queue, machine, c, other, at_once, c[PLAN_LO])
        if moved and lists.kind[queue.job[other]] == DEFINITIVE:
            _give_back(queue, base, b, other, before)
            hold_promise(queue, base, b, other)
    c[PLAN_HI] = tidy(machine.times, machine.free, c[PLAN_LO], c[PLAN_HI])


@inlined
def _start_over(queue, machine, c, base, b, lists, end):
    """After an overrun, which makes the plan void: place the definitive jobs anew."""
    profile_of_releases(machine, base.times, base.free, c, b)
    for k in range(c[QUEUE_LO], end):
        if lists.kind[queue.job[k]] == DEFINITIVE:
            promise(queue, base, b, k)


@inlined
def _settle(jobs, queue, machine, c, base, b, lists, scratch, end, newest):
    """Lines 4 to 35 of algorithm 1. Returns whether every deadline that was kept so far still is.

    The promoted jobs are placed before the tentative ones, both in submission order; a tentative one that is
    late is promoted, and all is placed anew. If a promoted one is late all the same, the tentative ones that
    were submitted before it go ahead as well: skipping them may have cut the room into other pieces.
    """
    lo = c[QUEUE_LO]
    last = False
    while True:
        late = _place(jobs, queue, machine, c, base, b, lists, scratch, lo, end, not last)
        if last:
            break
        if late >= 0:
            lists.kind[queue.job[late]] = PROMOTED
            continue
        latest = -1
        for k in range(lo, end):
            job = queue.job[k]
            bound = lists.kind[job] == PROMOTED and job != newest
            if bound and _late(jobs, queue, k, machine.planned[job]):
                latest = jobs.submit[job]
        if latest < 0:
            break
        for k in range(lo, end):
            job = queue.job[k]
            if lists.kind[job] == TENTATIVE and jobs.submit[job] < latest:
                lists.kind[job] = PROMOTED
        last = True
    for k in range(lo, end):
        job = queue.job[k]
        moved = lists.kind[job] != DEFINITIVE and job != newest
        kept = moved and not _late(jobs, queue, k, lists.planned[k - lo])
        if kept and _late(jobs, queue, k, machine.planned[job]):
            return False
    return True


@apart
def _place(jobs, queue, machine, c, base, b, lists, scratch, lo, end, stop):
    """Place promoted and then tentative jobs around the definitive ones. With ``stop``, returns the position
    of the first tentative job that is late, and leaves those behind it without a place; -1 if there is none.
    """
    lists.kept[BUILT] += 1
    c[PLAN_LO] = 0
    c[PLAN_HI] = copy_profile(
        base.times, base.free, b[PLAN_LO], b[PLAN_HI], machine.times, machine.free
    )
    for kind in (PROMOTED, TENTATIVE):
        for k in range(lo, end):
            job = queue.job[k]
            if lists.kind[job] == kind:
                _place_job(queue, machine, c, scratch, lists.kept[BUILT], k)
                if stop and kind == TENTATIVE and _late(jobs, queue, k, machine.planned[job]):
                    return k
    return -1


@apart
def _place_job(queue, machine, c, scratch, built, k):
    """Like ``promise``; but a job with the demand and estimate of one that was placed since the profile was
    ``built`` starts no earlier, so the search begins there.
    """
    times = machine.times
    demand = queue.demand[k]
    estimate = queue.estimate[k]
    memo = 4 * ((demand * 40503 + estimate * 2654435761 >> 7) % MEMOS)
    first = c[PLAN_LO]
    if (
        scratch.memo[memo] == built
        and scratch.memo[memo + 1] == demand
        and scratch.memo[memo + 2] == estimate
    ):
        first = position(times, first, c[PLAN_HI], scratch.memo[memo + 3])
    i, j = earliest(times, machine.free, first, c[PLAN_HI], demand, estimate)
    start = times[i]
    scratch.memo[memo] = built
    scratch.memo[memo + 1] = demand
    scratch.memo[memo + 2] = estimate
    scratch.memo[memo + 3] = start
    c[PLAN_HI] = take(times, machine.free, c[PLAN_HI], i, j, start + estimate, demand)
    machine.planned[queue.job[k]] = start


@inlined
def _accept(queue, base, b, lists, lo, end):
    """Make the promoted jobs definitive, where they are."""
    for k in range(lo, end):
        if lists.kind[queue.job[k]] == PROMOTED:
            lists.kind[queue.job[k]] = DEFINITIVE
            hold_promise(queue, base, b, k)


@inlined
def _keep_plan(queue, machine, c, base, b, lists, lo, end):
    """Remember the profiles and the planned starts."""
    lists.kept[FULL] = copy_profile(
        machine.times, machine.free, c[PLAN_LO], c[PLAN_HI], lists.full_times, lists.full_free
    )
    lists.kept[BASE] = copy_profile(
        base.times, base.free, b[PLAN_LO], b[PLAN_HI], lists.base_times, lists.base_free
    )
    for k in range(lo, end):
        lists.planned[k - lo] = machine.planned[queue.job[k]]


@inlined
def _bring_plan_back(queue, machine, c, base, b, lists, lo, end):
    """The plan as it was kept: no job has been promoted."""
    c[PLAN_LO] = 0
    c[PLAN_HI] = copy_profile(
        lists.full_times, lists.full_free, 0, lists.kept[FULL], machine.times, machine.free
    )
    b[PLAN_LO] = 0
    b[PLAN_HI] = copy_profile(
        lists.base_times, lists.base_free, 0, lists.kept[BASE], base.times, base.free
    )
    for k in range(lo, end):
        machine.planned[queue.job[k]] = lists.planned[k - lo]
        if lists.kind[queue.job[k]] == PROMOTED:
            lists.kind[queue.job[k]] = TENTATIVE


@inlined
def _give_back(queue, profile, c, k, start):
    """Take the place of the job at queue position ``k`` out of a profile."""
    c[PLAN_HI] = give_back(
        profile.times,
        profile.free,
        c[PLAN_LO],
        c[PLAN_HI],
        start,
        start + queue.estimate[k],
        queue.demand[k],
    )


@inlined
def _late(jobs, queue, k, start):
    """Whether the job at queue position ``k``, started then, would miss its deadline."""
    return start + queue.estimate[k] > jobs.deadline[queue.job[k]]
