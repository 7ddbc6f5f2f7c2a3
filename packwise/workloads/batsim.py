"""Batsim's ``jobs.csv``: what its simulations write, and what evalys and other viewers read."""

from __future__ import annotations

import csv
import io
import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.files.csv_table import CsvTable, read_csv_table
from packwise.files.output import atomic_output
from packwise.model.cluster import Cluster
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import LARGEST, Floats, Ints, Workload
from packwise.workloads.first_fit import first_fit, interval_text
from packwise.workloads.log_name import log_name

#: The columns, in Batsim's order.
COLUMNS = (
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
)
SUCCESS = "COMPLETED_SUCCESSFULLY"
TIMED_OUT = "COMPLETED_WALLTIME_REACHED"
REJECTED = "REJECTED"

#: SWF status codes: 1 completed, 0 failed, 5 cancelled.
_STATUS = {SUCCESS: 1, "COMPLETED_FAILED": 0, TIMED_OUT: 0, "COMPLETED_KILLED": 5, REJECTED: 5}
#: Names that Batsim used before version 2.
_OLDER_NAMES = {
    "requested_number_of_processors": "requested_number_of_resources",
    "allocated_processors": "allocated_resources",
}


class BatsimReport(NamedTuple):
    """What reading had to do. Each is a number of jobs."""

    jobs: int
    rejected: int
    rounded: int
    lengthened: int
    no_limit: int
    over_limit: int
    renumbered: int


class BatsimJobs(NamedTuple):
    """A ``jobs.csv``. ``procs`` is one more than the highest processor in use, None if not told."""

    workload: Workload
    schedule: Schedule
    procs: int | None
    report: BatsimReport


