"""A trace by name or path: found, read, cleaned and cut to a window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.display import html_of
from packwise.model.errors import InputError, UnknownName
from packwise.model.recorded import recorded_schedule
from packwise.model.schedule import NEVER, Schedule
from packwise.model.time_zone import zone_named
from packwise.model.workload import Workload
from packwise.workloads.archive import cached, find
from packwise.workloads.cleaning import CleaningReport, examine, machine_size
from packwise.workloads.deadlines import deadline_remarks, parse_rules
from packwise.workloads.deadlines.column import Column
from packwise.workloads.machine_size import judged
from packwise.workloads.proportion import proportion_remarks
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.nodes import by_name, on_cluster
from packwise.workloads.records.one_cluster import of_one_cluster
from packwise.workloads.records.reading import read_records
from packwise.workloads.records.report import RecordsReport
from packwise.workloads.records.rules import examine_records
from packwise.workloads.schedule_files import is_table as is_table
from packwise.workloads.schedule_files import load_table
from packwise.workloads.swf import read_swf
from packwise.workloads.units import parse_unit_cores, with_units
from packwise.workloads.window import Window

_LOGS, _TABLES = (".swf.gz", ".swf"), (".csv.gz", ".csv")


class Trace(NamedTuple):
    """A workload to replay. ``cleaning`` says what was done to the log within the window; None for a table.

    ``notes`` says in words what there is to know of such a table, of a site's records, and of deadlines.
    """

    path: Path
    workload: Workload
    cluster: Cluster
    cleaning: CleaningReport | RecordsReport | None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        guess = f", {self.cluster.sizing.guess}" if self.cluster.sizing.guess else ""
        machine = f"'{self.cluster.name}', {self.cluster.procs:,} processors{guess}"
        return f"<Trace {self.path.name}: {self.workload!r} on {machine}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def dropped_wide(self) -> int:
        """Jobs of the log that the machine could never have run."""
        return self.cleaning.dropped_wide if self.cleaning else 0

    def remarks(self) -> list[str]:
        """What cleaning did, if it did anything, and the notes: one line each."""
        quiet = ("jobs read", "records read", "jobs kept")
        cleaned = [
            f"{label.strip()}: {count:,}"
            for label, count in (self.cleaning.rows() if self.cleaning else [])
            if count and label not in quiet
        ]
        return [*cleaned, *self.notes, *self.machine_remarks()]

    def machine_remarks(self) -> list[str]:
        """That the machine is a guess, if it is one."""
        guess = self.cluster.sizing.guess
        size = f"machine size: {self.cluster.procs:,} processors, {guess}"
        return [f"{size}; --procs or --cluster tells it"] if guess else []

    def recorded_schedule(self, window: Window) -> Schedule:
        """When each job ran by the file that was read; never, where that is not known or not true."""
        if window.moves_jobs:
            never = np.full(len(self.workload), NEVER, np.int64)
            return Schedule(never, never)
        return recorded_schedule(self.workload)


class _Read(NamedTuple):
    """The jobs of a file, all of them and those of the window; the machine; what cleaning did, and what there
    is to say.
    """

    recorded: Workload
    workload: Workload
    cluster: Cluster
    cleaning: CleaningReport | RecordsReport | None
    notes: list[str]


def load_trace(
    path: Path,
    procs: int | None,
    window: Window,
    *,
    on: Cluster | None = None,
    unit_cores: str = "1",
) -> Trace:
    """Read, clean and cut to the window.

    The jobs are for a pool of ``procs`` processors, or of as many as the trace says; or for the nodes of the
    cluster ``on``, with units of so many cores where the trace tells no units (``with_units``).
    """
    if on is not None:
        parse_unit_cores(unit_cores)
        procs = on.procs
    records = read_records(
        path, time_zone=window.time_zone, columns=window.columns, mapping=window.mapping
    )
    if records is not None:
        limits = {} if on is None else on.partition_limits()
        found = _of_records(records, procs, window, limits)
    elif is_table(path):
        found = _of_table(path, procs, window)
    else:
        found = _of_swf(path, procs, window)
    recorded, workload, cluster, report, notes = found
    notes += proportion_remarks(recorded, cluster.procs, sized=procs is None)
    if window.time_zone and records is None:
        zone_named(window.time_zone)
        workload = workload.replace(time_zone=window.time_zone)
    if on is not None:
        cluster = on
        workload = _on_nodes(workload, on, unit_cores, notes, known=records is not None)
    there = workload
    if window.leaves_out or window.moves_jobs:  # others were there besides, and all when they were
        there = window.of_jobs().apply(recorded, cluster.procs)
        if on is not None:
            there = _on_nodes(there, on, unit_cores, [], known=records is not None)
    cluster = judged(cluster, there, workload.id)
    rules = parse_rules(window.deadlines)
    notes += deadline_remarks(workload, rules, cluster.procs)
    if (
        rules
        and recorded.deadline is not None
        and not any(isinstance(rule, Column) for rule in rules)
    ):
        notes.append("the deadlines of the trace itself are not used: no rule is 'column'")
    return Trace(path, workload, cluster, report, tuple(notes))


def _of_records(
    records: Records, procs: int | None, window: Window, limits: dict[str, int]
) -> _Read:
    records = of_one_cluster(records, window.only, window.without)
    examined = examine_records(
        records, procs=procs, missing_limit=window.missing_limit, partition_limits=limits
    )
    recorded = examined.workload()
    cluster = examined.size.pool(recorded.name)
    workload = window.apply(recorded, cluster.procs)
    inside = window.covers(examined.columns, recorded, examined.words)
    return _Read(recorded, workload, cluster, examined.report(inside), examined.notes(inside))


def _of_table(path: Path, procs: int | None, window: Window) -> _Read:
    file = load_table(path, procs=procs, impossible=window.impossible)
    notes = list(file.report.notes) if file.report.format == "dataset" else []
    workload = window.apply(file.workload, file.cluster.procs)
    if cut := int(np.isin(file.report.cut, workload.id).sum()):
        notes.append(f"run time cut to the requested time: {cut:,}")
    return _Read(file.workload, workload, file.cluster, None, notes)


def _of_swf(path: Path, procs: int | None, window: Window) -> _Read:
    log = read_swf(path)
    size = machine_size(log, procs)
    found = examine(log, procs=size.procs, missing_limit=window.missing_limit)
    recorded = found.workload()
    workload = window.apply(recorded, size.procs)
    report = found.report(window.covers(log.columns, recorded))
    return _Read(recorded, workload, size.pool(log.name), report, [])


def _on_nodes(
    workload: Workload, on: Cluster, unit_cores: str, notes: list[str], *, known: bool
) -> Workload:
    """The jobs with units for the nodes of a cluster. ``known``: they are a site's own records."""
    if known or by_name(workload, on):
        workload = on_cluster(workload, on, notes)
    asked = int(workload.demand.sum())
    workload = with_units(workload, on, unit_cores)
    if more := int(workload.demand.sum()) - asked:
        notes.append(f"demands rounded up to equal units: by {more:,} cores in all")
    return workload


