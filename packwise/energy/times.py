"""A column of times, as people write them, as Unix seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

import numpy as np

from packwise.files.csv_table import CsvTable
from packwise.model.time_zone import zone_named
from packwise.model.workload import Ints

#: How the names of columns of times begin: with one of these words.
_NAMES = re.compile(
    r"(?i)(time|timestamp|date|datetime|mtu|utc(?!_offset)|start|begin|hour|valid|from|period)(?![a-z])"
)
#: Dates written as numbers: year, month, day, perhaps hour and minute.
_CALENDAR = re.compile(
    r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(([01]\d|2[0-3])([0-5]\d)?)?"
)
#: Numbers from here on are seconds since 1970 (or thousandths): 1973 and later.
_SECONDS, _THOUSANDTHS = 1e8, 1e11
_DAY_FIRST = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_ZONES = {"UTC": "UTC", "GMT": "UTC", "CET/CEST": "Europe/Brussels", "CET": "Europe/Brussels"}
EXAMPLES = "2024-01-31T13:00Z, 2024-01-31 13:00, 31.01.2024 13:00 or Unix seconds"


class Times(NamedTuple):
    """When each row begins and, where the file tells, ends; ``zone`` is that of the clock."""

    begin: Ints
    end: Ints | None
    zone: str


def is_time_column(name: str) -> bool:
    """Whether a column is named like one of times."""
    return _NAMES.match(name.strip()) is not None


def zone_in(name: str) -> str | None:
    """The zone that the head of a column tells: 'MTU (CET/CEST)', 'Datetime (UTC)'."""
    found = re.search(r"[(\[]\s*([A-Z/]+)\s*[)\]]", name)
    return None if found is None else _ZONES.get(found[1])


def read_times(table: CsvTable, name: str, zone: str | None, usual: str | None = None) -> Times:
    """The times of a column. ``zone`` is for those that tell no offset; else the column's head may tell it, and
    ``usual`` is taken if it does not.
    """
    cells = table.texts(name)
    known = zone or zone_in(name) or usual
    numbers = table.loose_numbers(name)
    if np.isfinite(numbers).all():
        if all(_CALENDAR.fullmatch(cell.strip()) for cell in cells):
            raise table.refusal(
                0,
                f"in column '{name}' a time such as {EXAMPLES}",
                f"{table.quoted(name, 0)}, a date without marks",
                "Write it as 2024-01-31T13:00.",
            )
        return Times(_from_numbers(table, name, numbers), None, known or "UTC")
    begins, ends = [], []
    for row, cell in enumerate(cells):
        first, dash, last = cell.strip().partition(" - ")
        begins.append(_moment(table, row, name, first))
        if dash:
            ends.append(_moment(table, row, name, last))
    clock = None if known is None else zone_named(known)
    begin = _unix(table, name, begins, clock)
    end = None
    if len(ends) == len(begins):
        # Where a clock goes back, an interval ends before it begins, or lasts for two hours: take the next
        # begin.
        end = _unix(table, name, ends, clock, closing=True)
        step = np.append(np.diff(begin), end[-1] - begin[-1])
        end = np.where((end <= begin) | (end - begin > step), begin + step, end)
    return Times(begin, end, known or "UTC")


def _from_numbers(table: CsvTable, name: str, numbers: np.ndarray) -> Ints:
    seconds = np.where(np.abs(numbers) >= _THOUSANDTHS, numbers / 1000, numbers)
    wrong = (seconds < _SECONDS) | (seconds > _THOUSANDTHS) | (seconds != np.floor(seconds))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise table.refusal(
            row, f"in column '{name}' a time such as {EXAMPLES}", table.quoted(name, row)
        )
    return seconds.astype(np.int64)


def _moment(table: CsvTable, row: int, name: str, text: str) -> datetime:
    found = _DAY_FIRST.fullmatch(text.strip())
    try:
        if found is not None:
            day, month, year, hour, minute, second = (int(part or 0) for part in found.groups())
            return datetime(year, month, day, hour, minute, second)
        return datetime.fromisoformat(text.strip())
    except ValueError:
        remedy = "Dates with dots or slashes have the day first." if found is not None else ""
        raise table.refusal(
            row, f"in column '{name}' a time such as {EXAMPLES}", table.quoted(name, row), remedy
        ) from None


def _unix(
    table: CsvTable,
    name: str,
    moments: Sequence[datetime],
    zone: tzinfo | None,
    closing: bool = False,
) -> Ints:
    """Unix seconds. An hour that the clock repeats is the first one, until the file comes to it again."""
    found: list[int] = []
    for row, when in enumerate(moments):
        if when.tzinfo is not None:
            found.append(int(when.timestamp()))
            continue
        if zone is None:
            raise table.refusal(
                row,
                f"in column '{name}' times with an offset or a Z, or the name of their time zone",
                f"{table.quoted(name, row)} and none",
                'Say whose clock it is: zone = "Europe/Paris", or "UTC".',
            )
        unix = int(when.replace(tzinfo=zone).timestamp())
        again = int(when.replace(tzinfo=zone, fold=1).timestamp())
        if again < unix and not closing:  # a moment that the clock skips
            raise table.refusal(
                row,
                f"times that there are in {zone}",
                f"{table.quoted(name, row)}, which the clock skips that day",
                'Are these times of another zone, such as zone = "UTC"?',
            )
        if again > unix and found and found[-1] >= unix:
            unix = again
        found.append(unix)
    return np.array(found, np.int64)
