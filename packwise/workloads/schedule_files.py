"""Schedules as files: write one for other tools, read one that somebody else made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from packwise.files.content import file_content
from packwise.files.csv_table import read_csv_table
from packwise.files.output import atomic_output
from packwise.files.table import Table
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.errors import FormatError, InputError
from packwise.model.recorded import NODES
from packwise.model.schedule import Schedule
from packwise.model.sizing import Sizing
from packwise.model.workload import LARGEST, Ints, Workload
from packwise.workloads.batsim import read_batsim, write_batsim
from packwise.workloads.datasets.catalogue import dataset_reader
from packwise.workloads.datasets.jobs import Found
from packwise.workloads.deadlines.impossible import Impossible
from packwise.workloads.log_name import log_name
from packwise.workloads.machine_size import Size, guessed_size
from packwise.workloads.records.batsim_json import write_batsim_json
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.one_cluster import of_one_cluster
from packwise.workloads.records.reading import read_records
from packwise.workloads.records.rules import examine_records
from packwise.workloads.tables.node_columns import (
    NODE_COLUMNS,
    described_units,
    node_column,
    read_nodes,
)
from packwise.workloads.tables.parquet_file import read_parquet_table
from packwise.workloads.tables.schedule_columns import (
    COLUMNS,
    from_columns,
    full_frame,
    schedule_columns,
)
from packwise.workloads.tables.workload_columns import NAMES, description, recorded_procs

if TYPE_CHECKING:
    from packwise.workloads.swf import SwfLog

Format = Literal["swf", "csv", "parquet", "batsim", "batsim-workload"]
#: What else is read, but not written.
Source = Format | Literal["dataset", "records"]

_TABLES = (".csv", ".csv.gz", ".parquet")
_CHOICES = (
    ".swf, .swf.gz, .csv, .parquet and .json (a workload for Batsim), or format='batsim' for Batsim's "
    "jobs.csv"
)


class ScheduleReport(NamedTuple):
    """What was read. Counts are numbers of jobs; ``notes`` says in words what was not as expected.

    ``over_limit`` jobs ran beyond their limit: the schedule shows their true ends, and the workload
    (whose run times never exceed limits) their run time up to the limit. ``cut`` has the ids of jobs
    that a table gives a run time above the limit.
    """

    format: Source
    jobs: int
    left_out: int
    over_limit: int
    notes: tuple[str, ...]
    cut: Ints = np.empty(0, np.int64)


class ScheduleFile(NamedTuple):
    """A schedule with all that is needed to check and measure it."""

    workload: Workload
    cluster: Cluster
    schedule: Schedule
    report: ScheduleReport


def write_schedule(
    path: str | os.PathLike[str],
    workload: Workload,
    cluster: Cluster | int,
    schedule: Schedule,
    *,
    format: Format | None = None,
    note: Sequence[str] = (),
) -> None:
    """Write a schedule; the suffix picks the format: .swf, .swf.gz, .csv, .parquet; .json has the jobs alone,
    as a workload for Batsim.

    SWF has the simulated wait in field 3 (-1: never ran) and ``note`` as header lines. CSV and
    Parquet have the columns of ``workloads.tables``. ``format="batsim"`` writes Batsim's jobs.csv, which
    needs a feasible schedule. What a format has no place for is left out (``losses`` says what). The file
    appears complete or not at all.
    """
    cluster = as_cluster(cluster)
    match format or format_of(path):
        case "swf":
            from packwise.workloads.swf import write_swf

            wait = schedule.wait(workload)
            size = cluster.procs, cluster.sizing
            write_swf(path, workload, wait=wait, procs=size[0], sizing=size[1], note=note)
        case "batsim":
            write_batsim(path, workload, cluster, schedule)
        case "batsim-workload":
            write_batsim_json(path, workload, cluster)
        case "csv" | "parquet" as table:
            rendered = BytesIO()  # Polars hides the cause of a failed write; atomic_output does not
            columns = full_frame(workload, cluster, schedule)
            columns.write_csv(rendered) if table == "csv" else columns.write_parquet(rendered)
            with atomic_output(path) as stream:
                stream.write(rendered.getbuffer())
        case other:
            raise InputError(f"unknown schedule format '{other}'. Choices: {_CHOICES}.")


def read_schedule(
    path: str | os.PathLike[str],
    *,
    procs: int | None = None,
    impossible: Impossible = "refuse",
    reading: Mapping[str, Any] | None = None,
) -> ScheduleFile:
    """Read a schedule: SWF, Batsim's jobs.csv, our CSV or Parquet, or a site's records, told by the content.

    ``reading``: how records are read, as ``read_records`` takes it, and ``only`` which cluster. ``procs`` is
    the size of the machine. Without it SWF gives it in the header, our CSV and Parquet files in a column, and
    Batsim's file through the processors used. ``impossible`` is for cells of the column ``deadline`` that are
    no time; deadlines that nobody could meet are kept here.
    """
    told = dict(reading or {})
    only = told.pop("only", ())
    records = read_records(path, **told)
    if records is not None:
        return _read_records(of_one_cluster(records, only), procs)
    content = file_content(path)
    if content.startswith(b"PAR1"):
        table = read_parquet_table(path, content, (*COLUMNS, *NAMES, *NODE_COLUMNS))
        return _read_table(path, "parquet", table, procs, impossible)
    first = content[:4096].decode("utf-8-sig", errors="replace").lstrip().split("\n", 1)[0]
    names = [name.strip() for name in first.split(",")]
    if "submission_time" in names:
        return _read_batsim(path, procs)
    dataset = dataset_reader(names)
    if dataset is not None:
        return _read_dataset(path, dataset(read_csv_table(path)), procs)
    if {"job_id", "submit"} <= set(names):
        return _read_table(path, "csv", read_csv_table(path), procs, impossible)
    if ("," in first or any(first.count(one) > 1 for one in ";\t")) and not first.startswith(";"):
        raise FormatError(
            str(path),
            line=1,
            expected=f"the columns {','.join(COLUMNS)} or those of Batsim's jobs.csv",
            found=f"'{first[:80]}'",
            remedy="Explain any other table: --map job=id,queued=submit,began=start,seconds=elapsed,...",
        )
    return _read_swf(path, procs)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is read as a table that Packwise or Batsim wrote, and not as SWF."""
    return Path(path).name.lower().endswith(_TABLES)


