"""The TRACE argument: a file, or the name of a log that was fetched from the archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packwise.cli.window import Window
from packwise.model.errors import InputError, UnknownName

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.model.workload import Workload
    from packwise.workloads.cleaning import CleaningReport

_TABLES = (".csv", ".csv.gz", ".parquet")


class Trace(NamedTuple):
    """A workload to replay. ``cleaning`` is None for a table that Packwise wrote itself."""

    path: Path
    workload: Workload
    cluster: Cluster
    cleaning: CleaningReport | None

    @property
    def dropped_wide(self) -> int:
        """Jobs of the log that the machine could never have run."""
        return self.cleaning.dropped_wide if self.cleaning else 0

    def remarks(self) -> list[str]:
        """What cleaning did, if it did anything: one line each."""
        if self.cleaning is None:
            return []
        quiet = ("jobs read", "jobs kept")
        return [
            f"{label.strip()}: {count:,}"
            for label, count in self.cleaning.rows()
            if count and label not in quiet
        ]


def load_trace(name: str, procs: int | None, window: Window) -> Trace:
    """Read, clean and cut to the window."""
    from packwise.cli.compile_notice import announce_compilation
    from packwise.workloads.cleaning import load_workload

    path = find_trace(name)
    announce_compilation()
    if path.name.lower().endswith(_TABLES):
        from packwise.workloads.schedule_files import read_schedule

        file = read_schedule(path, procs=procs)
        recorded = file.workload.replace(extra={"wait": file.schedule.wait(file.workload)})
        return Trace(path, window.apply(recorded, file.cluster.procs), file.cluster, None)
    loaded = load_workload(path, procs=procs, missing_limit=window.missing_limit.value)
    _warn(loaded.report)
    workload = window.apply(loaded.workload, loaded.cluster.procs)
    return Trace(path, workload, loaded.cluster, loaded.report)


def _warn(report: CleaningReport) -> None:
    """Say so when cleaning took so much away that the rest may not stand for the log."""
    from packwise.cli.terminal import note

    if report.dropped > 0.2 * report.jobs_read:
        share = report.dropped / report.jobs_read
        remedy = (
            " `--missing-limit runtime` keeps those without a requested time."
            if report.dropped_limit
            else ""
        )
        note(
            f"warning: {share:.0%} of the jobs were dropped ({report.dropped:,} of "
            f"{report.jobs_read:,}): what is left may not stand for the machine's load.{remedy}"
        )


def find_trace(name: str) -> Path:
    """A file of that name, or else the archive log of that name in the cache."""
    path = Path(name)
    if path.exists():
        return path
    from packwise.workloads.archive import cached

    try:
        found = cached(name)
    except UnknownName as error:
        if path.suffix or len(path.parts) > 1:
            return path  # the reader says what is wrong with it
        raise InputError(
            f"{name}: no such file, and no log of the archive has that name. Check the path; "
            "`packwise workload fetch --list` shows the archive."
        ) from error
    if found is None:
        raise InputError(
            f"{name}: a log of the Parallel Workloads Archive that is not on this machine yet. "
            f"Download it once with: packwise workload fetch {name}"
        )
    return found
