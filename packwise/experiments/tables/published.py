"""Values that a paper published, from a CSV file.

Columns: metric, policy, trace (or workload), estimate (or predictor; may be left out where a study has one
estimate), and one column of numbers whose name says what they are:

    percent_change_vs_X   change in per cent against X: a policy with the same estimate (JustBF, List_REG),
                          or an estimate with the same policy (requested)
    percent_of_X          the value in per cent of X's
    value                 the value itself, in the metric's unit; also under the metric's name (r2)

``certain`` (yes or no) may mark figures that could not be read for sure, and ``machine`` may name a machine
of the study. Other columns are not looked at.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from enum import StrEnum

from packwise.files.csv_table import CsvTable, read_csv_table
from packwise.model.errors import FormatError

_RELATIVE = re.compile(r"percent_(change_vs|of)_(.+)", re.IGNORECASE)
_COLUMNS = "percent_change_vs_X, percent_of_X (X: a policy or an estimate) or value"
_YES, _NO = ("yes", "true", "1", ""), ("no", "false", "0")


class Kind(StrEnum):
    """What the numbers of a table are."""

    CHANGE = "change in per cent"
    SHARE = "per cent"
    VALUE = "value"


@dataclass(frozen=True)
class PublishedCell:
    """One figure, under the names of the paper."""

    metric: str
    policy: str
    estimate: str | None
    trace: str
    machine: str | None
    value: float
    decimals: int
    certain: bool
    line: int

    @property
    def names(self) -> tuple[str | None, ...]:
        """What it is a figure of; case does not matter."""
        parts = (self.metric, self.policy, self.estimate, self.trace, self.machine)
        return tuple(part and part.lower() for part in parts)


@dataclass(frozen=True)
class Published:
    """A table of a paper. ``reference`` is what the numbers are relative to, None for values."""

    path: str
    kind: Kind
    reference: str | None
    cells: tuple[PublishedCell, ...]

    @property
    def decimals(self) -> int:
        """How many the table has: -19 in a table with one stands for -19.0."""
        return max((cell.decimals for cell in self.cells), default=0)

    def names(self, axis: str) -> list[str]:
        """The names of an axis (metric, policy, estimate, trace, machine), each once."""
        found = dict.fromkeys(getattr(cell, axis) for cell in self.cells)
        return [name for name in found if name is not None]


def read_published(path: str | os.PathLike[str]) -> Published:
    """Read a table of published values; a FormatError names the line that is wrong."""
    table = _read(path)
    columns = {name.lower(): name for name in table.columns}
    metric, policy = (_column(table, columns, name) for name in ("metric", "policy"))
    trace = _column(table, columns, "trace", "workload")
    estimate = columns.get("estimate", columns.get("predictor"))
    machine, certain = columns.get("machine"), columns.get("certain")
    value, kind, reference = _value_column(table, table.columns[metric])
    cells = tuple(
        PublishedCell(
            _name(table, metric, row),
            _name(table, policy, row),
            _name(table, estimate, row) if estimate else None,
            _name(table, trace, row),
            _name(table, machine, row) if machine else None,
            *_number(table, value, row),
            _is_certain(table, certain, row) if certain else True,
            table.lines[row],
        )
        for row in range(len(table))
    )
    return Published(str(path), kind, reference, _once(str(path), cells))


def _read(path: str | os.PathLike[str]) -> CsvTable:
    try:
        return read_csv_table(path)
    except FormatError as error:
        if error.found != "no job":
            raise
        raise FormatError(
            error.path,
            expected="a header line and at least one published value",
            found="none",
            remedy=f"Columns: metric, policy, trace, estimate, and {_COLUMNS}.",
        ) from error


def _column(table: CsvTable, columns: dict[str, str], *names: str) -> str:
    for name in names:
        if name in columns:
            return columns[name]
    raise FormatError(
        table.path,
        line=1,
        expected=f"a column '{' or '.join(names)}'",
        found=f"columns {', '.join(table.columns)}",
        remedy=f"Columns: metric, policy, trace, estimate, and {_COLUMNS}.",
    )


def _value_column(table: CsvTable, metrics: list[str]) -> tuple[str, Kind, str | None]:
    """The column with the numbers, what they are, and what they are relative to."""
    named = {name.strip().lower() for name in metrics}
    found: list[tuple[str, Kind, str | None]] = []
    for name in table.columns:
        if relative := _RELATIVE.fullmatch(name):
            change = relative[1].lower() == "change_vs"
            found.append((name, Kind.CHANGE if change else Kind.SHARE, relative[2]))
        elif name.lower() == "value" or named == {name.lower()}:
            found.append((name, Kind.VALUE, None))
    if len(found) == 1:
        return found[0]
    listed = " and ".join(name for name, _, _ in found)
    raise FormatError(
        table.path,
        line=1,
        expected=f"one column of published values: {_COLUMNS}",
        found=listed or f"columns {', '.join(table.columns)}",
        remedy="Keep one of them." if found else "Rename the column that has the values.",
    )


def _name(table: CsvTable, column: str, row: int) -> str:
    text = table.columns[column][row].strip()
    if not text:
        raise table.refusal(row, f"a name in column '{column}'", "nothing")
    return text


def _number(table: CsvTable, column: str, row: int) -> tuple[float, int]:
    """The number, and how many decimals were printed."""
    text = table.columns[column][row].strip().replace("−", "-")
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        remedy = "Leave out the row if the paper has no figure."
        raise table.refusal(row, f"a number in column '{column}'", f"'{text}'", remedy)
    decimals = text.lower().partition("e")[0].partition(".")[2]
    return number, len(decimals)


def _is_certain(table: CsvTable, column: str, row: int) -> bool:
    text = table.columns[column][row].strip().lower()
    if text not in (*_YES, *_NO):
        raise table.refusal(row, f"yes or no in column '{column}'", f"'{text}'")
    return text in _YES


def _once(path: str, cells: tuple[PublishedCell, ...]) -> tuple[PublishedCell, ...]:
    """Each cell once; two rows may not contradict each other."""
    known: dict[tuple[str | None, ...], PublishedCell] = {}
    for cell in cells:
        first = known.setdefault(cell.names, cell)
        if (first.value, first.certain) != (cell.value, cell.certain):
            raise FormatError(
                path,
                line=cell.line,
                expected=f"one value for {cell.metric}, {cell.policy}, {cell.trace}",
                found=f"{cell.value:g} here and {first.value:g} in line {first.line}",
                remedy="Keep the right one.",
            )
    return tuple(known.values())
