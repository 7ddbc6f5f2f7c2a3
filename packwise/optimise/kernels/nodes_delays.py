"""Holding jobs back for cheaper hours, on nodes: see ``delays`` for a pool.

The search's plan is inserted again, each job at the best of the starts that are asked: the earliest at which it
has nodes from now on, from each change of rate on, and from each time on at which it would end at a change.
Other orders of those at the front are compared by what the front costs: who is behind it is inserted once.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.engine.nodes.cells import hold
from packwise.engine.nodes.earliest import earliest
from packwise.engine.nodes.group import RULE
from packwise.engine.nodes.places import choose, settle
from packwise.engine.state import NO_TIME
from packwise.optimise.kernels.chance import draw, seed_random
from packwise.optimise.kernels.delays import (
    FRONT,
    TRIES,
    cell_of,
    come_to,
    keep_trial,
    latest_start,
    latest_worth,
    next_cell,
    value_of,
)
from packwise.optimise.kernels.nodes_evaluation import take_out
from packwise.optimise.kernels.search import SEED, move


@inlined
def next_asked(power, here, there, duration):
    """The next time at which a start, or the end of the job, meets a change of rate; ``here`` and ``there`` are
    the cells of the last.
    """
    edges = power.edges
    time = NO_TIME
    if here + 1 < edges.size:
        time = edges[here + 1]
    if there + 1 < edges.size:
        time = min(time, edges[there + 1] - duration)
    return time


@apart
def place(power, settings, pool, nodes, j, now):
    """Give a job of the pool nodes from the best of the starts that are asked; of several that cost the same,
    the first. It goes to ``pool.trial``, and ``power.held`` tells whether the job could have started before.
    Returns what it costs.
    """
    job, duration = pool.job[j], pool.estimate[j]
    value = value_of(power, pool.demand[j])
    here = there = cell_of(power, now)
    first = start = found = -1
    time = latest = now
    cost = 0.0
    asking = True
    while asking or found != start:  # the nodes that are looked at last are those of the best start
        found = earliest(nodes, job, now, time, duration)
        if asking:
            here = next_cell(power, here, found)
            there = next_cell(power, there, found + duration)
            energy = come_to(power, there, found + duration) - come_to(power, here, found)
            asked = value * (found - now) + float(energy)
            if first < 0:
                first, start, cost = found, found, asked
                latest = latest_start(power, settings, pool, j, first)
                latest = latest_worth(power, value, here, duration, now, latest, cost)
            elif found <= latest and asked < cost:
                start, cost = found, asked
            time = next_asked(power, here, there, duration)
            asking = max(found, time) <= latest
            if not asking:
                time = start
    pool.trial[j] = start
    power.held[j] = 1 if start > first else 0
    settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], start > now))
    hold(nodes, job, now, start, start + duration)
    return cost * pool.demand[j]


@apart
def hold_back_on_nodes(power, settings, pool, space, nodes, now, n):
    """Give the jobs of ``pool.plan`` their starts, in ``pool.kept``, and nodes, which they then hold. Returns
    when to be woken: at the first start of a job that could have started before, or NO_TIME.
    """
    seed_random(space, int(settings[SEED]), now, n)
    for p in range(n):
        pool.order[p] = pool.plan[p]
    front = min(n, FRONT)
    best = math.inf
    tries = int(power.settings[TRIES]) if front > 1 else 0
    tried = 0
    # The plan's own order first; if that holds anybody back, others; at last the best one, and all behind.
    while tried <= tries + 1:
        last = tried == tries + 1
        i = j = 0
        swap = False
        if tried > 0:
            for p in range(front):
                take_out(pool, nodes, now, pool.order[p], pool.trial[pool.order[p]])
            if not last:
                i = int(draw(space) * front)
                j = int(draw(space) * (front - 1))
                j += j >= i
                swap = draw(space) < 0.5
                move(pool.order, i, j, swap)
        cost = 0.0
        held = 0
        for p in range(n if last else front):
            cost += place(power, settings, pool, nodes, pool.order[p], now)
            held += power.held[pool.order[p]]
        if cost < best:
            best = cost
        elif not last:
            move(pool.order, i if swap else j, j if swap else i, swap)
        tried = tried + 1 if tried > 0 or held > 0 else tries + 1
    return keep_trial(power, pool, n)
