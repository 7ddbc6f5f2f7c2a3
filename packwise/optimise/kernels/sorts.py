"""On nodes those who come differ in what they need: of what sorts they are.

A sort is the resource of which a job needs the largest part of all there is, and how large that part is, in
processors: as if there were as many of the resource as there are of those. Of each sort it is learned what
weight comes of it, and what its jobs need of every resource.
"""

from __future__ import annotations

from packwise.compiled import compiled, inlined
from packwise.optimise.kernels.columns import NEEDS
from packwise.optimise.kernels.lessons import (
    DAY,
    KINDS,
    NEEDED,
    SINCE,
    SORTED,
    SORTS,
    UNTIL,
    WIDTHS,
    learn,
    weight_by,
    width_class,
)


@inlined
def sort_of(needs, total, procs):
    """The sort of a job that needs this of all there is; of equally large parts the first counts."""
    most, found = 0.0, 0
    for r in range(total.size):
        part = needs[r] / total[r] if total[r] > 0 else 0.0
        if part > most:
            most, found = part, r
    return found * WIDTHS + width_class(max(most * procs, 1.0))


@inlined
def learn_sort(lessons, term, demand, needs, total, procs, runtime):
    """A job has ended. By some terms cores are all that counts, the first resource."""
    weight = weight_by(term, demand, runtime)
    sort, many = width_class(demand), 1
    if term[NEEDS] > 0.0:
        sort, many = sort_of(needs, total, procs), needs.size
    lessons[SORTED + sort] += weight
    for r in range(many):
        lessons[NEEDED + sort * KINDS + r] += weight * needs[r]


@inlined
def sum_up_sorts(lessons, rate, needs):
    """Fill in, by sort, the weight that comes per second, and what is needed of each resource."""
    seconds = max(lessons[UNTIL] - lessons[SINCE], DAY)
    for k in range(SORTS):
        rate[k] = lessons[SORTED + k] / seconds
        for i in range(k * KINDS, (k + 1) * KINDS):
            needs[i] = lessons[NEEDED + i] / lessons[SORTED + k] if rate[k] > 0.0 else 0.0


@compiled
def learn_all(lessons, term, demand, needs, total, procs, believed, runtime, user, now):
    """Learn from these ended jobs; ``needs`` are their rows, of resources of which there is this in ``total``:
    none on a pool.
    """
    for i in range(demand.size):
        if total.size > 0:
            learn_sort(lessons, term, demand[i], needs[i], total, procs, runtime[i])
        learn(lessons, term, demand[i], believed[i], runtime[i], user[i], now)
