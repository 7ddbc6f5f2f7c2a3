"""The SWF scanner in plain Python: slow, short, to be checked by eye."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
FLOATS = {5, 6, 9, 17}
SUBMIT = 1


class NaiveLog(NamedTuple):
    rows: list[list[float]]
    lines: list[int]
    comments: list[bytes]
    fractional: int
    bad: int  # number of the first bad line, 0 if there is none


def naive_swf(content: bytes) -> NaiveLog:
    """What the scanner should find, up to the first bad line."""
    rows, lines, comments, fractional = [], [], [], 0
    for number, line in enumerate(content.split(b"\n"), 1):
        tokens = line.split()
        if not tokens:
            continue
        if tokens[0].startswith(b";"):
            comments.append(line)
            continue
        if len(tokens) != 18:
            return NaiveLog(rows, lines, comments, fractional, number)
        row: list[float] = []
        for field, token in enumerate(tokens):
            if not NUMBER.fullmatch(token):
                return NaiveLog(rows, lines, comments, fractional, number)
            text = token.decode()
            value: float = float(text)
            if field not in FLOATS and abs(value) < 2**40:
                exact = Decimal(text)
                value = int(exact.to_integral_value(ROUND_HALF_UP))
                fractional += exact != value
            if abs(value) >= 2**40 or (field == SUBMIT and value < -1):
                return NaiveLog(rows, lines, comments, fractional, number)
            row.append(value)
        rows.append(row)
        lines.append(number)
    return NaiveLog(rows, lines, comments, fractional, 0)
