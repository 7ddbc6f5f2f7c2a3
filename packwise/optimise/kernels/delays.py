"""Holding jobs back for cheaper hours.

The search has found an order. Its jobs are inserted again, one by one, each at the start at which waiting and
energy together cost least beside those before it: the value of waiting is so much a second, and energy is
what the rates of its time add up to. If that holds anybody back, other orders of insertion are tried, and the
one that costs all jobs least is taken: who comes first has the choice of the cheap hours.

Both costs are counted for a watt of a job, and weighed by its cores in the sum. The cost of a start is linear
between the moments at which start or end meets a change of rate, so only these are asked, and the ends of
each stretch in which there is room. No job is held beyond a time after its submission, nor beyond its
deadline.

Rates are whole numbers, and so are their sums: a difference of two sums is the same wherever the sums begin,
so a round that is asked for alone decides as the replay did.
"""

from __future__ import annotations

from typing import NamedTuple

from packwise.compiled import apart, inlined
from packwise.engine.bisection import position
from packwise.engine.memory import Group
from packwise.engine.pool.profile import earliest, hold
from packwise.engine.state import NO_TIME, POLICY
from packwise.model.workload import NO_DEADLINE, Floats, Ints
from packwise.optimise.kernels.chance import draw, seed_random
from packwise.optimise.kernels.deadlines import IGNORE
from packwise.optimise.kernels.search import DEADLINES, SEED, move

#: The group of what holding back depends on, in a state.
POWER = POLICY + 3

# Its settings: the value of a second of waiting; how long after its submission a job may be held; how many
# orders are tried; and that the value falls with the width of a job by this power, from a job of that width
# on
VALUE, LONGEST, TRIES, FALL, WIDTH = range(5)
SETTINGS = 5

#: Jobs at the front of the plan whose order of insertion is searched.
FRONT = 24

#: Seconds within which ``low`` is the lowest rate.
AHEAD = 3 * 86400


class Power(NamedTuple):
    """``sums``: what a watt has come to at each of ``edges``, in ten-thousandths. ``held``: whether a waiting
    job is held back, by its place.
    """

    settings: Floats
    edges: Ints
    sums: Ints
    rates: Ints
    low: Ints
    held: Ints


@inlined
def cell_of(power, time):
    """The cell that a time, not before the first edge, lies in: from its edge until the next one."""
    edges = power.edges
    k = position(edges, 0, edges.size, time + 1)
    return k - 1


@inlined
def come_to(power, k, time):
    """What a watt has come to at a time in cell ``k``."""
    return power.sums[k] + (time - power.edges[k]) * power.rates[k]


@inlined
def next_cell(power, k, time):
    """The cell of a time that lies in cell ``k`` or later."""
    while k + 1 < power.edges.size and power.edges[k + 1] <= time:
        k += 1
    return k


@inlined
def latest_worth(power, value, here, duration, now, latest, cost):
    """Up to ``latest``, the latest start that could cost less than one in cell ``here`` that costs so much:
    none is better that is so late that even the lowest rate ahead would not make up for the wait.
    """
    if latest + duration <= power.edges[here] + AHEAD:
        most = cost - float(duration * power.low[here])
        if value * float(latest - now) > most:
            latest = now + int(most / value) + 1
    return latest


@inlined
def best_start(power, value, times, free, steps, first, demand, duration, now, latest):
    """The best start up to ``latest``, from step ``first`` on, at which there is room; that step's own time if
    it is later. Of several that cost the same, the first.
    """
    edges, sums = power.edges, power.sums
    start = times[first]
    here = cell_of(power, start)
    there = next_cell(power, here, start + duration)
    energy = come_to(power, there, start + duration) - come_to(power, here, start)
    cost = value * (start - now) + float(energy)
    latest = latest_worth(power, value, here, duration, now, latest, cost)
    i = first
    while times[i] <= latest:
        j = i + 1
        while j < steps and free[j] >= demand:
            j += 1
        # There is room from step i until step j, or for ever.
        begin = times[i]
        end = latest
        if j < steps:
            end = min(end, times[j] - duration)
        if end >= begin:
            # Starts at an edge, or the begin or the end of the room; then ends at an edge.
            here = next_cell(power, here, begin)
            k = here
            time = begin
            there = next_cell(power, k, time + duration)
            while True:
                there = next_cell(power, there, time + duration)
                energy = come_to(power, there, time + duration) - come_to(power, k, time)
                asked = value * (time - now) + float(energy)
                if asked < cost or (asked == cost and time < start):
                    start, cost = time, asked
                if time >= end:
                    break
                time = end
                if k + 1 < edges.size and edges[k + 1] <= end:
                    k += 1
                    time = edges[k]
            k = here
            there = next_cell(power, k, begin + duration) + 1
            while there < edges.size and edges[there] < end + duration:
                time = edges[there] - duration
                k = next_cell(power, k, time)
                energy = sums[there] - come_to(power, k, time)
                asked = value * (time - now) + float(energy)
                if asked < cost or (asked == cost and time < start):
                    start, cost = time, asked
                there += 1
        if j >= steps:
            break
        i = j
        while free[i] < demand:
            i += 1
    return start, cost


