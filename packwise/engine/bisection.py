"""Where a number belongs in a sorted array."""

from __future__ import annotations

from packwise.compiled import inlined


@inlined
def position(numbers, lo, hi, number):
    """Index of the first entry of the window [lo, hi) that is not below a number."""
    while lo < hi:
        middle = (lo + hi) >> 1
        if numbers[middle] < number:
            lo = middle + 1
        else:
            hi = middle
    return lo
