"""What a plan of starts is worth: revenue, energy with its cooling, and waiting.

A *segment* is a part of a day in which it is about equally warm; what cooling adds there depends on how much
is drawn in all of it, so jobs meet in the two sums of a segment: the energy drawn, and the same times its
price. Within a segment the price may change, at the edges of cells. A job pays in each segment that it runs in.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', equations 3 to 5, with J = W x (PUE - 1): the
paper's J = W x PUE counts the work twice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from packwise.compiled import apart, compiled, inlined
from packwise.engine.bisection import position
from packwise.engine.slots import borrow
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.workspace import FloatRows

#: The start of a job that is left for another day.
LATER = 2**62


class Jobs(NamedTuple):
    """The jobs to plan. ``watts`` are those above what the cores would draw if idle; ``worth`` is what a second
    of waiting costs. ``last`` is the latest start that is worth asking for, ``rank`` the place of its demand
    among all demands.
    """

    release: Ints
    demand: Ints
    duration: Ints
    last: Ints
    rank: Ints
    watts: Floats
    worth: Floats


class Rates(NamedTuple):
    """``price`` of a joule in each cell, from one of ``edges`` to the next, and its sums until each edge;
    ``gain`` is what a core earns in a second there, with its sums. The last cell never ends. Segments begin at
    ``begins`` and consist of whole cells. ``known`` and ``known_cost`` is what each draws whatever is planned,
    and ``base`` what each cell does; a row of ``pue`` has its PUE at each of ``powers``. ``rounding`` is one
    number: the watts that the mean power is rounded to.
    """

    edges: Ints
    price: Floats
    prices: Floats
    gain: Floats
    gains: Floats
    begins: Ints
    known: Floats
    known_cost: Floats
    base: Floats
    pue: FloatRows
    powers: Floats
    rounding: Floats


class Sums(NamedTuple):
    """By segment: joules drawn, the same times the price, and the cost with cooling. By cell: what a
    watt-second costs now, cooling included, and its sums until each edge.
    """

    drawn: Floats
    priced: Floats
    cost: Floats
    rate: Floats
    rates: Floats


@inlined
def cell_of(edges, time):
    """The cell that a time is in; the first one begins no later."""
    return position(edges, 0, edges.size, time + 1) - 1


@inlined
def until(edges, each, sums, k, time):
    """What has added up until a time in cell ``k``."""
    return sums[k] + each[k] * (time - edges[k])


@inlined
def pue_of(rates, s, power):
    """PUE of a segment at a mean power; the ends of the table held."""
    powers = rates.powers
    if rates.rounding[0] > 0.0:
        power = float(round(power / rates.rounding[0])) * rates.rounding[0]
    last = powers.size - 1
    if power <= powers[0]:
        return rates.pue[s, 0]
    if power >= powers[last]:
        return rates.pue[s, last]
    k = 0
    while powers[k + 1] <= power:
        k += 1
    share = (power - powers[k]) / (powers[k + 1] - powers[k])
    return rates.pue[s, k] * (1.0 - share) + rates.pue[s, k + 1] * share


@apart
def add_job(rates, sums, start, end, watts):
    """Add what a job draws to the sums of the segments that it runs in; negative watts take it out. Returns how
    much the cost of these grows.
    """
    begins = rates.begins
    s = cell_of(begins, start)
    k = cell_of(rates.edges, start)
    paid = until(rates.edges, rates.price, rates.prices, k, start)
    more = 0.0
    while start < end:
        stop = end
        if s + 1 < begins.size:
            stop = min(stop, begins[s + 1])
        while k + 1 < rates.edges.size and rates.edges[k + 1] <= stop:
            k += 1
        now = until(rates.edges, rates.price, rates.prices, k, stop)
        sums.drawn[s] += watts * (stop - start)
        sums.priced[s] += watts * (now - paid)
        cost = cost_of(rates, sums, s)
        more += cost - sums.cost[s]
        sums.cost[s] = cost
        paid = now
        start = stop
        s += 1
    return more


@inlined
def cost_of(rates, sums, s):
    """What the energy of a segment costs, cooling included."""
    begins = rates.begins
    power = 0.0
    if s + 1 < begins.size:
        power = sums.drawn[s] / (begins[s + 1] - begins[s])
    return sums.priced[s] * pue_of(rates, s, power)


@inlined
def clear(rates, sums):
    """Nobody runs. Returns what the energy costs all the same."""
    total = 0.0
    for s in range(rates.begins.size):
        sums.drawn[s] = rates.known[s]
        sums.priced[s] = rates.known_cost[s]
        sums.cost[s] = cost_of(rates, sums, s)
        total += sums.cost[s]
    return total


@apart
def own_cost(rates, jobs, j, start):
    """What a job costs by itself: its waiting, less what it earns."""
    if start == LATER:
        return 0.0
    edges = rates.edges
    here = cell_of(edges, start)
    end = start + jobs.duration[j]
    there = cell_of(edges, end)
    earned = until(edges, rates.gain, rates.gains, there, end) - until(
        edges, rates.gain, rates.gains, here, start
    )
    return jobs.worth[j] * (start - jobs.release[j]) - jobs.demand[j] * earned


@inlined
def whole_cost(rates, sums, jobs, start):
    """What a plan costs, all in all; ``sums`` become its own."""
    total = clear(rates, sums)
    for j in range(start.size):
        if start[j] != LATER:
            total += own_cost(rates, jobs, j, start[j])
            total += add_job(rates, sums, start[j], start[j] + jobs.duration[j], jobs.watts[j])
    return total


@inlined
def set_rates(rates, sums):
    """Let ``sums.rate`` be what a watt-second costs in each cell, at the PUE that each segment has now."""
    s = 0
    sums.rates[0] = 0.0
    for k in range(rates.edges.size):
        while s + 1 < rates.begins.size and rates.begins[s + 1] <= rates.edges[k]:
            s += 1
        power = 0.0
        if s + 1 < rates.begins.size:
            power = sums.drawn[s] / (rates.begins[s + 1] - rates.begins[s])
        sums.rate[k] = rates.price[k] * pue_of(rates, s, power)
        if k + 1 < rates.edges.size:
            length = rates.edges[k + 1] - rates.edges[k]
            sums.rates[k + 1] = sums.rates[k] + sums.rate[k] * length


@inlined
def cheapest_between(jobs, j, edges, rate, rates, own, owns, sign, here, low, high):
    """The start from ``low``, which is in cell ``here``, to ``high`` at which a job costs least, and what: its
    waiting, its watts by a rate, and its cores by another, with a sign. Of several that cost the same the
    first.

    That is linear between the moments at which start or end meets an edge, so these are asked, and both ends.
    """
    duration = jobs.duration[j]
    width = sign * float(jobs.demand[j])
    best, lowest = low, math.inf
    there = here
    time = low
    while True:
        end = time + duration
        while there + 1 < edges.size and edges[there + 1] <= end:
            there += 1
        cost = (
            jobs.worth[j] * (time - jobs.release[j])
            + jobs.watts[j]
            * (until(edges, rate, rates, there, end) - until(edges, rate, rates, here, time))
            + width * (until(edges, own, owns, there, end) - until(edges, own, owns, here, time))
        )
        if cost < lowest:
            best, lowest = time, cost
        if time >= high:
            return best, lowest
        later = high
        if here + 1 < edges.size:
            later = min(later, edges[here + 1])
        if there + 1 < edges.size:
            later = min(later, edges[there + 1] - duration)
        time = later
        if here + 1 < edges.size and edges[here + 1] <= time:
            here += 1


@compiled
def cost_of_plan(rates, sums, jobs, start):
    """What a plan costs, all in all."""
    return whole_cost(borrow(rates), borrow(sums), borrow(jobs), borrow(start))
