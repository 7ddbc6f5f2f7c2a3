"""The job-based heuristic on a pool: each job, in some order, at its earliest feasible time.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', algorithm 1. A job that has no room before the
end of the day is left for tomorrow and holds nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from packwise.compiled import compiled, inlined
from packwise.engine.slots import borrow
from packwise.model.workload import Ints
from packwise.optimise.kernels.offline_profile import (
    FAR,
    NONE,
    ORIGIN,
    change,
    empty_line,
    room_before,
    step_at,
)
from packwise.optimise.kernels.profit_value import LATER


class Held(NamedTuple):
    """What is taken already from the origin on: so much until each ``end``, latest first. ``numbers``: how much
    there is, and the end of the day. ``failed``: the shortest time for which a demand had no room all day.
    """

    end: Ints
    amount: Ints
    numbers: Ints
    failed: Ints


# The numbers
PROCS, DAY_END = range(2)


@inlined
def begin(line, held):
    """Let the profile be that of what is taken already."""
    empty_line(line, held.numbers[PROCS])
    origin = line.facts[ORIGIN]
    for i in range(held.end.size):
        change(line, 0, origin, held.end[i], held.amount[i])
    for r in range(held.failed.size):
        held.failed[r] = FAR


@inlined
def put(line, jobs, j, start):
    """Let a job run from ``start`` on, where there is room."""
    change(line, step_at(line, start), start, start + jobs.duration[j], jobs.demand[j])


@inlined
def lift(line, jobs, j, start):
    """Take a job out."""
    change(line, step_at(line, start), start, start + jobs.duration[j], -jobs.demand[j])


@inlined
def insert(line, held, jobs, j, since):
    """Put a job at the earliest time from ``since`` on. Returns that, or LATER.

    Room only shrinks while jobs are inserted: what asks for no less than another that had none all day, has
    none.
    """
    duration = jobs.duration[j]
    rank = jobs.rank[j]
    if held.failed[rank] <= duration:
        return LATER
    i, start = room_before(line, since, jobs.demand[j], duration, held.numbers[DAY_END])
    if i == NONE:
        if since <= line.facts[ORIGIN]:
            r = rank
            while r < held.failed.size and held.failed[r] > duration:
                held.failed[r] = duration
                r += 1
        return LATER
    change(line, i, start, start + duration, jobs.demand[j])
    return start


@compiled
def insert_in_order(order, since, fixed, jobs, line, held, start):
    """The plan of an order, into ``start``: no job before ``since``; those of ``fixed`` stay where they are."""
    jobs = borrow(jobs)
    line = borrow(line)
    held = borrow(held)
    order = borrow(order)
    since = borrow(since)
    fixed = borrow(fixed)
    start = borrow(start)
    begin(line, held)
    for j in range(start.size):
        if fixed[j] and start[j] != LATER:
            put(line, jobs, j, start[j])
    for k in range(order.size):
        j = order[k]
        if not fixed[j]:
            start[j] = insert(line, held, jobs, j, since[j])
