"""The order search: the best of some list plans and the last plan, improved by moving jobs about.

A plan is an order: its jobs are inserted one by one, each at the earliest time at which it fits. The
search moves one job to another place, or swaps two, and keeps the new order if it is better, or by
chance if it is little worse (simulated annealing). Places at the front are drawn more often than those
at the back: what starts now is decided there, and the back is searched again at later rounds.
What an order costs is asked of ``evaluation.py``, or on nodes of ``nodes_evaluation.py``.
"""

from __future__ import annotations

import math
from typing import Any

from packwise.compiled import apart, inlined
from packwise.engine.state import NO_TIME
from packwise.optimise.kernels.chance import draw, seed_random
from packwise.optimise.kernels.columns import KIND, USER
from packwise.optimise.kernels.cost import prepare_weights, pressure_of, slope_of
from packwise.optimise.kernels.deadlines import HARD, mark_deadlines, set_penalties
from packwise.optimise.kernels.fluid import fluid
from packwise.optimise.kernels.newcomers import LEAST
from packwise.optimise.kernels.payment import pay
from packwise.optimise.kernels.sorting import sort_by
from packwise.optimise.kernels.workspace import (
    BAD_PLACE,
    BEST_SEED,
    BOUND,
    COST,
    NEWCOMERS,
    NOT_FINITE,
    SEED_COST,
)

# Seeds, in the order in which they are tried: the first of the best is kept.
CARRIED, NEW_FIRST, DENSEST, FCFS, LAF, SJF, SPF, SAF, DUE_FIRST = range(9)
SEEDS = 9

#: Part of a cost. Costs that differ by less are the same: that comes of adding up in another order.
ROUNDING = 1e-12

# Settings of a search
BUDGET, WINDOW, TEMPERATURE, SEED, DEADLINES, PATIENCE, PROCS, TWO_ESTIMATES = range(8)


@inlined
def is_less(cost, than):
    """Whether a cost is less than another by more than rounding."""
    return than - cost > ROUNDING * abs(cost)


@apart
def move(order, i, j, swap):
    """Swap two places of an order, or take a job from place ``i`` to place ``j``."""
    job = order[i]
    if swap:
        order[i] = order[j]
    elif i < j:
        for p in range(i, j):
            order[p] = order[p + 1]
    else:
        for p in range(i, j, -1):
            order[p] = order[p - 1]
    order[j] = job


@apart
def seed_order(terms, now, which, pool, n):
    """Fill ``pool.seed`` with one of the seeds. False if it is no other than the carried order."""
    if which == NEW_FIRST:
        k = 0
        for j in range(n):
            if pool.fresh[j]:
                pool.seed[k] = j
                k += 1
        if k == 0 or k == n:
            return False
        for j in range(n):
            if not pool.fresh[j]:
                pool.seed[k] = j
                k += 1
        return True
    due = False
    for j in range(n):
        due = due or pool.latest[j] != NO_TIME
    if which == DUE_FIRST and not due:
        return False
    for j in range(n):
        pool.seed[j] = j
        demand = float(pool.demand[j])
        estimate = float(pool.estimate[j])
        pool.second[j] = float(pool.submit[j])
        if which == DENSEST:  # Smith's rule: most cost per second of delay and unit of work first
            slope = slope_of(terms, now, pool, j, now)
            pool.first[j] = demand * estimate / slope if slope > 0.0 else math.inf
        elif (
            which == DUE_FIRST
        ):  # those with a deadline, by when they must start; then by Smith's rule
            pool.first[j] = float(pool.latest[j])
            if pool.latest[j] == NO_TIME:
                slope = slope_of(terms, now, pool, j, now)
                pool.second[j] = demand * estimate / slope if slope > 0.0 else math.inf
        elif which == FCFS:
            pool.first[j] = float(pool.submit[j])
        elif which == LAF:
            pool.first[j] = -demand * estimate
        elif which == SJF:
            pool.first[j] = estimate
        elif which == SPF:
            pool.first[j] = demand * estimate * estimate
        else:
            pool.first[j] = demand * estimate
    if which != CARRIED:
        sort_by(pool.seed, pool.first, pool.second, n)
    return True


