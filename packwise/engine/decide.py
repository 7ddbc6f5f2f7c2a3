"""One round from a view: what a compiled policy's ``decide`` runs, in the step loop and on a live host."""

from __future__ import annotations

import numpy as np

from packwise.engine.compiled import compiled, inlined
from packwise.engine.conservative import hold_promise, round_conservative
from packwise.engine.deadline_backfilling import DEFINITIVE, round_deadline_backfilling
from packwise.engine.profile import build_profile
from packwise.engine.releases import add_release
from packwise.engine.rounds import round_with_depth, round_without_reservations
from packwise.engine.state import (
    COUNTERS,
    FREE,
    MEMOS,
    NOW,
    PLAN_HI,
    REL_HI,
    Lists,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import NO_KEY, append, insert


@compiled
def decide_list(rules, function, jobs, waiting, running, expected_end, now, free):
    """Jobs to start, in their order, and planned starts (-1: none) aligned with ``waiting``; None for a bad
    key.
    """
    n = waiting.size
    c = _counters(now, free)
    queue = _queue(n)
    machine = _machine(jobs, running, expected_end, n, c)
    scratch = _scratch(n)
    for job in waiting:
        if insert(rules, function, jobs, queue, c, job) == NO_KEY:
            return None
    if not rules.reserve or rules.depth == 0:
        count = round_without_reservations(rules, queue, c, scratch)
    else:
        count = round_with_depth(rules, function, jobs, queue, machine, c, scratch, True)
    if count == NO_KEY:
        return None
    start = queue.job[scratch.picked[:count]]
    return start, machine.planned[waiting]


@compiled
def decide_conservative(
    at_once, jobs, waiting, promised, early, overrun, running, expected_end, now, free
):
    """The same for conservative backfilling; ``promised`` are the starts promised before, -1 if new."""
    n = waiting.size
    c = _counters(now, free)
    queue = _queue(n)
    machine = _machine(jobs, running, expected_end, n, c)
    scratch = _scratch(n)
    c[PLAN_HI] = build_profile(
        machine.times, machine.free, machine.rel_time, machine.rel_amount, 0, c[REL_HI], now, free
    )
    old = 0
    for i in range(n):
        append(jobs, queue, c, waiting[i])
        if promised[i] >= 0:
            old = i + 1
            machine.planned[waiting[i]] = promised[i]
            if not overrun:
                hold_promise(queue, machine, c, i)
    count = round_conservative(queue, machine, c, scratch, at_once, old, early, overrun)
    return _started(scratch, count, n), machine.planned[waiting]


@compiled
def decide_deadline_backfilling(
    at_once, jobs, waiting, planned, kind, early, overrun, running, expected_end, now, free
):
    """The same for deadline-based backfilling, where jobs are also definitive or tentative: whom to start, the
    planned starts, who is tentative, and the latest starts promised to new jobs (-1: to none).
    """
    n = waiting.size
    c = _counters(now, free)
    b = _counters(now, free)
    queue = _queue(n)
    machine = _machine(jobs, running, expected_end, n, c)
    base = Machine(
        machine.rel_time,
        machine.rel_amount,
        np.empty_like(machine.times),
        np.empty_like(machine.free),
        machine.planned,
        machine.promised,
    )
    lists = _lists(jobs.submit.size, n, machine.times.size)
    scratch = _scratch(n)
    for profile, counters in ((machine, c), (base, b)):
        counters[PLAN_HI] = build_profile(
            profile.times,
            profile.free,
            machine.rel_time,
            machine.rel_amount,
            0,
            c[REL_HI],
            now,
            free,
        )
    old = 0
    for i in range(n):
        job = waiting[i]
        append(jobs, queue, c, job)
        if planned[i] >= 0:
            old = i + 1
            machine.planned[job] = planned[i]
            lists.kind[job] = kind[i]
            if not overrun:
                hold_promise(queue, machine, c, i)
                if kind[i] == DEFINITIVE:
                    hold_promise(queue, base, b, i)
    count = round_deadline_backfilling(
        jobs, queue, machine, c, base, b, lists, scratch, at_once, old, early, overrun
    )
    start = _started(scratch, count, n)
    return start, machine.planned[waiting], lists.kind[waiting], machine.promised[waiting]


@inlined
def _started(scratch, count, n):
    start = np.zeros(n, np.bool_)
    for m in range(count):
        start[scratch.picked[m]] = True
    return start


@inlined
def _lists(jobs, waiting, room):
    return Lists(
        np.zeros(jobs, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(waiting + 1, np.int64),
        np.zeros(3, np.int64),
    )


@inlined
def _counters(now, free):
    c = np.zeros(COUNTERS, np.int64)
    c[NOW] = now
    c[FREE] = free
    return c


@inlined
def _queue(n):
    return Queue(
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.float64),
        np.empty(n + 1, np.float64),
    )


@inlined
def _machine(jobs, running, expected_end, waiting, c):
    room = running.size + 3 * waiting + 8
    machine = Machine(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.full(jobs.submit.size, -1),
        np.full(jobs.submit.size, -1),
    )
    for i in range(running.size):
        c[REL_HI] = add_release(
            machine.rel_time,
            machine.rel_amount,
            0,
            c[REL_HI],
            expected_end[i],
            jobs.demand[running[i]],
        )
    return machine


@inlined
def _scratch(n):
    return Scratch(
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.float64),
        np.empty(n + 1, np.float64),
        np.empty(1, np.int64),
        np.empty(1, np.int64),
        np.full(4 * MEMOS, -1, np.int64),
    )