def load_table(
    path: str | os.PathLike[str], *, procs: int | None = None, impossible: Impossible = "refuse"
) -> ScheduleFile:
    """A table as jobs to replay: its schedule goes along in ``extra``, as that of an SWF log does."""
    file = read_schedule(path, procs=procs, impossible=impossible)
    schedule = file.schedule
    told = {
        "estimate": schedule.estimate,
        "promised_start": schedule.promised,
        "booting": schedule.booting,
    }
    known = {name: column for name, column in told.items() if column is not None}
    nodes = node_column(schedule)
    where = {} if nodes is None else {NODES: np.array(nodes, np.str_)}
    extra = {**file.workload.extra, "wait": schedule.wait(file.workload), **known, **where}
    return file._replace(workload=file.workload.replace(extra=extra))


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that a name stands for."""
    name = Path(path).name.lower()
    suffix = Path(name.removesuffix(".gz") if name.endswith(".swf.gz") else name).suffix
    formats: dict[str, Format] = {
        ".swf": "swf",
        ".csv": "csv",
        ".parquet": "parquet",
        ".json": "batsim-workload",
    }
    if suffix not in formats:
        raise InputError(
            f"{path}: the suffix '{Path(path).suffix}' is not one a schedule can be written to. "
            f"Choices: {_CHOICES}."
        )
    return formats[suffix]


def _read_swf(path: str | os.PathLike[str], procs: int | None) -> ScheduleFile:
    from packwise.workloads.cleaning import clean, machine_size
    from packwise.workloads.swf import read_swf

    log = read_swf(path)
    cluster = machine_size(log, procs).pool(log.name)
    # Too wide jobs and missing limits are no reason to leave a job out of what is to be checked.
    workload, cleaned = clean(log, procs=LARGEST, missing_limit="runtime")
    about_jobs = [row for row in cleaned.rows() if row[0].startswith(("dropped", "repaired"))]
    notes = [f"{label}: {count}" for label, count in about_jobs if count]
    if cleaned.cut:
        notes.append(f"ran beyond the requested time (the schedule keeps it): {cleaned.cut}")
    if cleaned.fractional:
        notes.append(f"fractions rounded to whole numbers: {cleaned.fractional}")
    known = workload.extra["wait"] >= 0
    unknown = int((~known).sum())
    if unknown:
        notes.append(f"dropped: no recorded wait: {unknown}")
    if not known.any():
        raise InputError(
            f"{path}: no job has a recorded wait (field 3), so there is no schedule in this file."
        )
    workload = workload.select(known)
    start = workload.submit + workload.extra["wait"]
    schedule = Schedule(start, start + _recorded_runtime(log, workload))
    return ScheduleFile(
        workload,
        cluster,
        schedule,
        ScheduleReport(
            "swf", len(workload), cleaned.dropped + unknown, _over(workload, schedule), tuple(notes)
        ),
    )


def _recorded_runtime(log: SwfLog, workload: Workload) -> Ints:
    """Field 4 as it stands in the file, before cleaning cut it to the limit."""
    order = np.argsort(log.columns["job_id"])
    row = order[np.searchsorted(log.columns["job_id"][order], workload.id)]
    recorded: Ints = log.columns["runtime"][row]
    return recorded


def _over(workload: Workload, schedule: Schedule) -> int:
    return int((schedule.ran & (schedule.end - schedule.start > workload.requested_time)).sum())


def _read_batsim(path: str | os.PathLike[str], procs: int | None) -> ScheduleFile:
    workload, schedule, used, found = read_batsim(path)
    labels = {
        "rejected": "jobs that were rejected",
        "rounded": "jobs with fractions of seconds, rounded",
        "lengthened": "run times of 0 s taken as 1 s",
        "no_limit": "jobs without a limit, their run time taken instead",
        "over_limit": "jobs that ran beyond their limit",
        "renumbered": "jobs renumbered, as their names are no distinct numbers",
    }
    counts = found._asdict()
    notes = [f"{label}: {counts[name]}" for name, label in labels.items() if counts[name]]
    cluster = _pool(path, procs, _guessed(workload, schedule, used))
    report = ScheduleReport("batsim", found.jobs, 0, found.over_limit, tuple(notes))
    return ScheduleFile(workload, cluster, schedule, report)


def _pool(path: str | os.PathLike[str], procs: int | None, otherwise: Size) -> Cluster:
    """The machine as it was told, or else another."""
    return (otherwise if procs is None else Size(procs)).pool(log_name(path))


def _guessed(workload: Workload, schedule: Schedule, least: int | None = None) -> Size:
    """From the jobs; of no fewer processors than are known to be there."""
    found = guessed_size(schedule.start, schedule.end, workload.demand)
    return found if least is None or least <= found.procs else found._replace(procs=least)


def _read_dataset(path: str | os.PathLike[str], found: Found, procs: int | None) -> ScheduleFile:
    """A published data set; none tells the machine's size."""
    workload, schedule, cut, notes = found
    cluster = _pool(path, procs, _guessed(workload, schedule))
    report = ScheduleReport("dataset", len(workload), 0, _over(workload, schedule), notes, cut)
    return ScheduleFile(workload, cluster, schedule, report)


