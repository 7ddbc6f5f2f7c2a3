"""Records as CSV, cells in quotes where they need it: tables whose columns are known, or explained.

A quote that nobody meant, as in the name of a job, must not take in the records behind it. A row on which the
quotes do not work out, or whose quoted cells hold whole records, is read line by line: a line as CSV, or else
as it stands, its quotes as letters.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from io import BytesIO, TextIOWrapper

from packwise.files.content import file_blocks
from packwise.files.csv_rows import CsvRow, CsvRows
from packwise.model.errors import FormatError, shortened
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.judge import Judge
from packwise.workloads.records.meanings import Meaning
from packwise.workloads.records.times import Clock

_BLOCK = 1 << 24
_BATCH = 100_000


def read_csv(
    path: str | os.PathLike[str],
    title: str,
    separator: str,
    meanings: Mapping[str, Meaning],
    clock: Clock,
) -> Records:
    """The records of a CSV file with a header."""
    import polars as pl

    collector = Collector(str(path), title, clock)
    stream = TextIOWrapper(
        _Stream(file_blocks(path, _BLOCK)), "utf-8", errors="replace", newline=""
    )
    rows = CsvRows(stream, separator)
    names = _names(path, next(iter(rows), None), meanings)
    places = {name: names.index(name) for name in meanings}
    table = _Table(rows, separator, len(names), Judge(names, meanings))
    held: list[list[str]] = []

    def hand_over() -> None:
        columns = {
            name: (meaning, pl.Series([one[places[name]] for one in held], dtype=pl.String))
            for name, meaning in meanings.items()
        }
        collector.add(columns)
        held.clear()

    for row in table:
        if row.wrong:
            collector.refuse(row.line, "".join(row.lines), row.wrong)
            continue
        held.append(row.cells)
        if len(held) >= _BATCH:
            hand_over()
    hand_over()
    return collector.records(unused=tuple(name for name in names if name and name not in meanings))


def _names(
    path: str | os.PathLike[str], header: CsvRow | None, meanings: Mapping[str, Meaning]
) -> list[str]:
    """The columns of a file that has all that have a meaning."""
    if header is not None and header.wrong:
        raise FormatError(str(path), line=header.line, expected="a header", found=header.wrong)
    names = [] if header is None else [name.strip() for name in header.cells]
    for name in meanings:
        if name not in names:
            raise FormatError(
                str(path),
                line=1,
                expected=f"a column '{shortened(name)}'",
                found=f"columns {', '.join(names)[:200]}",
            )
    return names


class _Table:
    """The rows of a table, each as wide as its header or with what is wrong."""

    def __init__(self, rows: CsvRows, separator: str, width: int, judge: Judge) -> None:
        self._rows, self._separator, self._width, self._judge = rows, separator, width, judge

    def __iter__(self) -> Iterator[CsvRow]:
        for row in self._rows:
            if len(row.cells) == self._width and len(row.lines) == 1:
                yield row
            elif row.wrong or self._takes_in_another(row):
                yield from self._line_by_line(row)
            else:
                yield self._checked(row)

    def _takes_in_another(self, row: CsvRow) -> bool:
        """Whether a line further down is a record on its own."""
        alone = (self._alone(row.line, line) for line in row.lines[1:])
        return any(not one.wrong and self._judge.plausible(one.cells) for one in alone)

    def _line_by_line(self, row: CsvRow) -> Iterator[CsvRow]:
        """Only the last line may begin a cell that goes on behind it."""
        lines = row.lines if len(row.lines) == 1 else row.lines[:-1]
        self._rows.again(row.lines[len(lines) :])
        for number, line in enumerate(lines, row.line):
            if line.strip():
                yield self._alone(number, line)

    def _alone(self, number: int, line: str) -> CsvRow:
        """A line by itself: as CSV or, if that fails and it makes a record, as it stands."""
        nothing = CsvRow(number, (line,), [], "an empty line")
        row = next(iter(CsvRows([line], self._separator)), nothing)._replace(line=number)
        if not row.wrong:
            return self._checked(row)
        cells = line.rstrip("\r\n").split(self._separator)
        fits = len(cells) == self._width and self._judge.plausible(cells)
        return CsvRow(number, (line,), cells) if fits else row

    def _checked(self, row: CsvRow) -> CsvRow:
        if len(row.cells) == self._width:
            return row
        return row._replace(wrong=f"{len(row.cells)} cells instead of {self._width}")


class _Stream(BytesIO):
    """Blocks as a file that can be read from."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self._blocks = blocks
        self._held = b""

    def read1(self, size: int | None = -1, /) -> bytes:
        return self.read(size)

    def read(self, size: int | None = -1, /) -> bytes:
        if not self._held:
            self._held = next(self._blocks, b"")
        if size is None or size < 0:
            rest, self._held = self._held + b"".join(self._blocks), b""
            return rest
        part, self._held = self._held[:size], self._held[size:]
        return part
