"""CSV files as columns, with every complaint pointing at its line."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from packwise.files.content import file_content
from packwise.files.table import Table, quote
from packwise.model.errors import FormatError
from packwise.model.workload import Floats


@dataclass(frozen=True, eq=False)
class CsvTable(Table):
    """The cells of a CSV file by column, as text, and the line each row ends on."""

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
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiters[0])
    try:
        delimiter = _delimiter(text, delimiters, is_header)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        header = _header(reader, is_header)
        if (
            not header
        ):  # none of the lines is one: the first has to do, and will be complained about
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            header = _header(reader, None)
        header_line = reader.line_num
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise FormatError(
                str(path),
                line=header_line,
                expected="each column once",
                found=f"{quote(twice[0])} twice",
            )
        rows, lines = [], []
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise FormatError(
                    str(path),
                    line=reader.line_num,
                    expected=f"{len(header)} fields as in the header",
                    found=f"{len(cells)}",
                    remedy="Check that the file was copied or downloaded completely.",
                )
            rows.append(cells)
            lines.append(reader.line_num)
    except csv.Error as error:
        line = reader.line_num
        raise FormatError(str(path), line=line, expected="CSV", found=str(error)) from error
    if not rows:
        raise FormatError(
            str(path), expected=f"a header line and at least one {row}", found=f"no {row}"
        )
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    return CsvTable(str(path), columns, lines, header_line)


def _delimiter(
    text: str, delimiters: str, is_header: Callable[[Sequence[str]], bool] | None
) -> str:
    """The one by which the header has most columns."""
    if len(delimiters) == 1:
        return delimiters

    def columns(one: str) -> int:
        return len(_header(csv.reader(io.StringIO(text, newline=""), delimiter=one), is_header))

    return max(delimiters, key=columns)


def _header(
    rows: Iterator[list[str]], is_header: Callable[[Sequence[str]], bool] | None
) -> list[str]:
    """The names of the columns; none if no line has any."""
    for cells in rows:
        names = [name.strip() for name in cells]
        if is_header is None or is_header(names):
            return names
    return []


def _number(cell: str) -> float:
    try:
        return float("nan") if "_" in cell else float(cell)
    except ValueError:
        return float("nan")
