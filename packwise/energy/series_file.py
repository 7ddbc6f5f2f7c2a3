"""Series in CSV files: a column of times and one of values, as data portals export them.

Known by their heads: day-ahead prices as ENTSO-E's platform exports them ("MTU (CET/CEST)", "Day-ahead Price
[EUR/MWh]"), carbon intensity as from Electricity Maps ("Datetime (UTC)", "Carbon intensity gCO₂eq/kWh ..."),
hourly weather as from Open-Meteo ("time", "temperature_2m (°C)", with lines about the place before). Others
by saying which column is which.
"""

from __future__ import annotations

import os
import re
from datetime import tzinfo
from typing import Literal, NamedTuple

import numpy as np

from packwise.energy.times import Times, is_time_column, read_times
from packwise.files.csv_table import CsvTable, read_csv_table
from packwise.model.energy.series import Series
from packwise.model.energy.units import EXAMPLES, Kind, unit_in
from packwise.model.errors import FormatError, InputError
from packwise.model.time_zone import moment, zone_named
from packwise.model.workload import Floats, Ints

Gaps = Literal["refuse", "hold"]

_WORDS: dict[Kind, tuple[str, ...]] = {
    "price": ("price", "cost"),
    "carbon": ("carbon", "co2"),
    "temperature": ("temperature", "temp"),
    "power": ("cap", "power", "limit"),
}
#: What portals write where there is no value.
_MISSING = ("", "-", "n/a", "n/e", "na", "nan", "null", "none")
_HOLD = 'Write gaps = "hold" to let the value before it stay.'


class SeriesFile(NamedTuple):
    """A series, and in words what was decided for the reader."""

    series: Series
    notes: tuple[str, ...]


def read_series(
    path: str | os.PathLike[str],
    kind: Kind,
    *,
    column: str | None = None,
    time: str | None = None,
    unit: str | None = None,
    zone: str | None = None,
    usual_zone: str | None = None,
    gaps: Gaps = "refuse",
) -> SeriesFile:
    """A series of a CSV file. What is not given is told by the heads of the columns.

    ``zone`` is needed where times tell no offset and the head of their column tells no zone; ``usual_zone``
    is taken where nothing else tells it. A value that is missing, and a time that is, are refused, or with
    ``gaps="hold"`` the value before them stays.
    """
    table = read_csv_table(
        path,
        row="time",
        delimiters="\t;,",
        is_header=lambda names: any(map(is_time_column, names)) if time is None else time in names,
    )
    time_column = _time_column(table, time)
    value_column, others = _value_column(table, kind, column, time_column)
    known = unit or unit_in(kind, value_column)
    if known is None:
        raise FormatError(
            str(path),
            line=table.head,
            expected=f"a unit of {kind} in the head of column '{value_column}', or in the scenario",
            found="none",
            remedy=f"Write unit = ..., such as {EXAMPLES[kind]}.",
        )
    times = read_times(table, time_column, zone, usual_zone)
    clock = zone_named(times.zone)
    _check_order(table, time_column, times, clock)
    values, there = _values(table, value_column, times, clock, gaps)
    held = int((~there).sum())
    step = _step(table, times.begin, times.end, clock, gaps)
    begin, last = times.begin[there], int(times.begin[-1])
    notes = [f"{kind}: column '{value_column}' in {known}"]
    if others:
        notes[0] += f" ({', '.join(others)} would do, too: say column = ...)"
    if held:
        notes.append(f"{kind}: {held:,} missing values, the one before stays")
    name = f"{kind} ({os.path.basename(path)})"
    series = Series(begin, values[there], last + step, known, times.zone, name)
    return SeriesFile(series, tuple(notes))


def _time_column(table: CsvTable, wanted: str | None) -> str:
    if wanted is not None:
        table.need(wanted)
        return wanted
    for name in table.names:
        if is_time_column(name):
            return name
    raise FormatError(
        table.path,
        line=table.head,
        expected="a column of times, such as 'time' or 'MTU (CET/CEST)'",
        found=f"columns {', '.join(table.names)[:200]}",
        remedy='Say which it is: time = "..." in the scenario.',
    )


