"""A relaxed log: processors may be overbooked, for a fee that changes over time.

Every feasible schedule pays no more in fees than the machine has to sell, so what the jobs pay at least, in
fees and for their starts, less the fees for the whole machine, is a lower bound, whatever the fees (Lagrange).
Each job can be looked at alone. ``packwise.optimise.offline.bound`` looks for good fees.
"""

from __future__ import annotations

import math

from packwise.compiled import compiled, inlined
from packwise.engine.slots import borrow
from packwise.optimise.kernels.fluid import mean_price
from packwise.optimise.kernels.offline import ALPHA, BOUNDED, HOUR, KIND, LINEAR, RATIO


@compiled
def relaxed(rule, jobs, procs, origin, width, fee, paid, usage):
    """The bound that fees give. ``usage`` becomes what is used in each cell of time, in processor seconds.

    ``fee`` is per processor second, in cells of ``width`` seconds from ``origin`` on; ``paid`` is scratch.
    """
    rule = borrow(rule)
    jobs = borrow(jobs)
    fee = borrow(fee)
    paid = borrow(paid)
    usage = borrow(usage)
    cells = fee.size
    paid[0] = 0.0
    for k in range(cells):
        paid[k + 1] = paid[k] + fee[k] * width
    for k in range(cells):
        usage[k] = 0.0
    total = -procs * paid[cells]
    for j in range(jobs.submit.size):
        best, start = cheapest(rule, jobs, j, origin, width, fee, paid)
        total += best
        use(usage, origin, width, start, jobs.runtime[j], jobs.demand[j])
    return total


@inlined
def cheapest(rule, jobs, j, origin, width, fee, paid):
    """What job j pays at least, and about where.

    Between two moments at which its start or its end enters another cell, fees are linear in the start, and
    what it pays for the start itself is no less than its tangent.
    """
    run = jobs.runtime[j]
    demand = jobs.demand[j]
    end = origin + fee.size * width
    best = math.inf
    best_start = jobs.submit[j]
    start = jobs.submit[j]
    while True:
        cost, slope = cost_and_slope(rule, jobs, j, start)
        if cost >= best:
            return best, best_start
        value = cost + demand * fees(fee, paid, origin, width, start, run)
        if value < best:
            best = value
            best_start = start
        if start >= end:
            return best, best_start
        step = width - max((start - origin) % width, (start + run - origin) % width)
        value = cost + slope * step + demand * fees(fee, paid, origin, width, start + step, run)
        start += step
        if value < best:
            best = value
            best_start = start


@inlined
def fees(fee, paid, origin, width, start, run):
    """What one processor costs for so long."""
    return paid_until(fee, paid, origin, width, start + run) - paid_until(
        fee, paid, origin, width, start
    )


@inlined
def paid_until(fee, paid, origin, width, time):
    """What one processor costs from the origin on."""
    k = (time - origin) // width
    if k >= fee.size:
        return paid[fee.size]
    return paid[k] + fee[k] * (time - origin - k * width)


@inlined
def use(usage, origin, width, start, run, demand):
    """Count a job in the cells that it runs in."""
    k = (start - origin) // width
    end = start + run
    while start < end and k < usage.size:
        until = min(end, origin + (k + 1) * width)
        usage[k] += float(demand) * (until - start)
        start = until
        k += 1


@inlined
def cost_and_slope(rule, jobs, j, start):
    """What job j pays for a start, and for a second more.

    For P^alpha SF: (alpha+1)/(alpha+2) N - ratio x D, or less where that falls (see ``bounds.py``).
    """
    wait = float(start - jobs.submit[j])
    run = float(jobs.runtime[j])
    weight = jobs.weight[j]
    if rule[KIND] == LINEAR:
        return weight * wait, weight
    if rule[KIND] == BOUNDED:
        cost = weight * (wait + run)
        return (cost, weight) if cost >= 1.0 else (1.0, 0.0)
    wait /= HOUR
    run /= HOUR
    alpha = rule[ALPHA]
    ratio = rule[RATIO]
    cost = weight * run * mean_price(wait, wait + run, alpha, ratio)
    more = least_price(wait + run, alpha, ratio) - least_price(wait, alpha, ratio)
    return cost, weight * more / HOUR


@inlined
def least_price(age, alpha, ratio):
    """What computation of an age pays, or the least that it gets from there on."""
    age = max(age, ratio * alpha / (alpha + 1.0))
    return (alpha + 1.0) * age**alpha * (age - ratio)
