"""The waiting queue: inserting arrivals in order, sorting anew, taking out those who start."""

from __future__ import annotations

import math

from packwise.compiled import apart, inlined
from packwise.engine.orders import first_unsorted, goes_before, order_key, sort_jobs
from packwise.engine.state import ARRIVED, NOW, QUEUE_HI, QUEUE_LO, RESERVED, RETURNED, TAKEN, VALID

NO_KEY = -1

#: So far, and as far as it is long, a window may have moved before it goes back to the front of its arrays:
#: pages that it has left behind would count as memory.
FAR = 64

#: More arrivals at one moment are sorted together: one by one they would take quadratic time.
MANY = 64


@inlined
def keys_of(rules, function, jobs, now, job):
    """Both sort keys of a waiting job, NaN if one is not finite.

    A job that waited past the threshold goes to the head.
    """
    if now - jobs.submit[job] > rules.threshold:
        return -math.inf, 0.0
    first = order_key(rules.order, function, rules.origin, jobs, now, job)
    second = order_key(rules.tie, function, rules.origin, jobs, now, job)
    if not (math.isfinite(first) and math.isfinite(second)):
        return math.nan, math.nan
    return first, second


@inlined
def insert_arrivals(rules, function, jobs, queue, c):
    """Put those who have come at their places. False if a key is not finite."""
    first = c[TAKEN]
    c[TAKEN] = c[ARRIVED]
    many = c[ARRIVED] - first > MANY
    for job in range(first, c[ARRIVED]):
        if many:
            append(jobs, queue, c, job)
        elif insert(rules, function, jobs, queue, c, job) == NO_KEY:
            return False
    return not many or resort(rules, function, jobs, queue, c)


@apart
def insert_returned(rules, function, jobs, queue, c):
    """Put those who wait again at their places. False if a key is not finite."""
    finite = True
    for i in range(c[RETURNED]):
        finite &= insert(rules, function, jobs, queue, c, queue.returned[i]) != NO_KEY
    return finite


@inlined
def insert(rules, function, jobs, queue, c, job):
    """Put an arriving job at its place. Returns its place, or NO_KEY if a key is not finite."""
    first, second = keys_of(rules, function, jobs, c[NOW], job)
    if math.isnan(first):
        return NO_KEY
    return put(jobs, queue, c, job, first, second)


@inlined
def put(jobs, queue, c, job, first, second):
    """Put a job at the place that its sort keys give it. Returns its place."""
    if c[QUEUE_HI] == queue.job.size:
        to_front(queue, c)
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    k = hi
    if hi > lo and goes_before(
        first, second, job, queue.first[hi - 1], queue.second[hi - 1], queue.job[hi - 1]
    ):
        a = lo
        b = hi - 1
        while a < b:
            middle = (a + b) >> 1
            if goes_before(
                first, second, job, queue.first[middle], queue.second[middle], queue.job[middle]
            ):
                b = middle
            else:
                a = middle + 1
        k = a
        for i in range(hi, k, -1):
            queue.job[i] = queue.job[i - 1]
            queue.demand[i] = queue.demand[i - 1]
            queue.estimate[i] = queue.estimate[i - 1]
            queue.first[i] = queue.first[i - 1]
            queue.second[i] = queue.second[i - 1]
    queue.job[k] = job
    queue.demand[k] = jobs.demand[job]
    queue.estimate[k] = jobs.estimate[job]
    queue.first[k] = first
    queue.second[k] = second
    c[QUEUE_HI] = hi + 1
    place = k - lo
    if place < c[RESERVED]:
        c[RESERVED] += 1
    c[VALID] = min(c[VALID], place)
    return place


@inlined
def append_until(jobs, queue, c, last):
    """Put those who have come, up to but without job ``last``, at the end of the queue."""
    for job in range(c[TAKEN], last):
        append(jobs, queue, c, job)
    c[TAKEN] = last


@inlined
def append_returned(jobs, queue, c):
    """Put those who wait again at the end of the queue."""
    for i in range(c[RETURNED]):
        append(jobs, queue, c, queue.returned[i])


@apart
def append(jobs, queue, c, job):
    """Put an arriving job at the end: first come, first served."""
    if c[QUEUE_HI] == queue.job.size:
        to_front(queue, c)
    k = c[QUEUE_HI]
    queue.job[k] = job
    queue.demand[k] = jobs.demand[job]
    queue.estimate[k] = jobs.estimate[job]
    queue.first[k] = 0.0
    queue.second[k] = 0.0
    c[QUEUE_HI] = k + 1


@apart
def to_front(queue, c):
    """Move the window to the front of the arrays."""
    lo = c[QUEUE_LO]
    for i in range(c[QUEUE_HI] - lo):
        queue.job[i] = queue.job[lo + i]
        queue.demand[i] = queue.demand[lo + i]
        queue.estimate[i] = queue.estimate[lo + i]
        queue.first[i] = queue.first[lo + i]
        queue.second[i] = queue.second[lo + i]
    c[QUEUE_HI] -= lo
    c[QUEUE_LO] = 0


@inlined
def remove(queue, c, k):
    """Take out the entry at position ``k``, moving the shorter side."""
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    place = k - lo
    if place < c[VALID]:
        c[VALID] -= 1
    if place < c[RESERVED]:
        c[RESERVED] -= 1
    if k - lo < hi - 1 - k:
        for i in range(k, lo, -1):
            queue.job[i] = queue.job[i - 1]
            queue.demand[i] = queue.demand[i - 1]
            queue.estimate[i] = queue.estimate[i - 1]
            queue.first[i] = queue.first[i - 1]
            queue.second[i] = queue.second[i - 1]
        c[QUEUE_LO] = lo + 1
    else:
        for i in range(k, hi - 1):
            queue.job[i] = queue.job[i + 1]
            queue.demand[i] = queue.demand[i + 1]
            queue.estimate[i] = queue.estimate[i + 1]
            queue.first[i] = queue.first[i + 1]
            queue.second[i] = queue.second[i + 1]
        c[QUEUE_HI] = hi - 1


@apart
def resort(rules, function, jobs, queue, c):
    """Sort the queue by the keys of this moment, for orders that change with time.

    If any entry moved, no planned start holds any longer. False if a key is not finite.
    """
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    for i in range(lo, hi):
        first, second = keys_of(rules, function, jobs, c[NOW], queue.job[i])
        if math.isnan(first):
            return False
        queue.first[i] = first
        queue.second[i] = second
    moved = first_unsorted(queue.job, queue.first, queue.second, lo, hi)
    if moved == hi:
        return True
    sort_jobs(queue.job, queue.first, queue.second, lo, hi)
    for i in range(lo, hi):
        queue.demand[i] = jobs.demand[queue.job[i]]
        queue.estimate[i] = jobs.estimate[queue.job[i]]
    c[VALID] = 0
    c[RESERVED] = hi - lo
    return True
