"""What a balanced search does before and after it looks for a plan.

Before: the job that has waited longest, once it is overdue, gets the first place at which it fits, as the head
of the queue does in EASY backfilling (Lifka, JSSPP 1995). However much others would gain, nobody starves.

After: where users' limits are all that is known, most jobs end long before, and a plan that leaves processors
idle until the next planned start wastes them: conservative backfilling loses to EASY for that reason. So what
is free now is given to whoever fits, as long as the overdue job and the few most urgent ones can start no later
for it.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.pool.profile import earliest, hold, take
from packwise.engine.pool.rounds import fits_now
from packwise.optimise.kernels.cost import slope_of

#: One in so many waiting jobs keeps its place though it does not start now, the most urgent; at least one, and
#: at most so many.
PART_URGENT, MOST_URGENT = 4, 6


@inlined
def place_first(space, steps, demand, duration):
    """Put a job into the profile that a search begins with. Returns its start and the steps."""
    i, j = earliest(space.base_times, space.base_free, 0, steps, demand, duration)
    start = space.base_times[i]
    return start, take(space.base_times, space.base_free, steps, i, j, start + duration, demand)


@inlined
def mark_urgent(terms, now, pool, n):
    """Mark in ``pool.fresh`` the most urgent jobs that do not start now.

    Urgent is who pays most for a second of delay per processor-second.
    """
    for j in range(n):
        pool.fresh[j] = 0
        work = float(pool.demand[j]) * pool.estimate[j]
        pool.first[j] = slope_of(terms, now, pool, j, now) / work
    for _ in range(min(max(n // PART_URGENT, 1), MOST_URGENT)):
        most = -1
        for p in range(n):
            j = pool.plan[p]
            free_to_choose = pool.kept[j] > now and pool.fresh[j] == 0
            if free_to_choose and (most < 0 or pool.first[j] > pool.first[most]):
                most = j
        if most < 0:
            break
        pool.fresh[most] = 1


@inlined
def fill_gaps(now, pool, space, n, steps, complete):
    """Start whoever fits beside the plan's own starts and those that are marked. ``pool.kept`` is changed.

    With ``complete`` all others are planned anew, in the order of the plan.
    """
    for p in range(n):
        j = pool.plan[p]
        if pool.kept[j] == now:
            _, steps = place_first(space, steps, pool.demand[j], pool.estimate[j])
    for j in range(n):  # the most urgent keep their places
        if pool.fresh[j]:
            start = pool.kept[j]
            end = start + pool.estimate[j]
            steps = hold(space.base_times, space.base_free, 0, steps, start, end, pool.demand[j])
    for p in range(n):
        j = pool.plan[p]
        waits = pool.kept[j] > now and pool.fresh[j] == 0 and pool.demand[j] <= space.base_free[0]
        if waits and fits_now(
            space.base_times, space.base_free, steps, now, pool.demand[j], pool.estimate[j]
        ):
            pool.kept[j], steps = place_first(space, steps, pool.demand[j], pool.estimate[j])
    if complete:
        for p in range(n):
            j = pool.plan[p]
            if pool.kept[j] > now and pool.fresh[j] == 0:
                pool.kept[j], steps = place_first(space, steps, pool.demand[j], pool.estimate[j])
