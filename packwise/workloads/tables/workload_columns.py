"""What a table tells of a workload besides its schedule: more of each job, and of the log as a whole.

So that a log can go to CSV or Parquet and back without a loss. A column that is unknown in all jobs is
left out. What is about the log as a whole stands in every row, so that a part of the table tells it, too;
but for the comment lines of the log's header, which nothing is computed from: they stand in the last row.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packwise.files.table import Table
from packwise.model.cluster import Cluster
from packwise.model.workload import UNKNOWN, Ints, Workload
from packwise.workloads.swf.fields import EXTRA_FIELDS, FLOAT_FIELDS
from packwise.workloads.swf.names import without_names
from packwise.workloads.tables.name_columns import (
    NAME_COLUMNS,
    NUMBERED,
    name_columns,
    named_fields,
)

if TYPE_CHECKING:
    import polars as pl

#: Whole numbers that describe a job; -1 is unknown.
DESCRIBING = ("group", "app", "queue", "status")
#: Numbers that a workload may have.
MEASURES = ("weight", "power")
#: What only SWF records of a job. A table that has one of them has them all: those left out are unknown.
RECORDED = tuple(name for name in EXTRA_FIELDS if name != "wait")
#: Of the recorded ones, those that are always written, so that the others may be left out.
_ALWAYS = ("used_procs", "requested_procs")
#: Names of jobs.
TEXTS = ("job_name", "batsim_id")
#: About the log: processors of the machine, the moment of time 0 in Unix seconds, time zone, header.
PROCS, START_TIME, TIME_ZONE, HEADER = LOG = (
    "log_procs",
    "log_start_time",
    "log_time_zone",
    "log_header",
)
NAMES = (*DESCRIBING, *MEASURES, *RECORDED, *TEXTS, *NAME_COLUMNS, *LOG)

#: Of a job, in characters.
LONGEST_NAME = 1000
#: A longer cell is more than readers of CSV files take.
_LONGEST_CELL = 100_000


def described(workload: Workload, cluster: Cluster) -> dict[str, pl.Series | NDArray[Any]]:
    """The columns to write."""
    columns: dict[str, pl.Series | NDArray[Any]] = {}
    for name in DESCRIBING:
        if (getattr(workload, name) != UNKNOWN).any():
            columns[name] = getattr(workload, name)
    for name in MEASURES:
        if getattr(workload, name) is not None:
            columns[name] = getattr(workload, name)
    for name in RECORDED:
        recorded = workload.extra.get(name)
        if recorded is not None and (name in _ALWAYS or (recorded != UNKNOWN).any()):
            columns[name] = recorded
    for name in TEXTS:
        if name in workload.extra:
            columns[name] = workload.extra[name].astype(np.str_)
    columns |= name_columns(workload)
    return columns | _about_log(workload, cluster)


def holds_header(workload: Workload) -> bool:
    """Whether the header of the log is short enough for a cell."""
    return len(_header_text(workload)) <= _LONGEST_CELL


def _about_log(workload: Workload, cluster: Cluster) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {PROCS: np.full(len(workload), cluster.procs)}
    if workload.start_time:
        columns[START_TIME] = np.full(len(workload), workload.start_time)
    if workload.time_zone != "UTC":
        columns[TIME_ZONE] = np.full(len(workload), workload.time_zone)
    if workload.header and holds_header(workload):
        columns[HEADER] = np.full(len(workload), None, object)
        columns[HEADER][-1] = _header_text(workload)
    return columns


def _header_text(workload: Workload) -> str:
    """The comment lines; if they are too long, without names, which a table has in columns."""
    text = json.dumps(list(workload.header))
    return text if len(text) <= _LONGEST_CELL else json.dumps(without_names(workload))


def description(table: Table) -> dict[str, Any]:
    """What a table tells, as fields of a Workload, in the order of its rows; ``extra`` among them."""
    fields: dict[str, Any] = {name: table.whole(name) for name in DESCRIBING if name in table}
    fields |= {name: table.numbers(name, sys.float_info.max) for name in MEASURES if name in table}
    fields["extra"] = _recorded(table)
    fields["extra"] |= {name: _names(table, name) for name in TEXTS if name in table}
    numbers = {name: table.whole(name) for name in NUMBERED if name in table}
    fields["names"], columns = named_fields(table, numbers)
    fields |= {name: column for name, column in columns.items() if name in DESCRIBING}
    own = ("user", *DESCRIBING)
    fields["extra"] |= {name: column for name, column in columns.items() if name not in own}
    if "user" not in table and "user" in columns:
        fields["user"] = columns["user"]
    if START_TIME in table:
        fields["start_time"] = _same_in_all(table, START_TIME, table.whole(START_TIME))
    if TIME_ZONE in table:
        zones, places = table.coded(TIME_ZONE)
        place = _same_in_all(table, TIME_ZONE, places)
        fields["time_zone"] = zones[place] if place >= 0 else "UTC"
    if HEADER in table:
        fields["header"] = _header(table)
    return fields


def recorded_procs(table: Table) -> int | None:
    """The processors of the machine, if the table tells them."""
    if PROCS not in table:
        return None
    column = table.whole(PROCS)
    procs: int = _same_in_all(table, PROCS, column)
    if procs < 1:
        raise table.refusal(0, f"1 processor or more in column '{PROCS}'", str(procs))
    return procs


def _recorded(table: Table) -> dict[str, NDArray[Any]]:
    if not any(name in table for name in RECORDED):
        return {}
    return {name: _recorded_column(table, name) for name in RECORDED}


def _recorded_column(table: Table, name: str) -> NDArray[Any]:
    if name not in table:
        return np.full(len(table), UNKNOWN, np.float64 if name in FLOAT_FIELDS else np.int64)
    return table.numbers(name) if name in FLOAT_FIELDS else table.whole(name)


def _names(table: Table, name: str) -> NDArray[np.str_]:
    """Names of jobs; every one takes as much room as the longest."""
    texts = table.texts(name)
    row = max(range(len(texts)), key=lambda i: len(texts[i]))
    if len(texts[row]) > LONGEST_NAME:
        raise table.refusal(
            row,
            f"a name of at most {LONGEST_NAME:,} characters in column '{name}'",
            f"one of {len(texts[row]):,}",
        )
    return np.array(texts, np.str_)


def _same_in_all(table: Table, name: str, column: NDArray[Any]) -> Any:
    """The value that a column has in all rows."""
    other = column != column[0]
    if other.any():
        i = int(np.argmax(other))
        raise table.refusal(
            i,
            f"the same value in all rows of column '{name}', {table.quoted(name, 0)}",
            table.quoted(name, i),
            "A table is of one log: split it, or remove the column and say with --procs what it said.",
        )
    return column[0].item()


def _header(table: Table) -> tuple[str, ...]:
    """The comment lines; of several logs put together, those of the first."""
    cells, places = table.coded(HEADER)
    told = np.isin(places, [k for k, cell in enumerate(cells) if cell.strip()])
    if not told.any():
        return ()
    row = int(np.argmax(told))
    try:
        lines = json.loads(cells[places[row]])
    except (ValueError, RecursionError):
        lines = None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise table.refusal(
            row,
            f"in column '{HEADER}' a list of texts in JSON, in one row, or empty cells",
            table.quoted(HEADER, row),
            "Remove the column if it is not wanted.",
        )
    return tuple(lines)


def in_order(fields: dict[str, Any], order: Ints | slice) -> dict[str, Any]:
    """The fields with all columns in another order."""
    moved = {
        name: value[order] if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }
    for several in ("extra", "per_unit"):
        moved[several] = {name: column[order] for name, column in fields.get(several, {}).items()}
    return moved