def write_batsim(
    path: str | os.PathLike[str], workload: Workload, cluster: Cluster, schedule: Schedule
) -> None:
    """Write a schedule as Batsim would have, each job on processors of its own (first fit).

    A job that never ran is REJECTED, with -1 for its times; one that used all of its limit
    counts as stopped there. Raises InputError if the schedule uses more processors than there are.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    places = first_fit(workload, cluster, schedule)
    starts, ends = schedule.start.tolist(), schedule.end.tolist()
    for job, start, end, place in zip(workload, starts, ends, places, strict=True):
        profile = f"delay_{job.runtime}"
        asked = (job.submit, job.demand, job.requested_time)
        if start == NEVER:
            outcome: tuple[object, ...] = (0, REJECTED, -1, -1, -1, -1, -1, -1)
        else:
            state = TIMED_OUT if end - start >= job.requested_time else SUCCESS
            wait, length, response = start - job.submit, end - start, end - job.submit
            stretch = f"{response / max(length, 1):.6f}"
            success = int(state == SUCCESS)
            outcome = (success, state, start, length, end, wait, response, stretch)
        where = interval_text(place)
        writer.writerow((job.id, workload.name, profile, *asked, *outcome, where, -1, ""))
    with atomic_output(path) as stream:
        stream.write(text.getvalue().encode())


def read_batsim(path: str | os.PathLike[str]) -> BatsimJobs:
    """Read a ``jobs.csv`` of Batsim (any version), of Packwise, or gzip of one.

    Batsim's times have fractions: submission, start and finish are rounded to the nearest second
    (never changing an order, so a feasible schedule stays so), limits upwards. A run time that
    rounds to 0 becomes 1 second. Where a job ran beyond its limit the schedule keeps what happened
    while the workload's run time ends at the limit, so that ``check_schedule`` shows it.
    Raises FormatError, with the line, on anything that is not such a file.
    """
    table = read_csv_table(path)
    for old, new in _OLDER_NAMES.items():
        if old in table and new not in table:
            table.columns[new] = table.columns.pop(old)
    table.need("job_id", "submission_time", "requested_number_of_resources")
    table.need("starting_time", "finish_time")
    states = [state.strip() for state in table.columns.get("final_state", [""] * len(table))]
    rejected = np.array([state == REJECTED for state in states])

    times = {name: _rounded(table.numbers(name)) for name in ("submission_time", "starting_time")}
    times["finish_time"] = _rounded(table.numbers("finish_time"))
    submit, start, end = times.values()
    rejected |= (start < 0) & (end < 0)
    _refuse(table, submit < 0, "a submission time of 0 or more", "submission_time")
    _refuse(table, ~rejected & (start < 0), "a start time of 0 or more", "starting_time")
    _refuse(table, ~rejected & (end < start), "a finish time after the start", "finish_time")
    demand = table.whole("requested_number_of_resources")
    _refuse(table, demand < 1, "1 resource or more", "requested_number_of_resources")

    limits = np.full(len(table), -1.0)
    if "requested_time" in table:
        limits = table.numbers("requested_time")
    unlimited = limits <= 0
    short = ~rejected & (end == start)
    end = np.where(short, start + 1, end)
    length = np.where(rejected, 1, end - start)
    limit = np.where(unlimited, length, np.ceil(limits).astype(np.int64))
    ids, renumbered = _job_ids(table, submit)
    order = np.lexsort((ids, submit))
    workload = Workload(
        name=_name(table, path),
        id=ids[order],
        submit=submit[order],
        runtime=np.minimum(length, limit)[order],
        requested_time=limit[order],
        demand=demand[order],
        status=np.array([_STATUS.get(state, -1) for state in states], np.int64)[order],
        extra={"batsim_id": np.array(table.columns["job_id"])[order]},
    )
    schedule = Schedule(
        np.where(rejected, NEVER, start)[order], np.where(rejected, NEVER, end)[order]
    )
    fractions = sum(
        (table.numbers(name) != whole).astype(np.int64) for name, whole in times.items()
    )
    report = BatsimReport(
        jobs=len(table),
        rejected=int(rejected.sum()),
        rounded=int((np.asarray(fractions) > 0).sum()),
        lengthened=int(short.sum()),
        no_limit=int(unlimited.sum()),
        over_limit=int((~rejected & (length > limit)).sum()),
        renumbered=len(table) if renumbered else 0,
    )
    return BatsimJobs(workload, schedule, _highest_processor(table), report)


def _rounded(values: Floats) -> Ints:
    """To the nearest second; halves go up, so that order is kept."""
    return np.floor(values + 0.5).astype(np.int64)


def _refuse(table: CsvTable, wrong: NDArray[np.bool_], expected: str, column: str) -> None:
    if wrong.any():
        i = int(np.argmax(wrong))
        raise table.refusal(i, expected, table.quoted(column, i))


def _job_ids(table: CsvTable, submit: Ints) -> tuple[Ints, bool]:
    """The numbers in 'w0!17' or '17'; if they are not distinct, 1, 2, 3, ... by submission."""
    found = [_number(cell.rpartition("!")[2].strip()) for cell in table.columns["job_id"]]
    if None not in found and len(set(found)) == len(found):
        return np.array(found, np.int64), False
    ids = np.empty(len(table), np.int64)
    ids[np.argsort(submit, kind="stable")] = np.arange(1, len(table) + 1)
    return ids, True


def _number(text: str) -> int | None:
    """A whole number below 2^40, or None."""
    if not (text.isdecimal() and len(text) <= len(str(LARGEST))):
        return None
    return found if (found := int(text)) < LARGEST else None


def _name(table: CsvTable, path: str | os.PathLike[str]) -> str:
    names = set(table.columns.get("workload_name", []))
    return names.pop() if len(names) == 1 else log_name(path)


def _highest_processor(table: CsvTable) -> int | None:
    highest = -1
    for row, cell in enumerate(table.columns.get("allocated_resources", [])):
        for part in cell.split():
            last = _number(part.rpartition("-")[2])
            if last is None:
                raise table.refusal(
                    row,
                    "processors such as '0-3 7'",
                    table.quoted("allocated_resources", row),
                )
            highest = max(highest, last)
    return highest + 1 if highest >= 0 else None
