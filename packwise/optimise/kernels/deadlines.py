"""Deadlines in the order search: lateness that is weighed, or that is worse than any delay.

A job with a deadline pays little until it would be late, so the search minimises the cost of the others, and
where that costs them next to nothing it starts early.
SOFT: the delay beyond the deadline costs many times that of a regular job. HARD: every plan in which a deadline
is broken that the carried plan keeps costs more than the carried plan, which is one of the seeds, and no answer
is worse than a seed; so a deadline, once it can be kept, is kept, whoever comes. A job that the carried plan
brings too late pays a penalty as well, though a smaller one, while there is hope; when there is none it is
treated like a regular job, as in deadline-based backfilling (N'Takpé and Suter, JSSPP 2017).

The carried plan, inserted in the order of its starts, gives starts that are no later than they were: whoever
is before a job in that order is out of its way no later than planned, as long as nobody outlives an estimate.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.state import NO_TIME
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.kernels.cost import LATER, cost_of_delay

IGNORE, SOFT, HARD = range(3)

#: Being late, against what all jobs, and newcomers, would pay for the carried plan without deadlines.
LATE_AT_ALL = 1024.0
#: Breaking a deadline that the carried plan keeps, against the cost of that plan.
BROKEN = 16.0


@inlined
def mark_deadlines(mode, pool, n):
    """Fill ``pool.latest``, and ``pool.penalty`` with 0. Returns whether any deadline matters."""
    any_deadline = False
    for j in range(n):
        pool.penalty[j] = 0.0
        pool.latest[j] = NO_TIME
        if mode != IGNORE and pool.deadline[j] != NO_DEADLINE:
            any_deadline = True
            # A cost is defined for starts from the submission on.
            pool.latest[j] = max(pool.deadline[j] - pool.estimate[j], pool.submit[j])
    return any_deadline


@inlined
def set_penalties(terms, now, pool, n, coming):
    """Fill ``pool.penalty`` for hard deadlines. ``pool.trial``: the starts of the carried plan,
    ``pool.current`` those of each job alone; ``coming``: what newcomers pay for the plan.
    """
    delays = 1.0 + coming
    for j in range(n):
        if pool.latest[j] < pool.current[j]:  # too late even if it were alone
            pool.latest[j] = NO_TIME
        delays += abs(cost_of_delay(terms, now, pool, j, pool.trial[j]))
    carried = delays
    for j in range(n):
        if pool.trial[j] > pool.latest[j]:
            pool.penalty[j] = LATE_AT_ALL * delays
            carried += pool.penalty[j] * (1.0 + (pool.trial[j] - pool.latest[j]) / LATER)
    for j in range(n):
        if pool.trial[j] <= pool.latest[j] < NO_TIME:
            pool.penalty[j] = BROKEN * carried