@inlined
def bound_below(terms, now, pool, space, n, steps, alone):
    """What any plan costs at least: no less than ``alone``, what all would if each were the only one.

    The costs are convex, so the line that touches each at the plan's start is nowhere above it; for such
    lines the fluid machine gives a bound (``packwise.optimise.bounds``). A user's cost has none.
    """
    for t in range(terms.size):
        if terms[t, KIND] == USER or pool.power[t] < 1.0:
            return math.nan
    for j in range(n):
        if pool.penalty[j] > 0.0 and pool.kept[j] > pool.latest[j]:
            return math.nan  # a penalty is a step
    lines = 0.0
    for j in range(n):
        slope = slope_of(terms, now, pool, j, pool.kept[j])
        work = float(pool.demand[j]) * pool.estimate[j]
        pool.slope[j] = slope
        pool.seed[j] = j
        pool.first[j] = work / slope if slope > 0.0 else math.inf
        pool.second[j] = float(pool.submit[j])
        lines += slope * (pool.kept[j] + pool.estimate[j])
    sort_by(pool.seed, pool.first, pool.second, n)
    least = fluid(
        pool.seed[:n],
        pool.slope,
        pool.demand,
        pool.estimate,
        space.base_times,
        space.base_free,
        steps,
    )
    jobs = space.report[COST] - space.report[NEWCOMERS]
    return max(jobs - max(lines - least, 0.0), alone) + space.expects[LEAST]