def _value_column(
    table: CsvTable, kind: Kind, wanted: str | None, time: str
) -> tuple[str, list[str]]:
    """The column of the values, and others that it might have been."""
    if wanted is not None:
        table.need(wanted)
        return wanted, []
    others = [name for name in table.names if name != time]
    with_unit = [name for name in others if unit_in(kind, name) is not None]
    rest = [name for name in others if not is_time_column(name)]
    named = [name for name in rest if any(word in name.lower() for word in _WORDS[kind])]
    found = with_unit or named or (rest if len(rest) == 1 else [])
    if not found:
        raise FormatError(
            table.path,
            line=table.head,
            expected=f"a column of {kind}",
            found=f"columns {', '.join(table.names)[:200]}",
            remedy='Say which it is: column = "..." in the scenario.',
        )
    return found[0], [f"'{name}'" for name in found[1:]]


def _check_order(table: CsvTable, name: str, times: Times, clock: tzinfo) -> None:
    steps = np.diff(times.begin)
    if (steps <= 0).any():
        row = int(np.argmax(steps <= 0)) + 1
        before = moment(int(times.begin[row - 1]), clock)
        raise table.refusal(
            row,
            f"in column '{name}' a time after {before}",
            table.quoted(name, row) + (", the same" if steps[row - 1] == 0 else ""),
            "Sort the rows, and keep one of each time.",
        )


def _values(
    table: CsvTable, name: str, times: Times, clock: tzinfo, gaps: Gaps
) -> tuple[Floats, np.ndarray]:
    """The values, and which of them are there."""
    cells = table.texts(name)
    values = np.array([_number(cell) for cell in cells])
    blank = np.array([cell.strip().lower() in _MISSING for cell in cells])
    wrong = ~np.isfinite(values) & ~(blank if gaps == "hold" else np.zeros(len(cells), np.bool_))
    if gaps == "hold" and blank[0]:
        wrong[0] = True
    if wrong.any():
        row = int(np.argmax(wrong))
        when = moment(int(times.begin[row]), clock)
        remedy = _HOLD if blank[row] and row else ""
        raise table.refusal(
            row, f"a number in column '{name}' at {when}", table.quoted(name, row), remedy
        )
    return values, ~blank


def _step(table: CsvTable, begin: Ints, end: Ints | None, clock: tzinfo, gaps: Gaps) -> int:
    """How long the last value holds: as long as most do. A longer way to the next one is a gap."""
    steps = np.diff(begin)
    if end is not None:
        usual, reach = int(end[-1] - begin[-1]), end[:-1]
    elif len(steps):
        counts = np.unique(steps, return_counts=True)
        usual = int(counts[0][np.argmax(counts[1])])
        reach = begin[:-1] + usual
    else:
        raise InputError(
            f"{table.path}: expected two times at least, to tell how long a value holds; found one."
        )
    missing = begin[1:] > reach
    if gaps == "refuse" and missing.any():
        i = int(np.argmax(missing))
        first = moment(int(reach[i]), clock)
        repeated = moment(int(reach[i]), clock)[:19] == moment(int(begin[i]), clock)[:19]
        hint = " The clock repeats that hour, and the file has it once." if repeated else ""
        raise InputError(
            f"{table.path}: expected a value every {usual:,} s, found none for {first} (in all "
            f"{int(missing.sum()):,} gaps).{hint} {_HOLD}"
        )
    return usual


def _number(cell: str) -> float:
    """A number, also with a decimal comma; NaN for anything else."""
    text = cell.strip().replace("\N{MINUS SIGN}", "-")
    if "," in text and re.fullmatch(r"[+-]?\d+,\d+", text):
        text = text.replace(",", ".")
    try:
        return float("nan") if "_" in text else float(text)
    except ValueError:
        return float("nan")
