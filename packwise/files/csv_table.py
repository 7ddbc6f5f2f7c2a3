"""CSV files as columns, with every complaint pointing at its line."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from packwise.files.content import file_content
from packwise.files.csv_rows import CsvRow, CsvRows, swallowed
from packwise.files.table import Table, quote
from packwise.model.errors import FormatError
from packwise.model.workload import Floats


@dataclass(frozen=True, eq=False)
class CsvTable(Table):
    """The cells of a CSV file by column, as text, and the line each row begins on."""

    path: str
    columns: dict[str, list[str]]
    lines: list[int]
    header_line: int = 1

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> Sequence[str]:
        return tuple(self.columns)

    @property
    def head(self) -> int | None:
        return self.header_line

    def texts(self, name: str) -> list[str]:
        return self.columns[name]

    def refusal(self, row: int, expected: str, found: str, remedy: str = "") -> FormatError:
        return FormatError(
            self.path, line=self.lines[row], expected=expected, found=found, remedy=remedy
        )

    def loose_numbers(self, name: str) -> Floats:
        cells = self.columns[name]
        try:
            if "_" not in "".join(cells):
                return np.array(cells, np.float64)
        except ValueError:
            pass
        return np.array([_number(cell) for cell in cells], np.float64)


def read_csv_table(
    path: str | os.PathLike[str],
    *,
    row: str = "job",
    delimiters: str = ",",
    is_header: Callable[[Sequence[str]], bool] | None = None,
) -> CsvTable:
    """Read a CSV file with a header line, plain or gzip (recognised by its first bytes).

    ``row`` is what stands in a row. Of several ``delimiters`` the one that gives the header most columns is
    taken. Lines before the first one that ``is_header`` are left out, if there is such a line.
    """
    try:
        text = file_content(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            str(path), expected="UTF-8 text", found=f"other bytes ({error})"
        ) from error
    delimiter = _delimiter(text, delimiters, is_header)
    rows = _rows(text, delimiter)
    head = _header(rows, is_header)
    if head is None:  # none of the lines is one: the first has to do, and will be complained about
        rows = _rows(text, delimiter)
        head = _header(rows, None)
    header = [] if head is None else [name.strip() for name in _whole(path, head)]
    if twice := [name for name, times in Counter(header).items() if times > 1]:
        raise FormatError(
            str(path),
            line=head.line if head else None,
            expected="each column once",
            found=f"{quote(twice[0])} twice",
        )
    lines, cells = [], []
    for one in rows:
        cells.append(_row(path, one, header, delimiter))
        lines.append(one.line)
    if head is None or not lines:
        raise FormatError(
            str(path), expected=f"a header line and at least one {row}", found=f"no {row}"
        )
    columns = dict(zip(header, map(list, zip(*cells, strict=True)), strict=True))
    return CsvTable(str(path), columns, lines, head.line)


def _delimiter(
    text: str, delimiters: str, is_header: Callable[[Sequence[str]], bool] | None
) -> str:
    """The one by which the header has most columns."""
    if len(delimiters) == 1:
        return delimiters

    def columns(one: str) -> int:
        head = _header(_rows(text, one), is_header)
        return 0 if head is None else len(head.cells)

    return max(delimiters, key=columns)


def _rows(text: str, delimiter: str) -> Iterator[CsvRow]:
    return iter(CsvRows(io.StringIO(text, newline=""), delimiter))


def _header(
    rows: Iterator[CsvRow], is_header: Callable[[Sequence[str]], bool] | None
) -> CsvRow | None:
    """The row that has the names of the columns; none if no row has any."""
    for row in rows:
        if is_header is None or is_header([name.strip() for name in row.cells]):
            return row
    return None


def _whole(path: str | os.PathLike[str], row: CsvRow) -> list[str]:
    """The cells of a row that is CSV."""
    if row.wrong:
        raise FormatError(
            str(path),
            line=row.line,
            expected="CSV",
            found=row.wrong,
            remedy='A cell that begins with " ends with one, and has "" for each inside.',
        )
    return row.cells


def _row(
    path: str | os.PathLike[str], row: CsvRow, header: Sequence[str], delimiter: str
) -> list[str]:
    """The cells of a row that belongs to a header."""
    cells = _whole(path, row)
    if len(cells) != len(header):
        raise FormatError(
            str(path),
            line=row.line,
            expected=f"{len(header)} fields as in the header",
            found=f"{len(cells)}",
            remedy="Check that the file was copied or downloaded completely.",
        )
    if len(row.lines) > 1 and (inner := swallowed(row, delimiter)):
        raise FormatError(
            str(path),
            line=row.line,
            expected="a quote that is closed in its cell",
            found=f"one that takes in line {inner}, a row by its looks",
            remedy="Close it, or write what the cell quotes without line ends.",
        )
    return cells


def _number(cell: str) -> float:
    try:
        return float("nan") if "_" in cell else float(cell)
    except ValueError:
        return float("nan")
