"""Slurm's lists of hosts: n[001-064,070],gpu1."""

from __future__ import annotations

import re
from math import prod
from typing import NamedTuple

from packwise.files.table import quote

_RANGE = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15}))?")
#: Letters, and a list in brackets behind them.
_PART = re.compile(r"([^\[\]]*)(?:\[([^\[\]]*)\])?")
#: More hosts than this in one list are a slip of the pen, as are longer names.
MOST = 1_000_000
_LONGEST = 1_000


def hosts(text: str, most: int = MOST) -> list[str]:
    """The names that a list stands for. ValueError if it is none, or stands for more than ``most``."""
    names: list[str] = []
    for part in split_outside(text):
        names += _expanded(part, most)
        if len(names) > most:
            raise ValueError(f"more than {most:,} hosts")
    return names


def split_outside(text: str, brackets: str = "[]") -> list[str]:
    """The parts between commas that are outside brackets. ValueError if these do not match."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == brackets[0]) - (letter == brackets[1])
        if depth not in (0, 1):
            raise ValueError("brackets do not match")
        if letter == "," and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    if depth:
        raise ValueError("a bracket is missing")
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def _expanded(part: str, most: int) -> list[str]:
    if "[" not in part:
        return [part]
    parts = [(found[1], _ranges(found[2])) for found in _PART.finditer(part)]
    if sum(len(letters) for letters, _ in parts) > _LONGEST:
        raise ValueError(f"a name of more than {_LONGEST:,} letters")
    if prod(sum(one.high - one.low + 1 for one in ranges) or 1 for _, ranges in parts) > most:
        raise ValueError(f"more than {most:,} hosts")
    names = [""]
    for letters, ranges in parts:
        tails = [
            f"{letters}{number:0{one.width}}"
            for one in ranges
            for number in range(one.low, one.high + 1)
        ]
        names = [f"{name}{tail}" for name in names for tail in tails or [letters]]
    return names


class _Range(NamedTuple):
    """Numbers, with noughts in front up to a width."""

    low: int
    high: int
    width: int


def _ranges(text: str | None) -> list[_Range]:
    """A list in brackets; nothing where there is none."""
    ranges = []
    for piece in [] if text is None else text.split(","):
        found = _RANGE.fullmatch(piece.strip())
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise ValueError(f"{quote(piece)} is no range")
        ranges.append(_Range(int(found[1]), int(found[2] or found[1]), len(found[1])))
    return ranges
