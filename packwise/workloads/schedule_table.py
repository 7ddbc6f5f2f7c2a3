"""Our own table of a schedule, as CSV and Parquet: one row per job."""

from __future__ import annotations

import os
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from packwise.model.errors import FormatError
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import LARGEST, NO_DEADLINE, UNKNOWN, Ints, Workload
from packwise.workloads.csv_table import read_csv_table
from packwise.workloads.deadline_cells import Cells
from packwise.workloads.impossible import Impossible

if TYPE_CHECKING:
    import polars as pl

#: wait, start and end are -1 for a job that never ran; estimate is what was believed of the run time at
#: submission. deadline is -1 for a job without one, promised_start for one that was promised nothing.
COLUMNS = (
    "job_id",
    "submit",
    "wait",
    "start",
    "end",
    "runtime",
    "requested_time",
    "demand",
    "user",
    "estimate",
    "deadline",
    "promised_start",
)
#: Columns that a file may lack.
OPTIONAL = ("user", "estimate", "deadline", "promised_start")


def frame(workload: Workload, schedule: Schedule) -> pl.DataFrame:
    """The table of a schedule."""
    import polars as pl

    wait = schedule.wait(workload)
    columns = (workload.id, workload.submit, wait, schedule.start, schedule.end, workload.runtime)
    rest = (workload.requested_time, workload.demand, workload.user, schedule.estimate)
    deadline = None
    if workload.deadline is not None:
        deadline = np.where(workload.deadline_driven, workload.deadline, UNKNOWN)
    told = zip(COLUMNS, (*columns, *rest, deadline, schedule.promised), strict=True)
    return pl.DataFrame({name: column for name, column in told if column is not None})


def csv_columns(path: str | os.PathLike[str], impossible: Impossible = "refuse") -> dict[str, Ints]:
    """The columns of a CSV file; the optional ones may be missing."""
    table = read_csv_table(path)
    table.need(*(name for name in COLUMNS if name not in OPTIONAL))
    found = {name: table.whole(name) for name in COLUMNS if name in table and name != "deadline"}
    if "deadline" in table:
        cells = Cells(str(path), table.columns["deadline"], table.lines)
        found["deadline"] = cells.deadlines(found["job_id"], found["submit"], impossible)
    return found


def parquet_columns(
    path: str | os.PathLike[str], content: bytes, impossible: Impossible = "refuse"
) -> dict[str, Ints]:
    """The columns of a Parquet file; the optional ones may be missing."""
    import polars as pl

    try:
        table = pl.read_parquet(BytesIO(content))
        names = [name for name in COLUMNS if name not in OPTIONAL or name in table.columns]
        texts = None
        if "deadline" in names and not _is_times(table["deadline"]):
            names.remove("deadline")
            texts = ["" if cell is None else str(cell) for cell in table["deadline"].to_list()]
        if table.select(names).null_count().sum_horizontal().item():
            raise OSError("empty cells")
        found = {name: table[name].cast(pl.Int64).to_numpy() for name in names}
    except (pl.exceptions.PolarsError, OSError) as error:
        expected = f"a Parquet file with the whole-number columns {', '.join(COLUMNS)}"
        reason = str(error).split("\n", 1)[0]
        raise FormatError(str(path), expected=expected, found=reason) from error
    if texts is not None:
        cells = Cells(str(path), texts)
        found["deadline"] = cells.deadlines(found["job_id"], found["submit"], impossible)
    elif "deadline" in found:
        found["deadline"] = np.where(found["deadline"] < 0, NO_DEADLINE, found["deadline"])
    return found


def _is_times(cells: pl.Series) -> bool:
    """Whether all cells are times, or -1 for none: as we write them, so no text has to be read."""
    if not cells.dtype.is_integer() or cells.null_count() or not len(cells):
        return False
    return bool(cells.is_between(UNKNOWN, LARGEST).all())


def from_columns(name: str, columns: dict[str, Ints]) -> tuple[Workload, Schedule, tuple[str, ...]]:
    """Workload and schedule, and in words what was not as usual.

    Where a run time exceeds its limit the workload's is cut to it (a workload needs that); the
    schedule keeps what the file says, so that a check shows the difference.
    """
    order = np.lexsort((columns["job_id"], columns["submit"]))
    ordered = {key: column[order] for key, column in columns.items()}
    runtime, limit = ordered["runtime"], ordered["requested_time"]
    workload = Workload(
        name=name,
        id=ordered["job_id"],
        submit=ordered["submit"],
        runtime=np.minimum(runtime, limit),
        requested_time=limit,
        demand=ordered["demand"],
        user=ordered.get("user", np.empty(0, np.int64)),
        deadline=ordered.get("deadline"),
    )
    schedule = Schedule(
        ordered["start"],
        ordered["end"],
        ordered.get("estimate"),
        ordered.get("promised_start"),
    )
    notes = []
    if never := int((schedule.start == NEVER).sum()):
        notes.append(f"jobs that never ran: {never}")
    if cut := int((runtime > limit).sum()):
        notes.append(f"run times above the limit: {cut}")
    return workload, schedule, tuple(notes)
