"""What an order costs on a pool: its jobs are inserted one by one, each at the earliest time at which it fits.

What makes it fast enough to ask of many orders in every round (all exact: the answer is that of a full
evaluation):

* The profile is remembered after every few jobs, so that an order is evaluated from where it differs.
* Behind the last moved job, once the profile is again what it was, the rest is known.
* Costs only grow with later starts, so an order is given up when what is placed, and the least that the
  rest can cost, exceed what would be accepted. A cost that falls with a later start is noticed, and then
  nothing is given up early.
* Newcomers are asked last: they pay no less than for the running jobs alone.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.engine.pool.profile import earliest, take
from packwise.optimise.kernels.newcomers import HALF, LEAST, expect_newcomers, newcomers_pay
from packwise.optimise.kernels.payment import pay
from packwise.optimise.kernels.search import make_search
from packwise.optimise.kernels.workspace import (
    EVALUATIONS,
    IRREGULAR,
    STRIDE,
)


@inlined
def place(times, free, steps, demand, estimate):
    """Put a job at the earliest time at which it fits. Returns its start and the steps."""
    i, j = earliest(times, free, 0, steps, demand, estimate)
    start = times[i]
    return start, take(times, free, steps, i, j, start + estimate, demand)


@apart
def insert_all(terms, now, pool, space, room, order, n, steps, limit, least):
    """The cost of an order, its starts going to ``pool.trial``; infinite once it cannot stay below the
    limit. ``least`` is what all jobs cost at least.
    """
    times = space.times
    free = space.free
    for i in range(steps):
        times[i] = space.base_times[i]
        free[i] = space.base_free[i]
    cost = 0.0
    rest = least
    space.report[EVALUATIONS] += 1.0
    for p in range(n):
        j = order[p]
        start, steps = place(times, free, steps, pool.demand[j], pool.estimate[j])
        pool.trial[j] = start
        cost += pay(terms, now, pool, space, j, start)
        rest -= pool.least[j]
        if cost + rest >= limit and space.report[IRREGULAR] == 0.0 and limit < math.inf:
            return math.inf
    return cost


@inlined
def evaluate(terms, now, pool, space, room, n, first, last, limit, current, least, fresh):
    """The cost of ``pool.order`` whose places ``first`` to ``last`` have changed, what newcomers pay beside it,
    and how far profiles were remembered for it. The starts go to ``pool.trial``; those of the order before are
    in ``pool.current``. The cost is infinite if the order is not below the limit. With ``fresh`` nothing is
    remembered yet.
    """
    times = space.times
    free = space.free
    slots = space.bank.size
    begin = first // STRIDE
    row = space.bank[begin] * slots + begin
    steps = space.saved_steps[row]
    for i in range(steps):
        times[i] = space.saved_times[row, i]
        free[i] = space.saved_free[row, i]
    cost = space.saved_cost[row]
    placed = space.saved_least[row]
    written = begin
    bound = limit - space.expects[LEAST]
    space.report[EVALUATIONS] += 1.0
    for p in range(begin * STRIDE, n):
        if p % STRIDE == 0 and p > begin * STRIDE:
            slot = p // STRIDE
            row = space.bank[slot] * slots + slot
            if not fresh:
                if p > last and same_profile(space, row, steps):
                    change = cost - space.saved_cost[row]
                    if current + change >= bound:
                        return math.inf, 0.0, written
                    coming = coming_after(pool, space, now, n, begin * STRIDE, p)
                    if current + change + coming >= limit:
                        return math.inf, 0.0, written
                    for later in range(slot, (n - 1) // STRIDE + 1):
                        space.saved_cost[space.bank[later] * slots + later] += change
                    return current + change, coming, written
                row = (1 - space.bank[slot]) * slots + slot
            for i in range(steps):
                space.saved_times[row, i] = times[i]
                space.saved_free[row, i] = free[i]
            space.saved_steps[row] = steps
            space.saved_cost[row] = cost
            space.saved_least[row] = placed
            written = slot
        j = pool.order[p]
        start, steps = place(times, free, steps, pool.demand[j], pool.estimate[j])
        pool.trial[j] = start
        cost += pay(terms, now, pool, space, j, start)
        placed += pool.least[j]
        if cost + (least - placed) >= bound and space.report[IRREGULAR] == 0.0:
            return math.inf, 0.0, written
    if cost >= bound:
        return math.inf, 0.0, written
    coming = coming_after(pool, space, now, n, begin * STRIDE, n)
    if cost + coming >= limit:
        return math.inf, 0.0, written
    return cost, coming, written


@inlined
def coming_after(pool, space, now, n, first, last):
    """What newcomers pay for ``pool.order``, of which the places from ``first`` to before ``last`` have been
    planned anew; the others start as in the order before.
    """
    if space.expects[HALF] <= 0.0:
        return 0.0
    for p in range(n):
        if p < first or p >= last:
            pool.trial[pool.order[p]] = pool.current[pool.order[p]]
    return newcomers_pay(pool, space, now, pool.order, n, n)


@inlined
def same_profile(space, row, steps):
    """Whether the working profile is what was remembered in a row."""
    if space.saved_steps[row] != steps:
        return False
    for i in range(steps):
        if space.saved_times[row, i] != space.times[i] or space.saved_free[row, i] != space.free[i]:
            return False
    return True


@inlined
def alone(pool, space, room, now, j, steps):
    """When a job would start if it were the only one."""
    i, _ = earliest(space.base_times, space.base_free, 0, steps, pool.demand[j], pool.estimate[j])
    return space.base_times[i]


@inlined
def begin(space, steps):
    """Remember the profile that the search begins with, and no others."""
    for slot in range(space.bank.size):
        space.bank[slot] = 0
    for i in range(steps):
        space.saved_times[0, i] = space.base_times[i]
        space.saved_free[0, i] = space.base_free[i]
    space.saved_steps[0] = steps
    space.saved_cost[0] = 0.0
    space.saved_least[0] = 0.0


@inlined
def keep(space, first, written):
    """The order that was evaluated last is the current one: so are the profiles remembered along it."""
    for slot in range(first // STRIDE + 1, written + 1):
        space.bank[slot] = 1 - space.bank[slot]


@inlined
def finish(pool, room, now, n):
    """Nothing is left behind on a pool."""


search = make_search(
    alone,
    insert_all,
    begin,
    evaluate,
    keep,
    finish,
    newcomers_pay,
    expect_newcomers,
    on_nodes=False,
)
