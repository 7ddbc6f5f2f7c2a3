"""A binary heap of (time, job) in two arrays: completions and overruns to come."""

from __future__ import annotations

from packwise.engine.compiled import inlined


@inlined
def heap_push(times, jobs, size, time, job):
    """Add an entry to a heap of ``size`` entries; the caller counts one more. Ties: smaller job first."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if times[parent] < time or (times[parent] == time and jobs[parent] < job):
            break
        times[i] = times[parent]
        jobs[i] = jobs[parent]
        i = parent
    times[i] = time
    jobs[i] = job


@inlined
def heap_pop(times, jobs, size):
    """Remove the first entry of a heap of ``size`` entries; the caller counts one less."""
    last = size - 1
    time = times[last]
    job = jobs[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        right = child + 1
        if right < last and (
            times[right] < times[child]
            or (times[right] == times[child] and jobs[right] < jobs[child])
        ):
            child = right
        if time < times[child] or (time == times[child] and job < jobs[child]):
            break
        times[i] = times[child]
        jobs[i] = jobs[child]
        i = child
    times[i] = time
    jobs[i] = job
