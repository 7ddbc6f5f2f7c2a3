"""Large-neighbourhood search over plans: some jobs are taken out and put back, each at its best start.

A neighbourhood is some jobs that run near each other in time, and some that are left for tomorrow. They are put
back in a random order, each where waiting and energy less revenue cost least beside those that are there
already: the order decides who has the choice. A plan that is no worse is kept; a worse one by chance, if it is
little worse.

Rates are those of the plan as it is, its PUE included; whether a change is kept is decided by what it costs
exactly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from packwise.compiled import apart, compiled, inlined
from packwise.engine.slots import borrow
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.chance import draw
from packwise.optimise.kernels.offline import sort_sequence
from packwise.optimise.kernels.offline_profile import NONE, room_before
from packwise.optimise.kernels.profit_insertion import DAY_END, begin, lift, put
from packwise.optimise.kernels.profit_value import (
    LATER,
    add_job,
    cell_of,
    cheapest_between,
    own_cost,
    set_rates,
    whole_cost,
)
from packwise.optimise.kernels.search import move

#: The most jobs of a neighbourhood that run, and that are left for tomorrow.
MOST, MOST_LEFT = 16, 12
#: A stretch has between these many jobs.
SHORTEST, LONGEST = 4, 100
#: The share of neighbourhoods that are no stretch.
SOME = 0.5
#: So many times as many are in the stretch that they are drawn from.
SPREAD = 3
#: Tries between two times that jobs are sorted by their starts.
SORTED = 500

# Its whole number: how many jobs are left for tomorrow
LEFT = 0
# Its real numbers: the cost of the plan, of the best plan, and how much worse a plan may be, on average
COST, BEST, HEAT = range(3)


class Work(NamedTuple):
    """Scratch. ``sequence``: all jobs by start; ``left``: those for tomorrow. ``since``: jobs are held until
    then.
    """

    prefer: Ints
    sequence: Ints
    left: Ints
    since: Ints
    chosen: Ints
    before: Ints
    since_before: Ints
    best: Ints
    numbers: Ints
    reals: Floats
    random: Ints


def new_work(prefer: Ints, random: int) -> Work:
    """Scratch for jobs, of which those come first that are to be preferred; ``random`` seeds the random
    numbers.
    """
    jobs = len(prefer)
    most = max(LONGEST, MOST) + MOST_LEFT
    by_job, chosen = np.zeros((3, jobs), np.int64), np.zeros((3, most), np.int64)
    return Work(
        prefer.astype(np.int64),
        np.arange(jobs),
        left=by_job[0],
        since=by_job[1],
        best=by_job[2],
        chosen=chosen[0],
        before=chosen[1],
        since_before=chosen[2],
        numbers=np.zeros(1, np.int64),
        reals=np.zeros(3),
        random=np.array([random], np.uint64).view(np.int64),
    )


@apart
def best_start(line, rates, sums, jobs, j, day_end):
    """The start at which a job costs least beside what is there; of several the first. LATER, if there is no
    room before the end of the day, or none that is worth it.
    """
    demand, duration = jobs.demand[j], jobs.duration[j]
    edges = rates.edges
    release = jobs.release[j]
    i, first = room_before(line, release, demand, duration, day_end)
    if i == NONE:
        return LATER, LATER
    last = min(max(jobs.last[j], first), day_end - 1)
    here = cell_of(edges, first)
    best, lowest = LATER, math.inf
    while i != NONE:
        # There is room from step i until step k, or for ever.
        k = line.after[i]
        while k != NONE and line.free[k] >= demand:
            k = line.after[k]
        low = max(release, line.time[i])
        if low > last:
            break
        high = last
        if k != NONE:
            high = min(high, line.time[k] - duration)
        if high >= low:
            while here + 1 < edges.size and edges[here + 1] <= low:
                here += 1
            time, cost = cheapest_between(
                jobs,
                j,
                edges,
                sums.rate,
                sums.rates,
                rates.gain,
                rates.gains,
                -1.0,
                here,
                low,
                high,
            )
            if cost < lowest:
                best, lowest = time, cost
        i = k
        while i != NONE and line.free[i] < demand:
            i = line.after[i]
    if day_end < LATER and lowest >= 0.0:
        return first, LATER
    return first, best


@inlined
def choose_left(work, k):
    """Add some jobs that are left, rather of those that earn most by what they draw. Returns how many there are
    then.
    """
    left = work.numbers[LEFT]
    size = min(left, int(draw(work) * (MOST_LEFT + 1)))
    first = int(draw(work) * draw(work) * (left - size + 1))
    for p in range(first, first + size):
        work.chosen[k] = work.left[p]
        k += 1
    return k


@inlined
def choose_some(work, n):
    """Some jobs that start near each other, and some that are left. Returns how many."""
    k = 0
    left = work.numbers[LEFT]
    running = n - left
    if running > 0:
        need = min(running, 1 + int(draw(work) * draw(work) * MOST))
        spread = min(running, need * SPREAD)
        first = int(draw(work) * (running - spread + 1))
        for p in range(first, first + spread):
            if draw(work) * (first + spread - p) < need:
                work.chosen[k] = work.sequence[p]
                k += 1
                need -= 1
    k = choose_left(work, k)
    for p in range(k):  # in any order
        q = p + int(draw(work) * (k - p))
        j = work.chosen[q]
        work.chosen[q] = work.chosen[p]
        work.chosen[p] = j
    return k


@inlined
def choose_stretch(work, start, n):
    """All jobs of a stretch, by their starts. Returns how many."""
    running = n - work.numbers[LEFT]
    size = min(running, int(SHORTEST * (LONGEST / SHORTEST) ** draw(work)))
    first = int(draw(work) * (running - size + 1))
    k = 0
    for p in range(first, first + size):
        j = work.sequence[p]
        q = k
        while q > 0 and start[work.chosen[q - 1]] > start[j]:
            work.chosen[q] = work.chosen[q - 1]
            q -= 1
        work.chosen[q] = j
        k += 1
    return k


@inlined
def sort_out(work, start):
    """The jobs by start, those that are left last; and these by what they earn."""
    sort_sequence(work.sequence, start)
    left = 0
    for p in range(start.size):
        if start[work.prefer[p]] == LATER:
            work.left[left] = work.prefer[p]
            left += 1
    work.numbers[LEFT] = left


@apart
def take_out(line, rates, sums, jobs, j, start):
    """Take a job out of the plan. Returns what that adds to the cost."""
    if start == LATER:
        return 0.0
    lift(line, jobs, j, start)
    return add_job(rates, sums, start, start + jobs.duration[j], -jobs.watts[j]) - own_cost(
        rates, jobs, j, start
    )


@apart
def put_in(line, rates, sums, jobs, j, start):
    """Put a job into the plan. Returns what that adds to the cost."""
    if start == LATER:
        return 0.0
    put(line, jobs, j, start)
    return add_job(rates, sums, start, start + jobs.duration[j], jobs.watts[j]) + own_cost(
        rates, jobs, j, start
    )


@inlined
def take_all_out(line, rates, sums, jobs, work, start, k):
    """Take the chosen jobs out, and remember where they were. Returns what that adds to the cost."""
    more = 0.0
    for p in range(k):
        j = work.chosen[p]
        work.before[p] = start[j]
        work.since_before[p] = work.since[j]
        more += take_out(line, rates, sums, jobs, j, start[j])
    return more


@inlined
def put_best(line, rates, sums, jobs, work, start, k, day_end):
    """Put the chosen jobs back, each at its best start. Returns what that adds to the cost."""
    more = 0.0
    for p in range(k):
        j = work.chosen[p]
        first, start[j] = best_start(line, rates, sums, jobs, j, day_end)
        held = first < start[j] < LATER
        work.since[j] = start[j] if held else jobs.release[j]
        more += put_in(line, rates, sums, jobs, j, start[j])
    return more


@inlined
def put_in_turn(line, rates, sums, jobs, work, start, whole, k, day_end):
    """Put the jobs of a stretch back, each at the earliest time that it is not held beyond; one of them is held
    for longer than before, or no longer, or takes another place in the order.
    """
    i = int(draw(work) * whole)
    pivot = work.chosen[i]
    kind = draw(work)
    if kind < 0.25:
        work.since[pivot] = jobs.release[pivot]
    elif kind < 0.5:
        _, time = best_start(line, rates, sums, jobs, pivot, day_end)
        work.since[pivot] = jobs.release[pivot] if time == LATER else time
    elif kind < 0.75:
        reach = jobs.last[pivot] - jobs.release[pivot]
        work.since[pivot] = min(
            start[pivot] + int(draw(work) * draw(work) * reach), jobs.last[pivot]
        )
    if kind >= 0.5:
        q = int(draw(work) * whole)
        move(work.chosen, i, q, False)
        move(work.before, i, q, False)
        move(work.since_before, i, q, False)
    more = 0.0
    for p in range(k):
        j = work.chosen[p]
        i, time = room_before(line, work.since[j], jobs.demand[j], jobs.duration[j], day_end)
        start[j] = LATER if i == NONE else time
        more += put_in(line, rates, sums, jobs, j, start[j])
    return more


@inlined
def undo(line, rates, sums, jobs, work, start, k):
    """Put the chosen jobs back to where they were."""
    for p in range(k):
        j = work.chosen[p]
        take_out(line, rates, sums, jobs, j, start[j])
    for p in range(k):
        j = work.chosen[p]
        start[j] = work.before[p]
        work.since[j] = work.since_before[p]
        put_in(line, rates, sums, jobs, j, start[j])


@compiled
def follow(rates, sums, jobs, line, held, work, start):
    """Go on from a plan."""
    rates, sums, jobs = borrow(rates), borrow(sums), borrow(jobs)
    line, held, work, start = borrow(line), borrow(held), borrow(work), borrow(start)
    begin(line, held)
    for j in range(start.size):
        work.best[j] = start[j]
        work.since[j] = jobs.release[j]
        if start[j] != LATER:
            put(line, jobs, j, start[j])
    work.reals[COST] = whole_cost(rates, sums, jobs, start)
    work.reals[BEST] = work.reals[COST]


@compiled
def improve(rates, sums, jobs, line, held, work, start, tries):
    """Try so many neighbourhoods. The best plan so far is ``work.best``."""
    rates, sums, jobs = borrow(rates), borrow(sums), borrow(jobs)
    line, held, work, start = borrow(line), borrow(held), borrow(work), borrow(start)
    day_end = held.numbers[DAY_END]
    for t in range(tries):
        if t % SORTED == 0:
            sort_out(work, start)
            work.reals[COST] = whole_cost(rates, sums, jobs, start)
            set_rates(rates, sums)
        if draw(work) < SOME:
            k = choose_some(work, start.size)
            more = take_all_out(line, rates, sums, jobs, work, start, k)
            more += put_best(line, rates, sums, jobs, work, start, k, day_end)
        else:
            whole = choose_stretch(work, start, start.size)
            k = choose_left(work, whole)
            if whole == 0:
                continue
            more = take_all_out(line, rates, sums, jobs, work, start, k)
            more += put_in_turn(line, rates, sums, jobs, work, start, whole, k, day_end)
        if more > -work.reals[HEAT] * math.log(1.0 - draw(work)):
            undo(line, rates, sums, jobs, work, start, k)
            continue
        work.reals[COST] += more
        if work.reals[COST] < work.reals[BEST] - 1e-12 * abs(work.reals[BEST]):
            work.reals[BEST] = work.reals[COST]
            for j in range(start.size):
                work.best[j] = start[j]
