"""Rows of CSV with the lines that they stand on, so that an unclosed quote cannot swallow the rows behind it in
silence: a row that is broken is told as such, and its lines can be read again.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

#: A quote that is open for so many lines was never meant as one.
_MOST_LINES = 1_000


class CsvRow(NamedTuple):
    """A row, the line on which it begins, and its lines as they stand. One that is no CSV has no cells, and
    ``wrong`` says why.
    """

    line: int
    lines: Sequence[str]
    cells: list[str]
    wrong: str = ""


class CsvRows:
    """The rows of a text, given as lines with their ends, in their order; empty lines are left out."""

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self._source = iter(lines)
        self._delimiter = delimiter
        self._again: deque[str] = deque()
        self._taken = 0

    def __iter__(self) -> Iterator[CsvRow]:
        while (line := self._next()) is not None:
            if '"' in line:
                yield self._quoted(line)
            elif text := line.rstrip("\r\n"):
                yield CsvRow(self._taken, (line,), text.split(self._delimiter))

    def again(self, lines: Sequence[str]) -> None:
        """The last lines of the row before come once more, as the beginning of the next one."""
        self._again.extendleft(reversed(lines))
        self._taken -= len(lines)

    def _quoted(self, first: str) -> CsvRow:
        """A row whose cells may be in quotes, with as many lines as it takes."""
        begin, held, ended = self._taken, [first], False

        def lines() -> Iterator[str]:
            yield first
            nonlocal ended
            while len(held) < _MOST_LINES and (line := self._next()) is not None:
                held.append(line)
                yield line
            ended = True

        try:
            cells, wrong = next(csv.reader(lines(), delimiter=self._delimiter, strict=True)), ""
        except csv.Error as error:
            cells, wrong = [], "a quote that is opened and not closed" if ended else str(error)
        return CsvRow(begin, held, cells, wrong)

    def _next(self) -> str | None:
        self._taken += 1
        return self._again.popleft() if self._again else next(self._source, None)


def swallowed(row: CsvRow, delimiter: str) -> int | None:
    """The first line inside a cell of a whole row that by its looks is a row itself: as many cells, and numbers
    where the row has numbers.
    """
    numbers = [_is_number(cell) for cell in row.cells]
    for number, line in enumerate(row.lines[1:], row.line + 1):
        cells = line.rstrip("\r\n").split(delimiter)
        if len(cells) == len(numbers) and any(numbers):
            alike = zip(map(_is_number, cells), numbers, strict=True)
            if all(one or not needed for one, needed in alike):
                return number
    return None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
