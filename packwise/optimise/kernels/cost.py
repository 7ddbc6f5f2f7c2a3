"""The cost of a plan: a sum over the waiting jobs of what each pays for its start.

Each term of an objective is ``coefficient * r^a * max(E, floor)^b`` times one of

* FLOW: the response time F, so that the sum is a weighted response time (AF, AWF, BSLD), or a power of it
  above one, in hours, which holds back the urge to leave somebody for last;
* SMALL: the response time of small jobs alone, weighed by area and by how small they are on this machine
  (``standing.py``);
* LEARNED: the response time, weighed by what a metric's weight is expected to be (``lessons.py``);
* SPECIFIC: F^(alpha+2) - Q^(alpha+2), the numerator of P^alpha SF (Goponenko et al., SBAC-PAD 2022);
* USER: a function of the user's.

The weights may depend on two things. Estimates that are far off should sort the queue less sharply. And where
work piles up, large jobs should count for more, those who wait as many in all as before: left for last they
make the machine pack worse, and all wait longer.

Jobs with a deadline are another matter (``deadlines.py``).
"""

from __future__ import annotations

from numba import types

from packwise.compiled import apart, inlined
from packwise.engine.slots import call_real
from packwise.engine.state import NO_TIME
from packwise.engine.users_arguments import COST_ARGUMENTS
from packwise.optimise.kernels.columns import (
    ADDRESS,
    AREA,
    AREA_DOUBTED,
    COEFFICIENT,
    COMING,
    DEMAND,
    DEMAND_DOUBTED,
    ESTIMATE,
    ESTIMATE_DOUBTED,
    FLOOR,
    FLOW,
    KIND,
    LATE,
    LEARNED,
    POWER,
    POWER_DOUBTED,
    SMALL,
    SPECIFIC,
    USER,
)

COST_SIGNATURE = types.float64(*(types.int64,) * len(COST_ARGUMENTS))

HOUR = 3600.0
FULL_PRESSURE = 7 * 24 * HOUR
MINUTE = 60

#: The delay of a job with a deadline that is not late, against that of a regular job.
EARLY = 1 / 64
#: After so many seconds a penalty is twice what it is at first. (Powers of two keep whole costs exact.)
LATER = 4096.0


@inlined
def between(trusted, doubted, doubt):
    """The value of an exponent at this doubt in estimates, from 0 to 1."""
    return trusted + doubt * (doubted - trusted)


@inlined
def pressure_of(pool, n, procs, doubt):
    """How much work waits, from 0 to 1: as much as the machine does in FULL_PRESSURE, or more. Estimates that
    are fully doubted count half.
    """
    work = 0.0
    for j in range(n):
        work += float(pool.demand[j]) * pool.estimate[j]
    return min(1.0, (1.0 - doubt / 2.0) * work / procs / FULL_PRESSURE)


@inlined
def prepare_weights(terms, doubt, pressure, now, n, pool):
    """Fill ``pool.weight[t, j]`` with what term t weighs for job j, and ``pool.power[t]``.

    In a sum of terms each is divided by its total weight, so that it counts in seconds: P^alpha SF by its
    denominator if all started now, a power of the response time by what all would weigh then, and the response
    time of small jobs by the area of all. ``pool.counts[t]``: what the weight of newcomers counts
    (``newcomers.py``).
    """
    for t in range(terms.size):
        term = terms[t]
        a = between(term[DEMAND], term[DEMAND_DOUBTED], doubt)
        b = between(term[ESTIMATE], term[ESTIMATE_DOUBTED], doubt)
        pool.power[t] = between(term[POWER], term[POWER_DOUBTED], doubt)
        area = pressure * between(term[AREA], term[AREA_DOUBTED], doubt)
        if term[KIND] == LEARNED and area > 0.0:
            mean = 0.0
            for j in range(n):
                pool.slope[j] = (float(pool.demand[j]) * pool.estimate[j]) ** area
                mean += pool.slope[j] / n
            for j in range(n):
                pool.expected[t, j] *= pool.slope[j] / mean
        total = 0.0
        for j in range(n):
            weight = term[COEFFICIENT]
            if term[KIND] == LEARNED:
                weight *= pool.expected[t, j]
            else:
                if a != 0.0:
                    weight *= float(pool.demand[j]) ** a
                if b != 0.0:
                    weight *= max(float(pool.estimate[j]), term[FLOOR]) ** b
            wait = float(now - pool.submit[j])
            flow = wait + pool.estimate[j]
            if term[KIND] == SPECIFIC:
                power = pool.power[t] - 1.0
                total += weight * (flow**power - wait**power) * (power + 1.0) / power
            elif term[KIND] == SMALL:
                weight *= float(pool.demand[j]) * pool.estimate[j]
                total += weight
                weight *= pool.gain[j]
            elif pool.power[t] != 1.0:
                total += weight * (flow / HOUR) ** (pool.power[t] - 1.0)
            else:
                total += weight
            pool.weight[t, j] = weight
        part = 1.0
        if terms.size > 1 and total > 0.0 and term[KIND] != USER:
            part = abs(term[COEFFICIENT]) / total
            for j in range(n):
                pool.weight[t, j] *= part
        pool.counts[t] = part * term[COEFFICIENT] * term[COMING]


