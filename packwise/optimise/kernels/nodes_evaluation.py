"""What an order costs on nodes: its jobs are inserted one by one, each on nodes from the earliest time on.

The nodes hold the current order while others are tried: of one that differs from some place on, the jobs behind
that place are taken out and inserted anew, and put back if it is refused. Where those that were moved come to
the same nodes at the same times as before, the rest is known. As on a pool, an order is given up when what is
placed, and the least that the rest can cost, exceed what would be accepted.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.engine.nodes.cells import give_back, hold
from packwise.engine.nodes.earliest import earliest
from packwise.engine.nodes.group import STAMP
from packwise.engine.nodes.insertion import insert
from packwise.optimise.kernels.newcomers import HALF, LEAST
from packwise.optimise.kernels.nodes_newcomers import expect_newcomers, newcomers_pay
from packwise.optimise.kernels.payment import pay
from packwise.optimise.kernels.search import make_search
from packwise.optimise.kernels.workspace import EVALUATIONS, IRREGULAR


@inlined
def new_stamp(nodes):
    """A number for an occasion on which jobs are inserted, one after the other."""
    nodes.numbers[STAMP] -= 1
    return nodes.numbers[STAMP]


@inlined
def alone(pool, space, nodes, now, j, steps):
    """When a job would start if it were the only one."""
    return earliest(nodes, pool.job[j], now, now, pool.estimate[j])


@inlined
def take_out(pool, nodes, now, j, start):
    """Take a job off the nodes that it has from ``start`` on."""
    give_back(nodes, pool.job[j], now, start, start + pool.estimate[j])


@apart
def insert_all(terms, now, pool, space, nodes, order, n, steps, limit, least):
    """The cost of an order, its starts going to ``pool.trial``; infinite once it cannot stay below the limit.
    ``least`` is what all jobs cost at least. The nodes are left as they were.
    """
    cost = 0.0
    rest = least
    stamp = new_stamp(nodes)
    placed = 0
    space.report[EVALUATIONS] += 1.0
    while placed < n and cost < math.inf:
        j = order[placed]
        pool.trial[j] = insert(nodes, pool.job[j], now, pool.estimate[j], stamp)
        placed += 1
        cost += pay(terms, now, pool, space, j, pool.trial[j])
        rest -= pool.least[j]
        if cost + rest >= limit and space.report[IRREGULAR] == 0.0 and limit < math.inf:
            cost = math.inf
    for p in range(placed):
        take_out(pool, nodes, now, order[p], pool.trial[order[p]])
    return cost


@apart
def evaluate(terms, now, pool, space, nodes, n, first, last, limit, current, least, fresh):
    """The cost of ``pool.order`` whose places ``first`` to ``last`` have changed, and what newcomers pay beside
    it; the cost is infinite if the order is not below the limit. The starts go to ``pool.trial``; those of the
    order before, which the nodes hold, are in ``pool.current``. With ``fresh`` they hold none yet.
    """
    bound = limit - space.expects[LEAST]
    space.report[EVALUATIONS] += 1.0
    cost = 0.0
    placed = 0.0
    for p in range(first):
        j = pool.order[p]
        pool.trial[j] = pool.current[j]
        cost += pay(terms, now, pool, space, j, pool.trial[j])
        placed += pool.least[j]
    if not fresh:
        for p in range(first, n):
            j = pool.order[p]
            take_out(pool, nodes, now, j, pool.current[j])
            remember(nodes, pool.job[j])
    stamp = new_stamp(nodes)
    same = not fresh
    p = first
    while p < n and cost < math.inf:
        j = pool.order[p]
        if same and p > last:
            hold_as_before(pool, nodes, now, j)
        else:
            pool.trial[j] = insert(nodes, pool.job[j], now, pool.estimate[j], stamp)
            same = same and pool.trial[j] == pool.current[j] and is_as_before(nodes, pool.job[j])
        p += 1
        cost += pay(terms, now, pool, space, j, pool.trial[j])
        placed += pool.least[j]
        if cost + (least - placed) >= bound and space.report[IRREGULAR] == 0.0:
            cost = math.inf
    if cost >= bound:
        cost = math.inf
    coming = 0.0
    if cost < math.inf and space.expects[HALF] > 0.0:
        coming = newcomers_pay(pool, space, now, pool.order, n, n)
        if cost + coming >= limit:
            cost = math.inf
    if cost == math.inf:
        for q in range(first, p):
            take_out(pool, nodes, now, pool.order[q], pool.trial[pool.order[q]])
        if not fresh:
            for q in range(first, n):
                hold_as_before(pool, nodes, now, pool.order[q])
        return math.inf, 0.0, 0
    return cost, coming, 0


@inlined
def remember(nodes, job):
    """Remember the nodes of a job that is taken out for a trial."""
    first = nodes.first[job]
    nodes.old_held[job] = nodes.held[job]
    for i in range(first, first + nodes.held[job]):
        nodes.old_node[i] = nodes.node[i]
        nodes.old_share[i] = nodes.share[i]


@inlined
def is_as_before(nodes, job):
    """Whether a job has the nodes that it had before the trial."""
    if nodes.held[job] != nodes.old_held[job]:
        return False
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        if nodes.node[i] != nodes.old_node[i] or nodes.share[i] != nodes.old_share[i]:
            return False
    return True


@apart
def hold_as_before(pool, nodes, now, j):
    """Put a job back to where it was before the trial."""
    job = pool.job[j]
    first = nodes.first[job]
    nodes.held[job] = nodes.old_held[job]
    for i in range(first, first + nodes.held[job]):
        nodes.node[i] = nodes.old_node[i]
        nodes.share[i] = nodes.old_share[i]
    pool.trial[j] = pool.current[j]
    hold(nodes, job, now, pool.trial[j], pool.trial[j] + pool.estimate[j])


@inlined
def begin(space, steps):
    """There is nothing to prepare."""


@inlined
def keep(space, first, written):
    """The nodes hold the order that was evaluated last."""


@inlined
def finish(pool, nodes, now, n):
    """Take the current order off the nodes."""
    for p in range(n):
        take_out(pool, nodes, now, pool.order[p], pool.current[pool.order[p]])


search = make_search(
    alone,
    insert_all,
    begin,
    evaluate,
    keep,
    finish,
    newcomers_pay,
    expect_newcomers,
    on_nodes=True,
)
