"""A fluid machine: computation is poured into the free processors instead of being placed as rectangles.

Here a job may run on more processors than it asks for, or on fewer, and may be interrupted. Every plan is
such a pouring, so the cheapest one costs no more than the best plan: see ``packwise.optimise.bounds``.
"""

from __future__ import annotations

import numpy as np

from packwise.compiled import apart, compiled, inlined
from packwise.engine.pool.profile import earliest

#: Below this part of its distance, a piece of time counts as a point: differences of powers would be noise.
_POINT = 1e-3


@inlined
def fluid(order, weight, demand, estimate, times, free, steps):
    """A bound on the sum of weight x completion, for a loop that has no room to spare.

    ``order``: jobs by weight / (demand x estimate), the largest first. ``times`` and ``free`` are the ``steps``
    steps of the profile. Weaker than :func:`pour`, but one pass without any scratch.
    """
    step = 0
    at = float(times[0])
    total = 0.0
    for k in range(order.size):
        job = order[k]
        work = float(demand[job]) * estimate[job]
        left = work
        moment = 0.0
        while left > 0.0:
            while step + 1 < steps and (at >= times[step + 1] or free[step] == 0):
                step += 1
                at = float(times[step])
            end = at + left / free[step]
            if step + 1 < steps and end > times[step + 1]:
                end = float(times[step + 1])
                poured = free[step] * (end - at)
            else:
                poured = left
            moment += poured * (at + end) / 2
            left -= poured
            at = end
        total += weight[job] * (moment / work + estimate[job] / 2)
    return total


@inlined
def mean_price(begin, end, alpha, ratio):
    """The mean price of computation between two ages of a job: see ``packwise.optimise.bounds``.

    At age x it is (alpha + 1) x^alpha (x - ratio), or the least that it gets from there on.
    """
    if alpha == 0.0:
        return (begin + end) / 2 - ratio
    lowest = ratio * alpha / (alpha + 1)
    if end - begin < _POINT * end:
        age = max((begin + end) / 2, lowest)  # no more than the mean, for the price is convex
        return (alpha + 1) * age**alpha * (age - ratio)
    turn = min(max(begin, lowest), end)
    paid = (turn - begin) * (alpha + 1) * lowest**alpha * (lowest - ratio)
    paid += _paid(end, alpha, ratio) - _paid(turn, alpha, ratio)
    return paid / (end - begin)


@inlined
def _paid(age, alpha, ratio):
    """The integral of the price up to an age."""
    return age ** (alpha + 1) * ((alpha + 1) / (alpha + 2) * age - ratio)


@apart
def pour(order, taken, scale, since, demand, estimate, times, free, alpha, ratio, left, cost):
    """What each job pays when the first in ``order`` that may run always does. ``cost`` is written.

    Jobs that are ``taken`` out use nothing. A job may run once as much as it needs has been free at all. Its
    computation pays ``scale`` x the price at its age, the time since ``since``.
    """
    n = order.size
    for job in order:
        left[job] = 0.0 if taken[job] else float(demand[job]) * estimate[job]
        cost[job] = 0.0
    first = 0
    widest = 0
    for step in range(times.size):
        at = float(times[step])
        last = step + 1 == times.size
        widest = max(widest, free[step])
        room = free[step] * (0.0 if last else times[step + 1] - at)
        while first < n and left[order[first]] <= 0.0:
            first += 1
        for k in range(first, n):
            if not last and room <= 0.0:
                break
            job = order[k]
            if left[job] <= 0.0 or demand[job] > widest:
                continue
            poured = left[job] if last else min(left[job], room)
            end = at + poured / free[step]
            price = mean_price(at - since[job], end - since[job], alpha, ratio)
            cost[job] += scale[job] * poured * price
            left[job] -= poured
            room -= poured
            at = end


@compiled
def starts_alone(demand, estimate, times, free):
    """When each job would start if it were the only one."""
    start = np.empty(demand.size)
    for job in range(demand.size):
        i, _ = earliest(times, free, 0, times.size, demand[job], estimate[job])
        start[job] = times[i]
    return start


@compiled
def prices_alone(age, demand, estimate, alpha, ratio):
    """What each job pays if it starts at this age."""
    price = np.empty(demand.size)
    for job in range(demand.size):
        mean = mean_price(age[job], age[job] + estimate[job], alpha, ratio)
        price[job] = float(demand[job]) * estimate[job] * mean
    return price


@compiled
def pour_or_place(order, scale, since, demand, estimate, alone, times, free, alpha, ratio, tries):
    """The best bound found by taking jobs out of the fluid that pay more ``alone``.

    Those behind the others in the order lose the others nothing by leaving, so they are tried first.
    """
    n = order.size
    taken = np.zeros(n, np.bool_)
    left = np.empty(n)
    cost = np.empty(n)
    trial = np.empty(n)
    pour(order, taken, scale, since, demand, estimate, times, free, alpha, ratio, left, cost)
    best = cost.sum()
    for k in range(n - 1, -1, -1):
        job = order[k]
        if tries == 0:
            break
        if alone[job] <= cost[job]:
            continue
        tries -= 1
        taken[job] = True
        pour(order, taken, scale, since, demand, estimate, times, free, alpha, ratio, left, trial)
        total = 0.0
        for other in range(n):
            total += alone[other] if taken[other] else trial[other]
        if total > best:
            best = total
            cost, trial = trial, cost
        else:
            taken[job] = False
    return max(best, alone.sum())