@inlined
def latest_start(power, settings, pool, j, first):
    """Until when a job may be held that could start at ``first``."""
    latest = pool.submit[j] + int(power.settings[LONGEST])
    if settings[DEADLINES] != IGNORE and pool.deadline[j] != NO_DEADLINE:
        latest = min(latest, pool.deadline[j] - max(pool.estimate[j], pool.limit[j]))
    return max(latest, first)


@inlined
def value_of(power, demand):
    """What a second of waiting is worth, for each core of a job of this width."""
    value = power.settings[VALUE]
    if power.settings[FALL] > 0.0:
        value *= (power.settings[WIDTH] / demand) ** power.settings[FALL]
    return value


@apart
def insert_held(power, settings, pool, space, order, now, n, steps):
    """Insert the jobs of an order, each at its best start. The starts go to ``pool.trial``, and
    ``power.held`` tells who could have started before. Returns what all of them cost.
    """
    times, free = space.times, space.free
    for i in range(steps):
        times[i] = space.base_times[i]
        free[i] = space.base_free[i]
    total = 0.0
    for p in range(n):
        j = order[p]
        demand, duration = pool.demand[j], pool.estimate[j]
        i, _ = earliest(times, free, 0, steps, demand, duration)
        first = times[i]
        latest = latest_start(power, settings, pool, j, first)
        value = value_of(power, demand)
        start, cost = best_start(power, value, times, free, steps, i, demand, duration, now, latest)
        total += cost * demand
        pool.trial[j] = start
        power.held[j] = 1 if start > first else 0
        steps = hold(times, free, 0, steps, start, start + duration, demand)
    return total


@inlined
def keep_trial(power, pool, n):
    """Let the starts of the last trial be those of the plan. Returns the first of who could have started
    before, or NO_TIME.
    """
    wake = NO_TIME
    for j in range(n):
        pool.kept[j] = pool.trial[j]
        if power.held[j]:
            wake = min(wake, pool.kept[j])
    return wake


@apart
def hold_back(power, settings, pool, space, now, n, steps):
    """Give the jobs of ``pool.plan`` their starts, in ``pool.kept``. Returns when to be woken: at the first
    start of a job that could have started before, or NO_TIME.
    """
    seed_random(space, int(settings[SEED]), now, n)
    for p in range(n):
        pool.order[p] = pool.plan[p]
    best = insert_held(power, settings, pool, space, pool.order, now, n, steps)
    front = min(n, FRONT)
    anybody = False
    for j in range(n):
        anybody = anybody or power.held[j] > 0
    # Where nobody is held back, the plan is the search's own, and stays.
    tries = int(power.settings[TRIES]) if anybody and front > 1 else 0
    for _ in range(tries):
        i = int(draw(space) * front)
        j = int(draw(space) * (front - 1))
        j += j >= i
        swap = draw(space) < 0.5
        move(pool.order, i, j, swap)
        cost = insert_held(power, settings, pool, space, pool.order, now, n, steps)
        if cost < best:
            best = cost
        elif swap:
            move(pool.order, i, j, swap)
        else:
            move(pool.order, j, i, swap)
    if tries > 0:
        insert_held(power, settings, pool, space, pool.order, now, n, steps)
    return keep_trial(power, pool, n)


def new_power(jobs: int, edges: int) -> Group:
    """Room for rates with so many edges, and for so many waiting jobs."""
    return Group(Power, (SETTINGS, *(edges,) * 4, jobs + 1))
