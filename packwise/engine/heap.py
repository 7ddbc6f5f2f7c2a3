"""A binary heap of (time, number) in two arrays: completions and overruns to come."""

from __future__ import annotations

from packwise.compiled import inlined


@inlined
def heap_push(times, numbers, size, time, number):
    """Add an entry to a heap of ``size`` entries; the caller counts one more. Ties: smaller number first."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if times[parent] < time or (times[parent] == time and numbers[parent] < number):
            break
        times[i] = times[parent]
        numbers[i] = numbers[parent]
        i = parent
    times[i] = time
    numbers[i] = number


@inlined
def heap_pop(times, numbers, size):
    """Remove the first entry of a heap of ``size`` entries; the caller counts one less."""
    last = size - 1
    time = times[last]
    number = numbers[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        right = child + 1
        if right < last and (
            times[right] < times[child]
            or (times[right] == times[child] and numbers[right] < numbers[child])
        ):
            child = right
        if time < times[child] or (time == times[child] and number < numbers[child]):
            break
        times[i] = times[child]
        numbers[i] = numbers[child]
        i = child
    times[i] = time
    numbers[i] = number
