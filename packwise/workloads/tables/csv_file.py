"""CSV files as columns, with every complaint pointing at its line."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from packwise.files.content import file_content
from packwise.model.errors import FormatError
from packwise.model.workload import Floats
from packwise.workloads.tables.table import Table, quote


@dataclass(frozen=True, eq=False)
class CsvTable(Table):
    """The cells of a CSV file by column, as text, and the line each row ends on."""

    path: str
    columns: dict[str, list[str]]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> Sequence[str]:
        return tuple(self.columns)

    @property
    def head(self) -> int | None:
        return 1

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


def read_csv_table(path: str | os.PathLike[str]) -> CsvTable:
    """Read a CSV file with a header line, plain or gzip (recognised by its first bytes)."""
    try:
        text = file_content(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            str(path), expected="UTF-8 text", found=f"other bytes ({error})"
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [name.strip() for name in next(reader, [])]
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise FormatError(
                str(path), line=1, expected="each column once", found=f"{quote(twice[0])} twice"
            )
        rows, lines = [], []
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise FormatError(
                    str(path),
                    line=reader.line_num,
                    expected=f"{len(header)} fields as in the header",
                    found=f"{len(row)}",
                    remedy="Check that the file was copied or downloaded completely.",
                )
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        line = reader.line_num
        raise FormatError(str(path), line=line, expected="CSV", found=str(error)) from error
    if not rows:
        raise FormatError(str(path), expected="a header line and at least one job", found="no job")
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    return CsvTable(str(path), columns, lines)


def _number(cell: str) -> float:
    try:
        return float("nan") if "_" in cell else float(cell)
    except ValueError:
        return float("nan")