def make_search(
    alone: Any,
    insert_all: Any,
    begin: Any,
    evaluate: Any,
    keep: Any,
    finish: Any,
    newcomers_pay: Any,
    expect_newcomers: Any,
    on_nodes: bool,
) -> Any:
    """The search on a pool or on nodes, made of what is known of the room there.

    ``alone``: when a job would start if it were the only one. ``insert_all``: what an order costs.
    ``evaluate``: the same for one that has changed little; ``begin`` before the first and ``finish`` after the
    last such question, and ``keep`` when the answer is accepted. ``newcomers_pay``: what those pay who come,
    of whom ``expect_newcomers`` notes at first what is expected.

    On a pool an order sorted by its starts gives no later ones; on nodes it may, so that it is asked what it
    costs, and not taken if that is more.
    """

    @inlined
    def best_seed(settings, terms, now, pool, space, room, n, steps, least):
        """Put the best seed, sorted by its starts, into ``pool.plan`` and ``pool.kept``. Returns its cost."""
        best = math.inf
        for which in range(SEEDS):
            if not seed_order(terms, now, which, pool, n):
                continue
            limit = best - space.expects[LEAST]
            cost = insert_all(terms, now, pool, space, room, pool.seed, n, steps, limit, least)
            if cost < math.inf:
                cost += newcomers_pay(pool, space, now, pool.seed, n, int(settings[WINDOW]))
            if is_less(cost, best):
                best = cost
                space.report[BEST_SEED] = which
                for p in range(n):
                    pool.plan[p] = pool.seed[p]
                    pool.kept[p] = pool.trial[p]
        for p in range(n):
            pool.first[pool.plan[p]] = float(pool.kept[pool.plan[p]])
            pool.second[pool.plan[p]] = float(p)
        if on_nodes:
            for p in range(n):
                pool.order[p] = pool.plan[p]
        sort_by(pool.plan, pool.first, pool.second, n)
        if on_nodes and best < math.inf:
            cost = insert_all(terms, now, pool, space, room, pool.plan, n, steps, math.inf, least)
            cost += newcomers_pay(pool, space, now, pool.plan, n, int(settings[WINDOW]))
            if cost <= best + ROUNDING * abs(best):
                best = cost
                for p in range(n):
                    pool.kept[p] = pool.trial[p]
            else:
                for p in range(n):
                    pool.plan[p] = pool.order[p]
        return best

    @apart
    def improve(settings, terms, now, pool, space, room, n, steps):
        """Search from ``pool.plan`` over its first ``n`` jobs; the best order found goes back to it.

        Returns whether one was found.
        """
        least = 0.0
        for p in range(n):
            pool.order[p] = pool.plan[p]
            least += pool.least[pool.plan[p]]
        begin(space, steps)
        budget = int(settings[BUDGET])
        jobs = 0.0  # what the current order costs them
        current = 0.0  # and newcomers, too
        best = math.inf
        improved = False
        heat = 0.0
        # The first pass evaluates the order as it is, and remembers its profiles; the others try a move.
        for step in range(budget + 1):
            fresh = step == 0
            limit = math.inf
            i, j = 0, n - 1
            swap = False
            if not fresh:
                warmer = heat * (1.0 - step / budget) * math.log(1.0 - draw(space))
                limit = current - ROUNDING * abs(current) - warmer
                i = int(draw(space) ** 2 * n)
                j = int(draw(space) ** 2 * (n - 1))
                j += j >= i
                swap = draw(space) < 0.5
                move(pool.order, i, j, swap)
            first = min(i, j)
            cost, coming, written = evaluate(
                terms, now, pool, space, room, n, first, max(i, j), limit, jobs, least, fresh
            )
            if cost == math.inf:
                if swap:
                    move(pool.order, i, j, swap)
                else:
                    move(pool.order, j, i, swap)
                continue
            jobs = cost
            for p in range(n):
                pool.current[pool.order[p]] = pool.trial[pool.order[p]]
            cost += coming
            current = cost
            if fresh:
                best = cost
                heat = settings[TEMPERATURE] * max(jobs - least, 0.0) / n
                continue
            keep(space, first, written)
            if is_less(cost, best):
                best = cost
                improved = True
                for p in range(n):
                    pool.plan[p] = pool.order[p]
        finish(pool, room, now, n)
        return improved

    @apart
    def search(settings, terms, doubt, now, pool, space, room, n, steps):
        """Plan a round: the order goes to ``pool.plan``, the starts to ``pool.kept``, facts to the report.

        Queues longer than the window are searched over the jobs that start first in the best seed; the rest
        follows in its order, with reservations as exact. The plan is never worse than the best seed.
        """
        for k in range(space.report.size):
            space.report[k] = 0.0
        space.report[BAD_PLACE] = -1.0
        seed_random(space, int(settings[SEED]), now, n)
        pressure = pressure_of(pool, n, space.base_free[steps - 1], doubt)
        prepare_weights(terms, doubt, pressure, now, n, pool)
        expect_newcomers(terms, pool, space, room, now, n, steps)
        for j in range(n):
            pool.current[j] = alone(pool, space, room, now, j, steps)
        due = mark_deadlines(int(settings[DEADLINES]), pool, n)
        if due and settings[DEADLINES] == HARD:
            seed_order(terms, now, CARRIED, pool, n)
            for j in range(n):
                pool.least[j] = -math.inf
            insert_all(terms, now, pool, space, room, pool.seed, n, steps, math.inf, 0.0)
            coming = newcomers_pay(pool, space, now, pool.seed, n, int(settings[WINDOW]))
            set_penalties(terms, now, pool, n, coming)
        least = 0.0
        for j in range(n):
            pool.least[j] = -math.inf
            pool.least[j] = pay(terms, now, pool, space, j, pool.current[j])
            least += pool.least[j]
        cost = best_seed(settings, terms, now, pool, space, room, n, steps, least)
        if not (math.isfinite(cost) and math.isfinite(least)):
            space.report[NOT_FINITE] = 1.0
            return
        space.report[SEED_COST] = cost
        space.report[COST] = cost
        for j in range(n):
            pool.trial[j] = pool.kept[j]
        most = int(settings[WINDOW])
        space.report[NEWCOMERS] = newcomers_pay(pool, space, now, pool.plan, n, most)
        window = min(n, int(settings[WINDOW]))
        for p in range(n):
            pool.seed[p] = pool.plan[p]
        if (
            window > 1
            and settings[BUDGET] > 0.0
            and improve(settings, terms, now, pool, space, room, window, steps)
        ):
            found = insert_all(terms, now, pool, space, room, pool.plan, n, steps, math.inf, least)
            coming = newcomers_pay(pool, space, now, pool.plan, n, most)
            if is_less(found + coming, cost):
                space.report[COST] = found + coming
                space.report[NEWCOMERS] = coming
                for j in range(n):
                    pool.kept[j] = pool.trial[j]
            else:
                for p in range(n):
                    pool.plan[p] = pool.seed[p]
        space.report[BOUND] = bound_below(terms, now, pool, space, n, steps, least)
        if due and not on_nodes:  # so that the plan, inserted again, gives no later starts
            for p in range(n):
                pool.first[pool.plan[p]] = float(pool.kept[pool.plan[p]])
                pool.second[pool.plan[p]] = float(p)
            sort_by(pool.plan, pool.first, pool.second, n)

    return search
