"""Slurm's lists of hosts: n[001-064,070],gpu1."""

from __future__ import annotations

import re

_RANGE = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15}))?")
#: More hosts than this in one list are a slip of the pen.
MOST = 1_000_000


def hosts(text: str) -> list[str]:
    """The names that a list stands for. ValueError if it is none."""
    names: list[str] = []
    for part in _split(text):
        names += _expanded(part)
        if len(names) > MOST:
            raise ValueError(f"more than {MOST:,} hosts")
    return names


def _split(text: str) -> list[str]:
    """At commas outside brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth not in (0, 1):
            raise ValueError("brackets do not match")
        if letter == "," and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    if depth:
        raise ValueError("a bracket is missing")
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def _expanded(part: str) -> list[str]:
    before, bracket, rest = part.partition("[")
    if not bracket:
        return [part]
    inside, _, after = rest.partition("]")
    tails = _expanded(after) if after else [""]
    names: list[str] = []
    for piece in inside.split(","):
        found = _RANGE.fullmatch(piece.strip())
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if found is None or high < low:
            raise ValueError(f"'{piece}' is no range")
        if (len(names) + high - low + 1) * len(tails) > MOST:
            raise ValueError(f"more than {MOST:,} hosts")
        width = len(found[1])
        names += [f"{before}{number:0{width}}" for number in range(low, high + 1)]
    return [name + tail for name in names for tail in tails]
