"""Room for those who come: what a plan costs jobs that are not there yet.

The plan that is best for those who wait fills every gap, with a long job if need be. Whoever comes next waits
until something ends, and by BSLD the short jobs that come are what counts. So what they are expected to pay is
part of the cost of a plan:

    the sum over widths of the weight that comes per second, times the integral over time of what it would wait

A newcomer waits for the jobs that run when it comes, not for those that are planned to start later, before
which it would be put. So from each planned start to the next what is free only grows, and a width fits from
some moment on. Whoever is put off does not come cheaper for that: newcomers would wait for it later. (If only
the starts of now were made to pay, it would always be best to put long jobs off a little, and they would start
when the log is over.)

Estimates are taken for the part of them that jobs have turned out to take. On nodes newcomers wait for more
than processors: see ``nodes_newcomers.py``.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.optimise.kernels.columns import KIND, LEARNED
from packwise.optimise.kernels.lessons import TAKEN, WIDTHS
from packwise.optimise.kernels.sorting import sort_by

# What a search expects of newcomers: how many steps the profile has that it begins with, half the square of the
# part of estimates that is taken (0: no newcomers), what they pay whatever is planned, and on nodes how many
# sorts there are of them
STEPS, HALF, LEAST, MANY = range(4)
EXPECTS = 4

#: Less than this in the mean of whole widths is no width.
ROUNDING = 1e-6


@apart
def newcomers_pay(pool, space, now, order, n, most):
    """What newcomers are expected to pay if the jobs of an order start as in ``pool.trial``; of a long plan the
    first ``most`` starts count.
    """
    if space.expects[HALF] <= 0.0:
        return 0.0
    m = line_up(pool, order, n, most)
    steps = int(space.expects[STEPS])
    free = space.base_free[0]
    started, released, ended = 0, 1, 0
    time = now
    total = 0.0
    while True:
        while started < m and pool.trial[pool.by_start[started]] <= time:
            free -= pool.demand[pool.by_start[started]]
            started += 1
        while released < steps and space.base_times[released] <= time:
            free += space.base_free[released] - space.base_free[released - 1]
            released += 1
        while ended < m and pool.first[pool.by_end[ended]] <= time:
            free += pool.demand[pool.by_end[ended]]
            ended += 1
        until = math.inf if started == m else float(pool.trial[pool.by_start[started]])
        total += pay_until(pool, space, time, until, free, released, steps, ended, m)
        if started == m:
            return space.expects[HALF] * total
        time = pool.trial[pool.by_start[started]]


@inlined
def line_up(pool, order, n, most):
    """Sort the jobs of an order by start, and the first ``most`` of them by end. Returns how many these are."""
    for p in range(n):
        j = order[p]
        pool.by_start[p] = j
        pool.first[j] = float(pool.trial[j])
        pool.second[j] = 0.0
    sort_by(pool.by_start, pool.first, pool.second, n)
    m = min(n, most)
    for p in range(m):
        j = pool.by_start[p]
        pool.by_end[p] = j
        pool.first[j] = float(pool.trial[j] + pool.span[j])
    sort_by(pool.by_end, pool.first, pool.second, m)
    return m


@inlined
def pay_until(pool, space, time, until, free, released, steps, ended, m):
    """Twice what those pay who come from ``time`` on until the next planned start: by width, the integral of
    what is left until it fits. Running jobs give back from steps ``released`` on, those of the plan from
    ``ended`` on.
    """
    total = 0.0
    fits = float(time)
    for w in range(WIDTHS):
        if space.coming[w] <= 0.0:
            continue
        while free < space.as_wide[w] and (released < steps or ended < m):
            if ended == m or (
                released < steps and space.base_times[released] <= pool.first[pool.by_end[ended]]
            ):
                fits = float(space.base_times[released])
                free += space.base_free[released] - space.base_free[released - 1]
                released += 1
            else:
                j = pool.by_end[ended]
                if pool.trial[j] <= time:
                    fits = pool.first[j]
                    free += pool.demand[j]
                ended += 1
        wait, left = fits - time, max(fits - until, 0.0)
        total += space.coming[w] * (wait * wait - left * left)
    return total


@inlined
def expect_newcomers(terms, pool, space, room, now, n, steps):
    """Note what comes, all terms together, and what newcomers pay whatever is planned: they wait for the jobs
    that run.
    """
    space.expects[STEPS] = steps
    space.expects[HALF] = 0.0
    space.expects[LEAST] = 0.0
    for w in range(WIDTHS):
        space.coming[w] = 0.0
        space.as_wide[w] = 0.0
    for t in range(terms.size):
        if terms[t, KIND] != LEARNED:
            continue
        for w in range(WIDTHS):
            weight = pool.counts[t] * space.rate[t, w]
            if weight > 0.0:
                space.expects[HALF] = 0.5 * space.facts[t, TAKEN] ** 2
            space.coming[w] += weight
            space.as_wide[w] += weight * space.width[t, w]
    for w in range(WIDTHS):
        if space.coming[w] > 0.0:
            space.as_wide[w] = space.as_wide[w] / space.coming[w] - ROUNDING
    space.expects[LEAST] = newcomers_pay(pool, space, now, pool.order, 0, 0)
