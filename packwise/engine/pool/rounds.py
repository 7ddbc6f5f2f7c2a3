"""Scheduling rounds from scratch: strict, greedy, EASY, and backfilling with any reservation depth.

Goponenko et al., DEBS 2024, algorithm 1, and SBAC-PAD 2022, algorithms 1 and 2. Each function looks at
the queue in its order,
writes the queue positions of the jobs to start now into ``scratch.picked``, takes their processors from
FREE, notes their releases, and returns how many there are, or NO_KEY if a key is not finite.
"""

from __future__ import annotations

import math

from packwise.compiled import inlined
from packwise.engine.orders import order_key, sort_jobs
from packwise.engine.pool.profile import build_profile, earliest, take
from packwise.engine.pool.releases import add_release
from packwise.engine.state import (
    FREE,
    NOW,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
)
from packwise.engine.waiting import NO_KEY


@inlined
def considered(rules, c):
    """The end of the part of the queue that a round looks at."""
    return min(c[QUEUE_HI], c[QUEUE_LO] + rules.cap)


@inlined
def note_release(queue, machine, c, k):
    """The job at position ``k`` starts now: its processors come back after its estimate."""
    c[REL_HI] = add_release(
        machine.rel_time,
        machine.rel_amount,
        c[REL_LO],
        c[REL_HI],
        c[NOW] + queue.estimate[k],
        queue.demand[k],
    )


@inlined
def round_without_reservations(rules, queue, c, scratch):
    """Start what fits, in order; at one that does not, stop (strict) or skip it (greedy)."""
    free = c[FREE]
    count = 0
    for k in range(c[QUEUE_LO], considered(rules, c)):
        if queue.demand[k] <= free:
            free -= queue.demand[k]
            scratch.picked[count] = k
            count += 1
            if free == 0:
                break
        elif rules.strict:
            break
    c[FREE] = free
    return count


@inlined
def round_easy(rules, function, jobs, queue, machine, c, scratch):
    """EASY (Goponenko et al., SBAC-PAD 2022, algorithm 2): one reservation, then backfill around it.

    Running jobs only ever give processors back, so the reservation is two numbers: the shadow time at
    which the blocked head can start, and the processors left over then.
    """
    now = c[NOW]
    free = c[FREE]
    end = considered(rules, c)
    count = 0
    head = c[QUEUE_LO]
    while head < end and queue.demand[head] <= free:
        free -= queue.demand[head]
        note_release(queue, machine, c, head)
        scratch.picked[count] = head
        count += 1
        head += 1
    c[FREE] = free
    if head >= end or free == 0:
        return count

    available = free
    i = c[REL_LO]
    while available < queue.demand[head]:
        available += machine.rel_amount[i]
        i += 1
    shadow = machine.rel_time[i - 1]
    spare = available - queue.demand[head]

    # Room only shrinks, so who does not fit at first never will: only the few who do are sorted.
    candidates = 0
    for k in range(head + 1, end):
        if queue.demand[k] <= free and (
            now + queue.estimate[k] <= shadow or queue.demand[k] <= spare
        ):
            scratch.slot[candidates] = k
            candidates += 1
    if rules.reorder and not sort_candidates(
        rules, function, jobs, queue, now, candidates, scratch
    ):
        return NO_KEY
    for m in range(candidates):
        k = scratch.slot[m]
        demand = queue.demand[k]
        if demand <= free:
            if now + queue.estimate[k] > shadow:
                if demand > spare:
                    continue
                spare -= demand
            free -= demand
            note_release(queue, machine, c, k)
            scratch.picked[count] = k
            count += 1
    c[FREE] = free
    return count


@inlined
def sort_candidates(rules, function, jobs, queue, now, candidates, scratch):
    """Sort the queue positions in ``scratch.slot`` by the backfill order; ties keep queue order.

    False if a key is not finite.
    """
    for m in range(candidates):
        job = queue.job[scratch.slot[m]]
        scratch.first[m] = order_key(rules.backfill_order, function, rules.origin, jobs, now, job)
        scratch.second[m] = order_key(rules.backfill_tie, function, rules.origin, jobs, now, job)
        if not (math.isfinite(scratch.first[m]) and math.isfinite(scratch.second[m])):
            return False
    sort_jobs(scratch.slot, scratch.first, scratch.second, 0, candidates)
    return True


@inlined
def round_with_depth(rules, function, jobs, queue, machine, c, scratch, complete):
    """Backfilling with up to ``rules.depth`` reservations, planned from scratch.

    Jobs in order: start it, or reserve for it at the earliest time, until the reservations are used
    up; the rest goes through once more in backfill order and starts where it disturbs none of them.
    Planned starts go into ``machine.planned``. Without ``complete``, planning stops as soon as no job
    that is left could start now: reservations further on cannot change that.
    """
    now = c[NOW]
    lo = c[QUEUE_LO]
    end = considered(rules, c)
    times = machine.times
    free = machine.free
    hi = build_profile(
        times, free, machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], now, c[FREE]
    )
    count = 0
    reserved = 0
    k = lo
    while k < end and reserved < rules.depth:
        if not complete and not any_fits_now(queue, times, free, hi, now, k, end):
            return finish(queue, machine, c, scratch, count)
        i, j = earliest(times, free, 0, hi, queue.demand[k], queue.estimate[k])
        machine.planned[queue.job[k]] = times[i]
        if i == 0:
            scratch.picked[count] = k
            count += 1
        else:
            reserved += 1
        hi = take(times, free, hi, i, j, times[i] + queue.estimate[k], queue.demand[k])
        k += 1
    candidates = 0
    for m in range(k, end):
        if fits_now(times, free, hi, now, queue.demand[m], queue.estimate[m]):
            scratch.slot[candidates] = m
            candidates += 1
    if rules.reorder and not sort_candidates(
        rules, function, jobs, queue, now, candidates, scratch
    ):
        return NO_KEY
    for m in range(candidates):
        k = scratch.slot[m]
        if fits_now(times, free, hi, now, queue.demand[k], queue.estimate[k]):
            i, j = earliest(times, free, 0, hi, queue.demand[k], queue.estimate[k])
            hi = take(times, free, hi, i, j, now + queue.estimate[k], queue.demand[k])
            machine.planned[queue.job[k]] = now
            scratch.picked[count] = k
            count += 1
    return finish(queue, machine, c, scratch, count)


@inlined
def finish(queue, machine, c, scratch, count):
    """Take the processors of the picked jobs and note their releases. Returns ``count``."""
    for m in range(count):
        c[FREE] -= queue.demand[scratch.picked[m]]
        note_release(queue, machine, c, scratch.picked[m])
    return count


@inlined
def fits_now(times, free, hi, now, demand, estimate):
    """Whether a job could start now in a profile."""
    i = 0
    while i < hi and times[i] < now + estimate:
        if free[i] < demand:
            return False
        i += 1
    return True


@inlined
def any_fits_now(queue, times, free, hi, now, lo, end):
    """Whether any job of this part of the queue could start now in a profile."""
    for k in range(lo, end):
        if queue.demand[k] <= free[0] and fits_now(
            times, free, hi, now, queue.demand[k], queue.estimate[k]
        ):
            return True
    return False
