"""Lines of cells between separators, without quotes, as ``sacct -P`` writes them: whole ones, fast; and those
that a separator or a line end inside a cell has broken, mended where there is one way to do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np

#: A job's name may hold separators; with more ways to cut a line than these, it is left out.
_MOST_WAYS = 500
#: A record is broken into so many lines at most.
_MOST_LINES = 20
_NEWLINE = 10


class Lines(NamedTuple):
    """A part of a file: whole lines of the expected number of cells, and the others with their places."""

    good: bytes
    bad: list[tuple[int, bytes]]
    lines: int


def blocks_of_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut at line ends."""
    held: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join((*held, block[:cut]))
            held = []
        if cut < len(block):
            held.append(block[cut:])
    if held:
        yield b"".join((*held, b"\n"))


def split_lines(block: bytes, separator: str, cells: int) -> Lines:
    """The lines with as many cells as there should be, together, and the others one by one."""
    letters = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    bars = np.flatnonzero(letters == ord(separator))
    counts = np.diff(np.searchsorted(bars, ends), prepend=0)
    whole = counts == cells - 1
    if cells == 1:
        whole &= np.diff(ends, prepend=-1) > 1
    if whole.all():
        return Lines(block, [], len(ends))
    begins = np.concatenate(([0], ends[:-1] + 1))
    bad = [(int(i), block[begins[i] : ends[i]]) for i in np.flatnonzero(~whole).tolist()]
    bad = [(i, line) for i, line in bad if line.strip()]
    good = b"".join(block[begins[i] : ends[i] + 1] for i in np.flatnonzero(whole).tolist())
    return Lines(good, bad, len(ends))


def mend(
    broken: Sequence[tuple[int, str]],
    separator: str,
    cells: int,
    free: Sequence[int],
    plausible: Callable[[Sequence[str]], bool],
) -> tuple[list[list[str]], list[tuple[int, str]]]:
    """Rows of broken lines, and the lines of which none could be made.

    ``free``: places of cells that may hold anything. Lines that follow one another with too few cells are
    parts of one that a line end has broken; a line with too many has separators in free cells. ``plausible``
    judges a row.
    """
    rows: list[list[str]] = []
    lost: list[tuple[int, str]] = []
    i = 0
    while i < len(broken):
        number, text = broken[i]
        j = i + 1
        last = min(len(broken), i + _MOST_LINES)
        while text.count(separator) < cells - 1 and j < last and broken[j][0] == number + j - i:
            text += " " + broken[j][1]
            j += 1
        row = _row(text.split(separator), separator, cells, free, plausible) if free else None
        if row is not None:
            rows.append(row)
            i = j
        else:  # the first line alone is lost: the next may be whole
            lost.append(broken[i])
            i += 1
    return rows, lost


def _row(
    parts: list[str],
    separator: str,
    cells: int,
    free: Sequence[int],
    plausible: Callable[[Sequence[str]], bool],
) -> list[str] | None:
    """Parts joined so that they are as many cells as there should be; None if no way, or several, are
    plausible.
    """
    surplus = len(parts) - cells
    if surplus < 0 or comb(len(free) + surplus - 1, surplus) > _MOST_WAYS:
        return None
    found: list[list[str]] = []
    for chosen in combinations_with_replacement(free, surplus):
        row, at = [], 0
        for place in range(cells):
            width = 1 + chosen.count(place)
            row.append(separator.join(parts[at : at + width]))
            at += width
        if plausible(row):
            found.append(row)
    return found[0] if len(found) == 1 else None
