"""A fixed piece of compiling, by which times of compiling are divided: `python -m benchmarks.calibration`.

The same on every machine, and of no part of Packwise; so "thirteen calibrations" holds where seconds do not.
Seven functions that bisect, sort and merge with loops in loops, compiled by numba's defaults in a process of
their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


def _function(number: int) -> Any:
    @njit
    def merge(left, right, merged):
        first = second = crossed = 0
        for place in range(merged.size):
            if second == right.size or (first < left.size and left[first] <= right[second]):
                merged[place] = left[first]
                first += 1
            else:
                low, high = 0, left.size
                while low < high:
                    middle = (low + high) // 2
                    if left[middle] > right[second] + number:
                        high = middle
                    else:
                        low = middle + 1
                crossed += left.size - low
                merged[place] = right[second]
                second += 1
        return np.sort(merged)[: number + 1].sum() + crossed

    return merge


def main() -> None:
    few = np.arange(6)
    for number in range(7):
        _function(number)(few, few[::-1].copy(), np.empty(12, np.int64))


if __name__ == "__main__":
    main()
