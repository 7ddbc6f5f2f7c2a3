"""Our own table of a schedule, as CSV and Parquet: one row per job."""

from __future__ import annotations

import os
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from packwise.model.errors import FormatError
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload
from packwise.workloads.csv_table import read_csv_table

if TYPE_CHECKING:
    import polars as pl

#: wait, start and end are -1 for a job that never ran; estimate is what was believed of the run time at
#: submission.
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
)
#: Columns that a file may lack.
OPTIONAL = ("user", "estimate")


def frame(workload: Workload, schedule: Schedule) -> pl.DataFrame:
    """The table of a schedule."""
    import polars as pl

    wait = schedule.wait(workload)
    columns = (workload.id, workload.submit, wait, schedule.start, schedule.end, workload.runtime)
    rest = (workload.requested_time, workload.demand, workload.user)
    told = () if schedule.estimate is None else (schedule.estimate,)
    return pl.DataFrame(dict(zip(COLUMNS, columns + rest + told, strict=False)))


def csv_columns(path: str | os.PathLike[str]) -> dict[str, Ints]:
    """The columns of a CSV file; the optional ones may be missing."""
    table = read_csv_table(path)
    table.need(*(name for name in COLUMNS if name not in OPTIONAL))
    return {name: table.whole(name) for name in COLUMNS if name in table}


def parquet_columns(path: str | os.PathLike[str], content: bytes) -> dict[str, Ints]:
    """The columns of a Parquet file; the optional ones may be missing."""
    import polars as pl

    try:
        table = pl.read_parquet(BytesIO(content))
        names = [name for name in COLUMNS if name not in OPTIONAL or name in table.columns]
        if table.select(names).null_count().sum_horizontal().item():
            raise OSError("empty cells")
        return {name: table[name].cast(pl.Int64).to_numpy() for name in names}
    except (pl.exceptions.PolarsError, OSError) as error:
        expected = f"a Parquet file with the whole-number columns {', '.join(COLUMNS)}"
        found = str(error).split("\n", 1)[0]
        raise FormatError(str(path), expected=expected, found=found) from error


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
    )
    schedule = Schedule(ordered["start"], ordered["end"], ordered.get("estimate"))
    notes = []
    if never := int((schedule.start == NEVER).sum()):
        notes.append(f"jobs that never ran: {never}")
    if cut := int((runtime > limit).sum()):
        notes.append(f"run times above the limit: {cut}")
    return workload, schedule, tuple(notes)
