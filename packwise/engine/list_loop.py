"""The compiled loop of the list-scheduling family."""

from __future__ import annotations

from packwise.engine.borrow import borrow
from packwise.engine.compiled import compiled, inlined
from packwise.engine.events import NOTHING, QUIET, advance, begin
from packwise.engine.releases import add_release, compact, drop_release
from packwise.engine.replan import round_replanned
from packwise.engine.rounds import round_easy, round_with_depth, round_without_reservations
from packwise.engine.state import (
    ARRIVED,
    CORRECTED,
    ENDED,
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

MORE, DONE, BAD_KEY = range(3)


@compiled
def run_list(rules, function, jobs, clock, queue, machine, c, scratch, log, rounds):
    """Run up to ``rounds`` rounds. MORE, DONE (nothing left to happen) or BAD_KEY (a key is not finite)."""
    return _run(
        rules,
        function,
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
def _run(rules, function, jobs, clock, queue, machine, c, scratch, log, rounds):
    planning = rules.reserve and rules.depth > 0
    last = c[ROUNDS] + rounds
    while c[ROUNDS] < last:
        outcome = advance(jobs, clock, c)
        if outcome == NOTHING:
            return DONE
        if planning:
            update_releases(jobs, clock, machine, c)
        if outcome == QUIET:
            continue
        if not insert_arrivals(rules, function, jobs, queue, c):
            return BAD_KEY
        if rules.changing and not resort(rules, function, jobs, queue, c):
            return BAD_KEY
        waiting = c[QUEUE_HI] - c[QUEUE_LO]
        count = 0
        if waiting > 0:
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
            start_picked(jobs, clock, queue, c, scratch, count)
        log.time[c[ROUNDS]] = c[NOW]
        log.queued[c[ROUNDS]] = waiting
        log.started[c[ROUNDS]] = count
        c[ROUNDS] += 1
    return MORE


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
def start_picked(jobs, clock, queue, c, scratch, count):
    """Start the jobs at the picked queue positions and take them out of the queue."""
    for m in range(count):
        begin(jobs, clock, c, queue.job[scratch.picked[m]])
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
