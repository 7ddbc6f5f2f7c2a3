"""Queue orders: the sort keys of a job, and keeping a queue sorted by them.

A smaller key goes first. An order has two keys, primary and tie-break; ties of both keep submission
order. Keys are doubles: whole numbers up to 2^53 compare exactly.
"""

from __future__ import annotations

import math

from numba import types

from packwise.compiled import apart, inlined
from packwise.engine.slots import call_real
from packwise.engine.users_arguments import KEY_ARGUMENTS

FCFS, LCFS, SJF, LJF, SAF, LAF, SPF, LPF, SRF, LRF, SEXP, WFP, UNICEF = range(13)
F1, F2, F3, F4, EDF, USER = range(13, 19)


KEY_SIGNATURE = types.float64(*(types.int64,) * len(KEY_ARGUMENTS))


@inlined
def order_key(code, function, origin, jobs, now, job):
    """The sort key of a waiting job under an order; ``origin`` is the time of the first submission,
    ``function`` the address of a user's.
    """
    demand = jobs.demand[job]
    estimate = jobs.estimate[job]
    submit = jobs.submit[job]
    if code == FCFS:
        return 0.0
    if code == SJF:
        return float(estimate)
    if code == LJF:
        return -float(estimate)
    if code == SAF:
        return float(demand) * estimate
    if code == LAF:
        return -float(demand) * estimate
    if code == SPF:  # area-runtime product: Goponenko et al., DEBS 2024, section 4
        return float(demand) * estimate * estimate
    if code == LPF:
        return -float(demand) * estimate * estimate
    if code == SRF:
        return float(demand)
    if code == LRF:
        return -float(demand)
    if code == LCFS:
        return -float(submit)
    if code == EDF:
        return float(jobs.deadline[job])
    wait = float(now - submit)
    if code == SEXP:  # largest expansion factor first: (wait + E) / E
        return -(wait + estimate) / estimate
    if code == WFP:  # Tang et al., CLUSTER 2009
        return -((wait / estimate) ** 3) * demand
    if code == UNICEF:  # Tang et al., CLUSTER 2009
        return -wait / (max(math.log2(float(demand)), 1.0) * estimate)
    # F1..F4: Carastan-Santos and de Camargo, SC 2017, table 4
    age = math.log10(float(max(submit - origin, 1)))
    if code == F1:
        return math.log10(float(estimate)) * demand + 8.70e2 * age
    if code == F2:
        return math.sqrt(float(estimate)) * demand + 2.56e4 * age
    if code == F3:
        return float(estimate) * demand + 6.86e6 * age
    if code == F4:
        return estimate * math.sqrt(float(demand)) + 5.30e5 * age
    known = (
        now,
        submit,
        demand,
        estimate,
        jobs.limit[job],
        jobs.user[job],
        jobs.queue_number[job],
        jobs.deadline[job],
    )
    return call_real(function, known)


@inlined
def goes_before(first_a, second_a, job_a, first_b, second_b, job_b):
    """Whether job a sorts before job b."""
    if first_a != first_b:
        return first_a < first_b
    if second_a != second_b:
        return second_a < second_b
    return job_a < job_b


@apart
def sort_jobs(jobs, first, second, lo, hi):
    """Shell sort of three parallel arrays by (first, second, job)."""
    gap = 1
    while gap < (hi - lo) // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(lo + gap, hi):
            job = jobs[i]
            one = first[i]
            two = second[i]
            k = i
            while k - gap >= lo and goes_before(
                one, two, job, first[k - gap], second[k - gap], jobs[k - gap]
            ):
                jobs[k] = jobs[k - gap]
                first[k] = first[k - gap]
                second[k] = second[k - gap]
                k -= gap
            jobs[k] = job
            first[k] = one
            second[k] = two
        gap //= 3


@inlined
def first_unsorted(jobs, first, second, lo, hi):
    """Index of the first entry that belongs before its predecessor, or ``hi``."""
    for i in range(lo + 1, hi):
        if goes_before(first[i], second[i], jobs[i], first[i - 1], second[i - 1], jobs[i - 1]):
            return i
    return hi
