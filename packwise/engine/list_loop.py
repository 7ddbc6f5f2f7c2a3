"""The compiled loop of the list-scheduling family."""

from __future__ import annotations

from packwise.engine.belief import update_queue
from packwise.engine.borrow import borrow
from packwise.engine.compiled import compiled, inlined
from packwise.engine.events import NO_ESTIMATE, NOTHING, QUIET, advance, begin
from packwise.engine.orders import FCFS
from packwise.engine.releases import add_release, compact, drop_release
from packwise.engine.replan import round_replanned
from packwise.engine.rounds import round_easy, round_with_depth, round_without_reservations
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    CORRECTED,
    ENDED,
    FREE,
    NEW,
    NOW,
    OVERRAN,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    ROUNDS,
    STALE,
    UNLIMITED,
)
from packwise.engine.waiting import NO_KEY, insert_arrivals, remove, resort

MORE, DONE, BAD_KEY, BAD_ESTIMATE = range(4)


@compiled
def run_list(rules, function, belief, jobs, clock, queue, machine, c, scratch, log, rounds):
    """Run up to ``rounds`` rounds. MORE, DONE (nothing left to happen), BAD_KEY (a key is not finite) or
    BAD_ESTIMATE (an estimate is not a number).
    """
    return _run(
        rules,
        function,
        borrow(belief),
        borrow(jobs),
        borrow(clock),
        borrow(queue),
        borrow(machine),
        borrow(c),
        borrow(scratch),
        borrow(log),
        rounds,
    )


@inlined
def _run(rules, function, belief, jobs, clock, queue, machine, c, scratch, log, rounds):
    planning = rules.reserve and rules.depth > 0
    easy = rules.reserve and rules.depth == 1 and rules.order == FCFS
    last = min(c[ROUNDS] + rounds, log.time.size)
    while c[ROUNDS] < last:
        outcome = advance(belief, jobs, clock, c)
        if outcome == NOTHING:
            return DONE
        if outcome == NO_ESTIMATE:
            return BAD_ESTIMATE
        if planning:
            update_releases(jobs, clock, machine, c)
        if outcome == QUIET:
            continue
        if not insert_arrivals(rules, function, jobs, queue, c):
            return BAD_KEY
        if not update_queue(belief, rules, function, jobs, queue, c):
            return BAD_KEY
        if c[BAD_JOB] >= 0:
            return BAD_ESTIMATE
        if rules.changing and not resort(rules, function, jobs, queue, c):
            return BAD_KEY
        waiting = c[QUEUE_HI] - c[QUEUE_LO]
        count = 0
        if waiting > 0 and not (easy and nothing_new_fits(jobs, c)):
            if not planning:
                count = round_without_reservations(rules, queue, c, scratch)
            elif rules.depth == 1:
                count = round_easy(rules, function, jobs, queue, machine, c, scratch)
            elif rules.depth == UNLIMITED:
                count = round_replanned(rules, queue, machine, c, scratch)
            else:
                count = round_with_depth(rules, function, jobs, queue, machine, c, scratch, False)
            if count == NO_KEY:
                return BAD_KEY
            start_picked(belief, jobs, clock, queue, c, scratch, count)
            if c[BAD_JOB] >= 0:
                return BAD_ESTIMATE
        log.time[c[ROUNDS]] = c[NOW]
        log.queued[c[ROUNDS]] = waiting
        log.started[c[ROUNDS]] = count
        c[ROUNDS] += 1
    return MORE


@inlined
def nothing_new_fits(jobs, c):
    """Whether only arrivals cause this round, and none of them fits into what is free.

    EASY then leaves the queue alone. It could only matter after an overrun, which moves the reservation
    and makes room for others; they are tried at the next completion, as in the simulator of Goponenko et
    al.
    """
    fitting = c[ENDED]
    for job in range(c[NEW], c[ARRIVED]):
        fitting += jobs.demand[job] <= c[FREE]
    return fitting == 0


@inlined
def update_releases(jobs, clock, machine, c):
    """Bring the expected releases up to date with the corrections and completions of this moment."""
    now = c[NOW]
    if c[REL_HI] + c[ARRIVED] - c[NEW] + 1 >= machine.rel_time.size // 2 and c[REL_LO] > 0:
        c[REL_HI] = compact(machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI])
        c[REL_LO] = 0
    for i in range(c[CORRECTED]):
        job = clock.corrected[i]
        c[REL_LO], c[REL_HI] = drop_release(
            machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], now, jobs.demand[job]
        )
        c[REL_HI] = add_release(
            machine.rel_time,
            machine.rel_amount,
            c[REL_LO],
            c[REL_HI],
            clock.start[job] + jobs.estimate[job],
            jobs.demand[job],
        )
        c[STALE] = 1
        c[OVERRAN] = 1
    for i in range(c[ENDED]):
        job = clock.ended[i]
        expected = clock.start[job] + jobs.estimate[job]
        c[REL_LO], c[REL_HI] = drop_release(
            machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], expected, jobs.demand[job]
        )
        if expected != now:
            c[STALE] = 1


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