@inlined
def users_cost(term, now, pool, j, start):
    """What the user's function says."""
    known = (
        start,
        now,
        pool.submit[j],
        pool.demand[j],
        pool.estimate[j],
        pool.limit[j],
        pool.user[j],
        pool.queue_number[j],
        pool.deadline[j],
    )
    return call_real(int(term[ADDRESS]), known)


@inlined
def cost_of(terms, now, pool, j, start):
    """What job j pays for this start. One with a deadline pays little until it is late, and then a penalty as
    well, or else many times what the same delay costs a regular job.
    """
    latest = pool.latest[j]
    cost = cost_of_delay(terms, now, pool, j, start)
    if latest == NO_TIME:
        return cost
    if start <= latest:
        return EARLY * cost
    if pool.penalty[j] > 0.0:
        return EARLY * cost + pool.penalty[j] * (1.0 + (start - latest) / LATER)
    return EARLY * cost + LATE * (cost - cost_of_delay(terms, now, pool, j, latest))


@inlined
def cost_of_delay(terms, now, pool, j, start):
    """What job j pays for this start if it is as good as any earlier one."""
    cost = 0.0
    for t in range(terms.size):
        kind = terms[t, KIND]
        weight = pool.weight[t, j]
        wait = float(start - pool.submit[j])
        estimate = float(pool.estimate[j])
        flow = wait + estimate
        if kind in (FLOW, SMALL, LEARNED):
            if pool.power[t] == 1.0:
                cost += weight * flow
            else:
                cost += weight * HOUR * (flow / HOUR) ** pool.power[t]
        elif kind == SPECIFIC:
            power = pool.power[t]
            if power == 4.0:
                cost += weight * estimate * (flow + wait) * (flow * flow + wait * wait)
            else:
                cost += weight * (flow**power - wait**power)
        else:
            cost += weight * users_cost(terms[t], now, pool, j, start)
    return cost


@apart
def slope_of(terms, now, pool, j, start):
    """How much more job j pays per second of delay, at this start."""
    slope = 0.0
    for t in range(terms.size):
        kind = terms[t, KIND]
        weight = pool.weight[t, j]
        wait = float(start - pool.submit[j])
        flow = wait + float(pool.estimate[j])
        if kind in (FLOW, SMALL, LEARNED):
            power = pool.power[t]
            slope += weight * power * (1.0 if power == 1.0 else (flow / HOUR) ** (power - 1.0))
        elif kind == SPECIFIC:
            power = pool.power[t]
            slope += weight * power * (flow ** (power - 1.0) - wait ** (power - 1.0))
        else:
            later = users_cost(terms[t], now, pool, j, start + MINUTE)
            slope += weight * (later - users_cost(terms[t], now, pool, j, start)) / MINUTE
    if pool.latest[j] == NO_TIME:
        return slope
    return EARLY * slope if start <= pool.latest[j] else (EARLY + LATE) * slope
