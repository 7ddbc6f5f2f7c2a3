"""load_workload(): from a file to jobs that can be replayed, and the machine for them."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import NamedTuple

from packwise.model.cluster import Cluster
from packwise.model.workload import Workload
from packwise.workloads.cleaning import CleaningReport, MissingLimit, clean, machine_size
from packwise.workloads.machine_size import judged
from packwise.workloads.records.one_cluster import of_one_cluster
from packwise.workloads.records.reading import read_records
from packwise.workloads.records.report import RecordsReport
from packwise.workloads.records.rules import examine_records
from packwise.workloads.schedule_files import is_table, load_table
from packwise.workloads.swf import SwfLog, read_swf


class Loaded(NamedTuple):
    """A cleaned workload, the machine it is for, what cleaning did, and the log as found (if SWF)."""

    workload: Workload
    cluster: Cluster
    report: CleaningReport | RecordsReport
    log: SwfLog | None


def load_workload(
    path: str | os.PathLike[str],
    *,
    procs: int | None = None,
    repair: bool = True,
    missing_limit: MissingLimit = "drop",
    time_zone: str = "",
    columns: str = "",
    mapping: tuple[str, ...] = (),
) -> Loaded:
    """The jobs of a log, cleaned, and the pool of processors that it asks for.

    The log is SWF, a site's records (Slurm's sacct and jobcomp/filetxt, PBS's accounting, ...), or a table
    (.csv, .csv.gz, .parquet) as Packwise and Batsim write them. A table has the jobs that are left after
    cleaning: there, only run times above the limit are cut. Of records: ``time_zone`` is where the site is,
    ``columns`` what sacct was asked for where it wrote no header, ``mapping`` what the columns of any other
    table mean (``"wallclock=limit:min"``).
    """
    records = read_records(path, time_zone=time_zone, columns=columns, mapping=mapping)
    if records is not None:
        found = examine_records(of_one_cluster(records), procs=procs, missing_limit=missing_limit)
        jobs = found.workload()
        return _loaded(jobs, found.size.pool(jobs.name), found.report())
    if is_table(path):
        return _load_table(path, procs)
    log = read_swf(path)
    workload, report = clean(log, procs=procs, repair=repair, missing_limit=missing_limit)
    return _loaded(workload, machine_size(log, procs).pool(log.name), report, log)


def _loaded(
    workload: Workload,
    cluster: Cluster,
    report: CleaningReport | RecordsReport,
    log: SwfLog | None = None,
) -> Loaded:
    return Loaded(workload, judged(cluster, workload, workload.id), report, log)


def _load_table(path: str | os.PathLike[str], procs: int | None) -> Loaded:
    file = load_table(path, procs=procs)
    counts = dict.fromkeys((one.name for one in fields(CleaningReport)), 0)
    jobs = len(file.workload)
    counts |= {"jobs_read": jobs, "jobs_kept": jobs, "cut": len(file.report.cut)}
    return _loaded(file.workload, file.cluster, CleaningReport(**counts))
