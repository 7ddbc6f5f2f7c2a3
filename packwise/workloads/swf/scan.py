"""The compiled byte scanner of the SWF reader.

Importing this module imports numba, so the reader does it on first use. The kernels know the
format's shape and nothing of its meaning: bytes go in, columns come out, and the first line that
breaks a rule is returned by number for ``refusal`` to explain.
The same rules in plain Python are in ``tests/workloads/naive_swf.py``.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from packwise.compiled import compiled, inlined
from packwise.model.workload import LARGEST, Floats, Ints
from packwise.workloads.swf.fields import FLOAT_FIELDS, NAMES

_COUNT = len(NAMES)
_SUBMIT = NAMES.index("submit")
_IS_FLOAT = tuple(name in FLOAT_FIELDS for name in NAMES)
#: Row of each field within the array of its kind.
_SLOT = tuple(sum(_IS_FLOAT[j] == _IS_FLOAT[i] for j in range(i)) for i, _ in enumerate(NAMES))
#: 10^0 ... 10^18: what a fraction's digits are divided by.
_POWERS = np.array([10**k for k in range(19)], np.int64)
_EXACT = 2**53  # below this a whole number is a float without rounding

_NEWLINE, _SEMICOLON, _POINT, _PLUS, _MINUS = 10, 59, 46, 43, 45
_ZERO, _NINE, _UPPER_E, _LOWER_E = 48, 57, 69, 101


@inlined
def _blank(byte: int) -> bool:
    return byte == 32 or (9 <= byte <= 13 and byte != _NEWLINE)


@compiled
def count_lines(data: np.ndarray) -> tuple[int, int]:
    """How many lines hold a job and how many a comment (blank lines are neither)."""
    jobs, comments, at, size = 0, 0, 0, len(data)
    while at < size:
        while at < size and _blank(data[at]):
            at += 1
        if at < size and data[at] == _SEMICOLON:
            comments += 1
        elif at < size and data[at] != _NEWLINE:
            jobs += 1
        while at < size and data[at] != _NEWLINE:
            at += 1
        at += 1
    return jobs, comments


@compiled
def scan(
    data: np.ndarray,
    ints: Ints,
    floats: Floats,
    line: Ints,
    comments: Ints,
    deferred: Ints,
) -> tuple[int, int, int, int, int]:
    """Fill ``ints``, ``floats`` (field, job), ``line`` (job), ``comments`` (comment: start, end).

    Returns (deferred, fractional, bad line, its start, its end); no bad line is 0.
    A number that is not read exactly with 64-bit arithmetic (an exponent, many digits) is left to
    the caller: ``deferred`` gets (job, field, start, end). When there are more of them than it has
    rows, they are counted but not noted; the caller scans again with a larger table.
    """
    at, size, number, job, comment, later, fractional = 0, len(data), 0, 0, 0, 0, 0
    while at < size:
        number += 1
        begin = at
        while at < size and _blank(data[at]):
            at += 1
        if at >= size or data[at] == _NEWLINE:
            at += 1
            continue
        if data[at] == _SEMICOLON:
            while at < size and data[at] != _NEWLINE:
                at += 1
            comments[comment, 0] = begin
            comments[comment, 1] = at
            comment += 1
            at += 1
            continue
        field = 0
        good = True
        while good and at < size and data[at] != _NEWLINE:
            start = at
            negative = data[at] == _MINUS
            if negative or data[at] == _PLUS:
                at += 1
            mantissa, digits, decimals, seen, point, odd = 0, 0, 0, 0, False, False
            while at < size:
                byte = data[at]
                if _ZERO <= byte <= _NINE:
                    seen += 1
                    if digits < 18:
                        mantissa = mantissa * 10 + int64(byte - _ZERO)
                        digits += mantissa > 0
                        decimals += point
                    else:
                        odd = True
                elif byte == _POINT and not point:
                    point = True
                else:
                    break
                at += 1
            good = seen > 0 and field < _COUNT
            if good and at < size and (data[at] == _LOWER_E or data[at] == _UPPER_E):
                odd = True
                at += 1
                if at < size and (data[at] == _PLUS or data[at] == _MINUS):
                    at += 1
                power = at
                while at < size and _ZERO <= data[at] <= _NINE:
                    at += 1
                good = at > power
            good = good and (at >= size or data[at] == _NEWLINE or _blank(data[at]))
            if not good:
                break
            if odd or decimals > 18 or (_IS_FLOAT[field] and mantissa >= _EXACT):
                if later < len(deferred):
                    deferred[later, 0] = job
                    deferred[later, 1] = field
                    deferred[later, 2] = start
                    deferred[later, 3] = at
                later += 1
            else:
                divisor = _POWERS[decimals]
                whole = mantissa // divisor
                rest = mantissa - whole * divisor
                good = whole < LARGEST
                if _IS_FLOAT[field]:
                    value = mantissa / divisor
                    floats[_SLOT[field], job] = -value if negative else value
                else:
                    fractional += rest > 0
                    whole += rest >= divisor - rest
                    good = good and whole < LARGEST
                    ints[_SLOT[field], job] = -whole if negative else whole
                    good = good and not (field == _SUBMIT and negative and whole > 1)
            field += 1
            while at < size and _blank(data[at]):
                at += 1
        if not good or field != _COUNT:
            while at < size and data[at] != _NEWLINE:
                at += 1
            return later, fractional, number, begin, at
        line[job] = number
        job += 1
        at += 1
    return later, fractional, 0, 0, 0
