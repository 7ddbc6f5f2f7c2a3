"""Room for those who come, on nodes: what ``newcomers.py`` does for processors, for all that newcomers need.

A newcomer fits once there is enough of each resource that it needs, on all nodes together: where memory or GPUs
are what is short, processors stay free that are of no use to it. What a node has left that is out, or that
somebody has to himself, is free to nobody. Newcomers are told apart by their sorts, as ``sorts.py`` has it.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.optimise.kernels.columns import KIND, LEARNED
from packwise.optimise.kernels.lessons import KINDS, SORTS, TAKEN, learned_term
from packwise.optimise.kernels.newcomers import HALF, LEAST, MANY, ROUNDING, STEPS, line_up

#: Of large needs, as of memory, a mean is no more exact than this.
PRECISION = 1e-9


@apart
def newcomers_pay(pool, space, now, order, n, most):
    """What newcomers are expected to pay if the jobs of an order start as in ``pool.trial``; of a long plan the
    first ``most`` starts count.
    """
    if space.expects[HALF] <= 0.0:
        return 0.0
    m = line_up(pool, order, n, most)
    steps = int(space.expects[STEPS])
    for r in range(space.level.size):
        space.level[r] = space.back[0, r]
    started, released, ended = 0, 1, 0
    time = now
    total = 0.0
    while True:
        while started < m and pool.trial[pool.by_start[started]] <= time:
            add(space.level, pool.takes[pool.by_start[started]], -1)
            started += 1
        while released < steps and space.base_times[released] <= time:
            add(space.level, space.back[released], 1)
            released += 1
        while ended < m and pool.first[pool.by_end[ended]] <= time:
            add(space.level, pool.takes[pool.by_end[ended]], 1)
            ended += 1
        until = math.inf if started == m else float(pool.trial[pool.by_start[started]])
        total += pay_until(pool, space, time, until, released, steps, ended, m)
        if started == m:
            return space.expects[HALF] * total
        time = pool.trial[pool.by_start[started]]


@inlined
def add(level, amounts, sign):
    for r in range(level.size):
        level[r] += sign * amounts[r]


@inlined
def pay_until(pool, space, time, until, released, steps, ended, m):
    """Twice what those pay who come from ``time`` on, when ``space.level`` is free, until the next planned
    start: by sort, the integral of what is left until it fits. Running jobs give back from steps ``released``
    on, those of the plan from ``ended`` on.
    """
    for r in range(space.level.size):
        space.later[r] = space.level[r]
    for k in range(int(space.expects[MANY])):
        space.unmet[k] = k
    left = meet(space, int(space.expects[MANY]), 0.0, 0.0)[0]
    total = 0.0
    fits = float(time)
    while left > 0 and (released < steps or ended < m):
        if ended == m or (
            released < steps and space.base_times[released] <= pool.first[pool.by_end[ended]]
        ):
            fits = float(space.base_times[released])
            add(space.later, space.back[released], 1)
            released += 1
        else:
            j = pool.by_end[ended]
            ended += 1
            if pool.trial[j] > time:
                continue
            fits = pool.first[j]
            add(space.later, pool.takes[j], 1)
        left, paid = meet(space, left, fits - time, max(fits - until, 0.0))
        total += paid
    wait, rest = fits - time, max(fits - until, 0.0)
    for i in range(left):
        total += space.sort_coming[space.unmet[i]] * (wait * wait - rest * rest)
    return total


@inlined
def meet(space, left, wait, rest):
    """Take those out of the first ``left`` sorts of ``space.unmet`` that now fit, after having waited so long;
    ``rest`` of it falls to those who come after the next start. Returns how many are left, and what the others
    pay, twice.
    """
    kept = 0
    paid = 0.0
    for i in range(left):
        k = space.unmet[i]
        enough = True
        for r in range(space.later.size):
            enough = enough and space.later[r] >= space.sort_needs[k, r]
        if enough:
            paid += space.sort_coming[k] * (wait * wait - rest * rest)
        else:
            space.unmet[kept] = k
            kept += 1
    return kept, paid


@inlined
def expect_newcomers(terms, pool, space, nodes, now, n, steps):
    """Note what is free and what waiting jobs need, what comes, all terms together, and what newcomers pay
    whatever is planned: they wait for the jobs that run.
    """
    space.expects[STEPS] = steps
    space.expects[HALF] = 0.0
    space.expects[LEAST] = 0.0
    if learned_term(terms) < 0:
        return
    look_around(pool, space, nodes, n, steps)
    many = 0
    for k in range(SORTS):
        coming = 0.0
        for r in range(KINDS):
            space.sort_needs[many, r] = 0.0
        for t in range(terms.size):
            if terms[t, KIND] != LEARNED:
                continue
            weight = pool.counts[t] * space.sort_rate[t, k]
            if weight > 0.0:
                space.expects[HALF] = 0.5 * space.facts[t, TAKEN] ** 2
            coming += weight
            for r in range(KINDS):
                space.sort_needs[many, r] += weight * space.sort_mean[t, k * KINDS + r]
        if coming > 0.0:
            space.sort_coming[many] = coming
            for r in range(KINDS):
                needs = space.sort_needs[many, r] / coming
                space.sort_needs[many, r] = needs * (1.0 - PRECISION) - ROUNDING
            many += 1
    space.expects[MANY] = many
    space.expects[LEAST] = newcomers_pay(pool, space, now, pool.order, 0, 0)


@apart
def look_around(pool, space, nodes, n, steps):
    """Fill in what is free of each resource on all nodes, what comes back at the steps of the profile, and what
    waiting jobs need. What the nodes hold are running jobs, and maybe one that is planned first.
    """
    kinds = space.level.size
    for i in range(steps):
        for r in range(kinds):
            space.back[i, r] = 0
    for node in range(nodes.head.size):
        cell = nodes.head[node]
        for r in range(kinds):
            space.back[0, r] += open_in(nodes, cell, r)
        later = nodes.next[cell]
        while later >= 0:
            step = step_at(space.base_times, steps, nodes.time[later])
            for r in range(kinds):
                space.back[step, r] += open_in(nodes, later, r) - open_in(nodes, cell, r)
            cell = later
            later = nodes.next[cell]
    for j in range(n):
        job = pool.job[j]
        for r in range(kinds):
            pool.takes[j, r] = nodes.units[job] * nodes.needs[nodes.kind[job], r]


@inlined
def open_in(nodes, cell, r):
    """What is free of a resource in a cell, if there is a seat."""
    return nodes.free[cell, r] if nodes.free[cell, nodes.rare.size - 1] >= 1 else 0


@inlined
def step_at(times, steps, time):
    """The first step at this time or later; the last one, if there is none."""
    low, high = 0, steps - 1
    while low < high:
        middle = (low + high) // 2
        if times[middle] < time:
            low = middle + 1
        else:
            high = middle
    return low
