"""A relaxed plan: processors may be overbooked, for a fee that changes over time.

As in ``offline_bound``: what all jobs pay at least, each for itself, in fees and for its start, less what the
whole machine would earn by fees, is no more than the cost of any plan.
"""

from __future__ import annotations

from packwise.compiled import compiled, inlined
from packwise.engine.slots import borrow
from packwise.optimise.kernels.profit_value import LATER, cell_of, cheapest_between


@compiled
def relaxed(jobs, edges, least, leasts, fee, fees, usage, day_end):
    """The bound that fees give. ``usage`` becomes what is used of each cell, in processor seconds.

    ``least`` is the least that a watt-second costs in each cell, ``fee`` what a processor second costs, revenue
    taken off. The last cell never ends. What the machine earns is not in it.
    """
    jobs = borrow(jobs)
    edges = borrow(edges)
    least, leasts = borrow(least), borrow(leasts)
    fee, fees = borrow(fee), borrow(fees)
    usage = borrow(usage)
    for k in range(usage.size):
        usage[k] = 0.0
    total = 0.0
    for j in range(jobs.release.size):
        best, start = cheapest(jobs, j, edges, least, leasts, fee, fees, day_end)
        total += best
        if start != LATER:
            use(usage, edges, start, start + jobs.duration[j], jobs.demand[j])
    return total


@inlined
def cheapest(jobs, j, edges, least, leasts, fee, fees, day_end):
    """What a job pays at least, and where."""
    release = jobs.release[j]
    last = min(max(release, edges[edges.size - 1]), day_end)
    here = cell_of(edges, release)
    start, cost = cheapest_between(
        jobs, j, edges, least, leasts, fee, fees, 1.0, here, release, last
    )
    if day_end < LATER and cost >= 0.0:
        return 0.0, LATER
    return cost, start


@inlined
def use(usage, edges, start, end, demand):
    """Count a job in the cells that it runs in; in the last, which never ends, it is not."""
    k = cell_of(edges, start)
    while start < end and k + 1 < edges.size:
        stop = min(end, edges[k + 1])
        usage[k] += float(demand) * (stop - start)
        start = stop
        k += 1