def _read_records(records: Records, procs: int | None) -> ScheduleFile:
    """What a site's records tell; too wide jobs and missing limits are no reason to leave one out."""
    if not records.tells_starts:
        raise InputError(
            f"{records.path}: it tells of jobs to be run, not when they ran, so there is no schedule in it."
        )
    size = examine_records(records, procs=procs, missing_limit="runtime").size
    found = examine_records(records, procs=LARGEST, missing_limit="runtime")
    workload = found.workload()
    order = np.argsort(found.ids)
    row = order[np.searchsorted(found.ids[order], workload.id)]
    start = workload.submit + workload.extra["wait"]
    schedule = Schedule(start, start + found.runtime[row])
    cluster = size.pool(workload.name)
    report = found.report()
    rows = [f"{label.strip()}: {count:,}" for label, count in report.rows() if count]
    notes = (*rows, *found.notes()) if procs is None else (*rows, *found.notes()[1:])
    over = _over(workload, schedule)
    return ScheduleFile(
        workload,
        cluster,
        schedule,
        ScheduleReport("records", len(workload), report.dropped, over, notes),
    )


def _read_table(
    path: str | os.PathLike[str],
    format: Format,
    table: Table,
    procs: int | None,
    impossible: Impossible,
) -> ScheduleFile:
    columns = schedule_columns(table, impossible)
    described = description(table) | described_units(table, columns["demand"])
    workload, schedule, notes = from_columns(log_name(path), columns, described, read_nodes(table))
    told = recorded_procs(table)
    size = _guessed(workload, schedule) if told is None else Size(told, Sizing("header"))
    cluster = _pool(path, procs, size)
    cut = columns["job_id"][columns["runtime"] > columns["requested_time"]]
    report = ScheduleReport(format, len(workload), 0, _over(workload, schedule), notes, cut)
    return ScheduleFile(workload, cluster, schedule, report)
