"""CSV files as columns, with every complaint pointing at its line."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass

import numpy as np

from packwise.model.errors import FormatError
from packwise.model.workload import LARGEST, Floats, Ints
from packwise.workloads.file_content import file_content


@dataclass(frozen=True, slots=True, eq=False)
class CsvTable:
    """The cells of a CSV file by column, as text, and the line each row ends on."""

    path: str
    columns: dict[str, list[str]]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def numbers(self, name: str) -> Floats:
        """A column of finite numbers below 2^40 in size."""
        cells = self.columns[name]
        try:
            values = np.array(cells, np.float64) if "_" not in "".join(cells) else None
        except ValueError:
            values = None
        if values is None:
            values = np.array([_number(cell) for cell in cells], np.float64)
        wrong = ~(np.abs(values) <= LARGEST)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise self.refusal(i, f"a number below 2^40 in column '{name}'", f"'{cells[i]}'")
        return values

    def whole(self, name: str) -> Ints:
        """A column of whole numbers."""
        values = self.numbers(name)
        wrong = values != np.floor(values)
        if wrong.any():
            i = int(np.argmax(wrong))
            cell = self.columns[name][i]
            raise self.refusal(i, f"a whole number in column '{name}'", f"'{cell}'")
        return values.astype(np.int64)

    def need(self, *names: str) -> None:
        """Refuse the file if a column is missing."""
        for name in names:
            if name not in self.columns:
                raise FormatError(
                    self.path,
                    line=1,
                    expected=f"a column '{name}'",
                    found=f"columns {', '.join(self.columns)}",
                )

    def refusal(self, row: int, expected: str, found: str, remedy: str = "") -> FormatError:
        """The error for one row."""
        return FormatError(
            self.path, line=self.lines[row], expected=expected, found=found, remedy=remedy
        )


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
                str(path), line=1, expected="each column once", found=f"'{twice[0]}' twice"
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
