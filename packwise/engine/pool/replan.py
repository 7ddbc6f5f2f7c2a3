"""Backfilling with unlimited depth (List-X, JustBF), replanned only where an event contradicts the plan.

By definition the plan is made afresh at each round (Goponenko et al., SBAC-PAD 2022, section V).
The same starts come out, far faster, by exact shortcuts:

* A plan stays valid while jobs end when expected and arrivals sort behind it. An arrival in the middle
  invalidates what is behind it, an early end or an overrun invalidates all.
* Only who starts now matters. Planning stops when no unplanned job could start now: reservations made
  later only take room away. One such job, the witness, is kept; it is looked at again only when a
  reservation cuts into the time it needs.
* Nothing is planned at all while every unplanned job is larger than what is free.
* Within a round room only shrinks, so a job with the demand and estimate of one placed before starts no
  earlier: the search begins there. Users submit such jobs by the hundred.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.bisection import position
from packwise.engine.pool.profile import build_profile, earliest, give_back, take, trim
from packwise.engine.pool.rounds import considered, note_release
from packwise.engine.state import (
    FREE,
    MEMOS,
    NOW,
    PLAN_HI,
    PLAN_LO,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    RESERVED,
    ROUNDS,
    STALE,
    VALID,
)


@inlined
def round_replanned(rules, queue, machine, c, scratch):
    """Start the jobs whose planned start is now, after bringing the plan up to date."""
    now = c[NOW]
    lo = c[QUEUE_LO]
    end = considered(rules, c)
    times = machine.times
    free = machine.free
    planned = machine.planned
    if c[STALE]:
        forget_plan(queue, machine, c)

    count = 0
    available = c[FREE]
    valid = min(c[VALID], end - lo)
    for k in range(lo, lo + valid):
        if planned[queue.job[k]] == now:
            scratch.picked[count] = k
            count += 1
            available -= queue.demand[k]

    smallest = available + 1
    for k in range(lo + valid, end):
        smallest = min(smallest, queue.demand[k])
    if smallest <= available:
        prepare_profile(queue, machine, c, now)
        plan_lo = c[PLAN_LO]
        hi = c[PLAN_HI]
        k = lo + valid
        witness, witness_end = next_witness(queue, times, free, plan_lo, hi, now, k, end, scratch)
        while witness < end:
            demand = queue.demand[k]
            estimate = queue.estimate[k]
            memo = 4 * ((demand * 40503 + estimate * 2654435761 >> 7) % MEMOS)
            first = plan_lo
            if (
                scratch.memo[memo] == c[ROUNDS]
                and scratch.memo[memo + 1] == demand
                and scratch.memo[memo + 2] == estimate
            ):
                first = position(times, plan_lo, hi, scratch.memo[memo + 3])
            i, j = earliest(times, free, first, hi, demand, estimate)
            start = times[i]
            scratch.memo[memo] = c[ROUNDS]
            scratch.memo[memo + 1] = demand
            scratch.memo[memo + 2] = estimate
            scratch.memo[memo + 3] = start
            hi = take(times, free, hi, i, j, start + queue.estimate[k], demand)
            planned[queue.job[k]] = start
            if start == now:
                scratch.picked[count] = k
                count += 1
            if k == witness:
                k += 1
                witness, witness_end = next_witness(
                    queue, times, free, plan_lo, hi, now, k, end, scratch
                )
                continue
            k += 1
            if start < witness_end:
                need = queue.demand[witness]
                while i < hi and times[i] < witness_end and free[i] >= need:
                    i += 1
                if i < hi and times[i] < witness_end:
                    witness, witness_end = next_witness(
                        queue, times, free, plan_lo, hi, now, witness + 1, end, scratch
                    )
        c[PLAN_HI] = hi
        c[VALID] = k - lo
        c[RESERVED] = k - lo

    for m in range(count):
        k = scratch.picked[m]
        c[FREE] -= queue.demand[k]
        planned[queue.job[k]] = -1
        note_release(queue, machine, c, k)
    return count


@inlined
def forget_plan(queue, machine, c):
    """No planned start holds any longer, and the profile is to be built anew when it is needed."""
    lo = c[QUEUE_LO]
    for k in range(lo, lo + c[RESERVED]):
        machine.planned[queue.job[k]] = -1
    c[VALID] = 0
    c[RESERVED] = 0
    c[PLAN_HI] = 0
    c[STALE] = 0


@inlined
def prepare_profile(queue, machine, c, now):
    """Make the profile hold the running jobs and the reservations of the valid plan, no others."""
    times = machine.times
    free = machine.free
    if c[PLAN_HI] == 0:
        c[PLAN_LO] = 0
        c[PLAN_HI] = build_profile(
            times, free, machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], now, c[FREE]
        )
        return
    lo = c[QUEUE_LO]
    c[PLAN_LO], c[PLAN_HI] = trim(times, free, c[PLAN_LO], c[PLAN_HI], now)
    for k in range(lo + c[VALID], lo + c[RESERVED]):
        job = queue.job[k]
        if machine.planned[job] >= 0:
            c[PLAN_HI] = give_back(
                times,
                free,
                c[PLAN_LO],
                c[PLAN_HI],
                machine.planned[job],
                machine.planned[job] + queue.estimate[k],
                queue.demand[k],
            )
            machine.planned[job] = -1
    c[RESERVED] = c[VALID]


@inlined
def next_witness(queue, times, free, lo, hi, now, first, end, scratch):
    """The first job from position ``first`` on that could start now, and when it would end.

    Jobs are compared with the staircase of the profile: how long each number of processors stays free
    from now on.
    """
    stair_time = scratch.stair_time
    stair_free = scratch.stair_free
    stairs = 0
    scanned = lo
    level = free[lo]
    for k in range(first, end):
        demand = queue.demand[k]
        if demand > free[lo]:
            continue
        until = now + queue.estimate[k]
        while level >= demand and scanned < hi and times[scanned] < until:
            if free[scanned] < level:
                stair_time[stairs] = times[scanned]
                stair_free[stairs] = free[scanned]
                stairs += 1
                level = free[scanned]
            scanned += 1
        fits = True
        for s in range(stairs):
            if stair_time[s] >= until:
                break
            if stair_free[s] < demand:
                fits = False
                break
        if fits:
            return k, until
    return end, 0
