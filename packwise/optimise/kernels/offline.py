"""The compiled half of the off-line optimiser: a whole log is improved window by window.

A window is some jobs that start near each other. They are taken out of the schedule, all others stay where they
are, and an order search puts them back: as in ``search``, a plan is an order whose jobs are inserted one by
one, each at the earliest time at which it fits. What is different here: the profile is that of the whole log,
and instead of remembering profiles a trial takes the jobs behind its first change out and inserts them again.

A job never starts before ``floor``, when it would start if it were the only one of its window. Scans begin
there, and what it pays there is the least that it can pay, so a trial is given up once it cannot be accepted
any more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from packwise.compiled import compiled, inlined
from packwise.engine.slots import borrow
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.chance import draw
from packwise.optimise.kernels.offline_profile import change, empty_line, room, step_at
from packwise.optimise.kernels.search import ROUNDING, move

# What is minimised: a sum over jobs of weight x wait (AF, AWF), of bounded slowdowns, or of N - ratio x D
# (P^alpha SF).
LINEAR, BOUNDED, SPECIFIC = range(3)

# The columns of a rule
KIND, ALPHA, RATIO = range(3)

# What is counted
EVALUATIONS, SWEEPS, PLACE = range(3)
COUNTS = 3

#: Windows have between these many jobs.
SMALLEST, LARGEST = 32, 160
#: Orders tried in a window, per job of it.
EFFORT = 2.0
#: How readily a window accepts worse orders: as in the search of rounds, and now and then much more so.
TEMPERATURE, HOT = 0.05, 2.0
HOT_SHARE = 0.1

HOUR = 3600.0


class Jobs(NamedTuple):
    """The jobs of a log. ``weight``: per second of wait (LINEAR) or of flow (BOUNDED); or the demand."""

    submit: Ints
    demand: Ints
    runtime: Ints
    weight: Floats


class Work(NamedTuple):
    """Scratch: the jobs of the log by start; those of a window, and by their place in it what is known of them.

    ``sums`` are N and D of the whole schedule.
    """

    sequence: Ints
    chosen: Ints
    order: Ints
    floor: Ints
    least: Floats
    now: Ints
    trial: Ints
    best: Ints
    sums: Floats
    random: Ints
    counts: Ints


def new_work(jobs: int, random: int) -> Work:
    """Scratch for so many jobs; ``random`` seeds the random numbers."""
    work = Work(
        np.arange(jobs),
        np.zeros(LARGEST, np.int64),
        np.zeros(LARGEST, np.int64),
        np.zeros(LARGEST, np.int64),
        np.zeros(LARGEST),
        np.zeros(LARGEST, np.int64),
        np.zeros(LARGEST, np.int64),
        np.zeros(LARGEST, np.int64),
        np.zeros(2),
        np.array([random], np.uint64).view(np.int64),
        np.zeros(COUNTS, np.int64),
    )
    work.counts[PLACE] = jobs
    return work


@inlined
def above_and_below(rule, jobs, j, start):
    """What job j adds to N and to D (which is 0 but for P^alpha SF, where times are in hours)."""
    wait = float(start - jobs.submit[j])
    run = float(jobs.runtime[j])
    weight = jobs.weight[j]
    if rule[KIND] == LINEAR:
        return weight * wait, 0.0
    if rule[KIND] == BOUNDED:
        return max(weight * (wait + run), 1.0), 0.0
    wait /= HOUR
    run /= HOUR
    flow = wait + run
    alpha = rule[ALPHA]
    if alpha == 2.0:
        above = weight * run * (flow + wait) * (flow * flow + wait * wait)
        return above, weight * run * (flow * flow + flow * wait + wait * wait)
    above = weight * (flow ** (alpha + 2.0) - wait ** (alpha + 2.0))
    return above, weight * (flow ** (alpha + 1.0) - wait ** (alpha + 1.0))


@inlined
def cost_of(rule, jobs, j, start):
    """What job j pays. With the ratio of a schedule, another costs less exactly if its own ratio is lower."""
    above, below = above_and_below(rule, jobs, j, start)
    return above - rule[RATIO] * below


@inlined
def least_from(rule, jobs, j, start):
    """What job j pays at least from a start on: N - ratio x D falls at first, while computation is young."""
    alpha = rule[ALPHA]
    ratio = rule[RATIO]
    turn = ratio * alpha / (alpha + 2.0)
    if rule[KIND] != SPECIFIC or (start - jobs.submit[j]) / HOUR >= turn:
        return cost_of(rule, jobs, j, start)
    lowest = turn**alpha * ((alpha + 2.0) * turn - ratio * (alpha + 1.0))
    return jobs.weight[j] * jobs.runtime[j] / HOUR * lowest


@inlined
def insert(line, jobs, j, since):
    """Put job j at the earliest time from ``since`` on. Returns its start."""
    i, start = room(line, since, jobs.demand[j], jobs.runtime[j])
    change(line, i, start, start + jobs.runtime[j], jobs.demand[j])
    return start


@inlined
def put(line, jobs, j, start):
    """Put job j where there is known to be room."""
    change(line, step_at(line, start), start, start + jobs.runtime[j], jobs.demand[j])


@inlined
def lift(line, jobs, j, start):
    """Take job j out."""
    change(line, step_at(line, start), start, start + jobs.runtime[j], -jobs.demand[j])


@compiled
def insert_in_order(order, jobs, line, procs, start):
    """The schedule that comes of inserting all jobs in an order: into ``start`` and ``line``."""
    jobs = borrow(jobs)
    line = borrow(line)
    order = borrow(order)
    start = borrow(start)
    empty_line(line, procs)
    for k in range(order.size):
        j = order[k]
        start[j] = insert(line, jobs, j, jobs.submit[j])


@compiled
def follow(start, jobs, line, procs):
    """Let ``line`` be the profile of a schedule."""
    jobs = borrow(jobs)
    line = borrow(line)
    start = borrow(start)
    empty_line(line, procs)
    for j in range(start.size):
        put(line, jobs, j, start[j])


@compiled
def sums_of(rule, jobs, start, sums):
    """N and D of a schedule."""
    add_up(borrow(rule), borrow(jobs), borrow(start), borrow(sums))


@inlined
def add_up(rule, jobs, start, sums):
    """N and D of a schedule, into ``sums``."""
    sums[0] = 0.0
    sums[1] = 0.0
    for j in range(start.size):
        above, below = above_and_below(rule, jobs, j, start[j])
        sums[0] += above
        sums[1] += below


@compiled
def improve(rule, jobs, line, work, start, until):
    """Improve window after window until so many evaluations are counted. ``start`` is never worse than before.

    Each sweep goes over the whole log, forward or backward, with windows that overlap by half. Where a pause
    falls makes no difference to what follows. There should be two jobs at least.
    """
    jobs = borrow(jobs)
    line = borrow(line)
    work = borrow(work)
    rule = borrow(rule)
    start = borrow(start)
    n = start.size
    counts = work.counts
    while counts[EVALUATIONS] < until:
        if counts[PLACE] >= n:
            sort_sequence(work.sequence, start)
            add_up(rule, jobs, start, work.sums)
            counts[SWEEPS] += 1
            counts[PLACE] = 0
        size = min(n, int(SMALLEST * (LARGEST / SMALLEST) ** draw(work)))
        place = counts[PLACE]
        # Every other sweep takes some of the jobs of a longer stretch only.
        share = 1.0 if counts[SWEEPS] % 2 == 1 else 0.25 + 0.5 * draw(work)
        k = 0
        q = place
        while q < n and k < size:
            if share == 1.0 or draw(work) < share:
                at = q if counts[SWEEPS] % 4 < 2 else n - 1 - q
                work.chosen[k] = work.sequence[at]
                k += 1
            q += 1
        counts[PLACE] = max(place + 1, (place + q) // 2) if q < n else n
        if k > 1:
            if rule[KIND] == SPECIFIC:
                rule[RATIO] = work.sums[0] / work.sums[1]
            counts[EVALUATIONS] += improve_window(rule, jobs, line, work, start, k)
        else:
            counts[EVALUATIONS] += 1


@inlined
def sort_sequence(sequence, start):
    """Shell sort of all jobs by start, and then by number."""
    gap = 1
    while gap < sequence.size // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, sequence.size):
            j = sequence[i]
            k = i
            while k >= gap:
                other = sequence[k - gap]
                if start[other] < start[j] or (start[other] == start[j] and other < j):
                    break
                sequence[k] = other
                k -= gap
            sequence[k] = j
        gap //= 3


@inlined
def sort_by_start(chosen, start, k):
    """Insertion sort: nearly sorted already, or nearly the other way round."""
    if start[chosen[0]] > start[chosen[k - 1]]:
        for p in range(k // 2):
            chosen[p], chosen[k - 1 - p] = chosen[k - 1 - p], chosen[p]
    for p in range(1, k):
        j = chosen[p]
        q = p
        while q > 0 and start[chosen[q - 1]] > start[j]:
            chosen[q] = chosen[q - 1]
            q -= 1
        chosen[q] = j


@inlined
def improve_window(rule, jobs, line, work, start, k):
    """Search over the orders of the ``k`` chosen jobs. Returns the number of evaluations."""
    chosen = work.chosen
    sort_by_start(chosen, start, k)
    before = 0.0
    for p in range(k):
        before += cost_of(rule, jobs, chosen[p], start[chosen[p]])
        lift(line, jobs, chosen[p], start[chosen[p]])
    least = 0.0
    late = False
    for p in range(k):
        j = chosen[p]
        _, work.floor[p] = room(line, jobs.submit[j], jobs.demand[j], jobs.runtime[j])
        work.least[p] = least_from(rule, jobs, j, work.floor[p])
        least += work.least[p]
        late = late or work.floor[p] < start[j]
    if not late:
        for p in range(k):
            put(line, jobs, chosen[p], start[chosen[p]])
        return 1
    # The order of the starts as it is: nobody starts later than before
    current = 0.0
    for p in range(k):
        work.order[p] = p
        work.now[p] = insert(line, jobs, chosen[p], work.floor[p])
        current += cost_of(rule, jobs, chosen[p], work.now[p])
        work.best[p] = work.now[p]
    best = current
    temperature = HOT if draw(work) < HOT_SHARE else TEMPERATURE
    heat = temperature * max(current - least, 0.0) / k
    budget = int(EFFORT * k)
    for step in range(budget):
        limit = current - heat * (1.0 - step / budget) * math.log(1.0 - draw(work))
        current = try_move(rule, jobs, line, work, k, current, limit)
        if current < best - ROUNDING * abs(best):
            best = current
            for p in range(k):
                work.best[p] = work.now[p]
    for p in range(k):
        lift(line, jobs, chosen[p], work.now[p])
    for p in range(k):
        j = chosen[p]
        if best <= before:
            above, below = above_and_below(rule, jobs, j, start[j])
            work.sums[0] -= above
            work.sums[1] -= below
            start[j] = work.best[p]
            above, below = above_and_below(rule, jobs, j, start[j])
            work.sums[0] += above
            work.sums[1] += below
        put(line, jobs, j, start[j])
    return 1 + budget


@inlined
def try_move(rule, jobs, line, work, k, current, limit):
    """Move a job of the order, or swap two, if that stays below the limit. Returns the cost."""
    chosen = work.chosen
    i = int(draw(work) * k)
    j = int(draw(work) * (k - 1))
    j += j >= i
    swap = draw(work) < 0.5
    first = min(i, j)
    cost = current  # of what is placed, and the least of the rest
    for p in range(first, k):
        m = work.order[p]
        lift(line, jobs, chosen[m], work.now[m])
        cost += work.least[m] - cost_of(rule, jobs, chosen[m], work.now[m])
    move(work.order, i, j, swap)
    placed = first
    while placed < k and cost < limit:
        m = work.order[placed]
        work.trial[m] = insert(line, jobs, chosen[m], work.floor[m])
        cost += cost_of(rule, jobs, chosen[m], work.trial[m]) - work.least[m]
        placed += 1
    if cost < limit:
        for p in range(first, k):
            work.now[work.order[p]] = work.trial[work.order[p]]
        return cost
    for p in range(first, placed):
        lift(line, jobs, chosen[work.order[p]], work.trial[work.order[p]])
    if swap:
        move(work.order, i, j, swap)
    else:
        move(work.order, j, i, swap)
    for p in range(first, k):
        put(line, jobs, chosen[work.order[p]], work.now[work.order[p]])
    return current