def find_trace(name: str, folders: Iterable[Path] = ()) -> Path:
    """A file of that name, or else a log of the archive: in one of ``folders``, or in the cache."""
    path = Path(name)
    if path.exists():
        return path
    try:
        return find_archived(name, folders)
    except UnknownName as error:
        if path.suffix or len(path.parts) > 1:
            return path  # the reader says what is wrong with it
        raise InputError(
            f"{name}: no such file, and no log of the archive has that name. Check the path; "
            "`packwise workload fetch --list` shows the archive."
        ) from error


def find_archived(name: str, folders: Iterable[Path] = ()) -> Path:
    """A log of the archive: in one of ``folders``, or in the cache.

    In a folder the name means NAME.swf.gz or NAME.swf, whatever its case, or the file as the archive calls it;
    NAME.csv.gz or NAME.csv, if the archive has no such log.
    """
    folders = list(folders)
    for folder in folders:
        found = _in_folder(name, folder)
        if found is not None:
            return found
    try:
        in_cache = cached(name)
    except UnknownName as error:
        if not folders:
            raise
        raise InputError(
            f"{name}: expected {name}.swf.gz, {name}.swf, {name}.csv.gz or {name}.csv in "
            f"{', '.join(map(str, folders))}, found none; the Parallel Workloads Archive has no such log. "
            "Put the file there, or check the name."
        ) from error
    if in_cache is None:
        looked = f" and not in {', '.join(map(str, folders))}" if folders else ""
        raise InputError(
            f"{name}: a log of the Parallel Workloads Archive that is not on this machine yet"
            f"{looked}. Download it once with: packwise workload fetch {name}"
        )
    return in_cache


def _in_folder(name: str, folder: Path) -> Path | None:
    wanted = [f"{name.lower()}{suffix}" for suffix in _LOGS]
    try:
        wanted.append(find(name).file_name.lower())
    except UnknownName:
        wanted += [f"{name.lower()}{suffix}" for suffix in _TABLES]
    try:
        present = {entry.name.lower(): entry for entry in sorted(folder.iterdir())}
    except OSError as error:
        raise InputError(
            f"{folder}: the folder of traces cannot be read ({error.strerror or error}). "
            "Check --traces."
        ) from error
    return next((present[file] for file in wanted if file in present), None)
