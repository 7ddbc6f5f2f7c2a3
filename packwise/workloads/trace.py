"""A trace by name or path: found, read, cleaned and cut to a window."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError, UnknownName
from packwise.model.workload import Workload
from packwise.workloads.archive import cached, find
from packwise.workloads.cleaning import CleaningReport, load_workload
from packwise.workloads.window import Window

_TABLES = (".csv", ".csv.gz", ".parquet")
_LOGS = (".swf.gz", ".swf")


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


def load_trace(path: Path, procs: int | None, window: Window) -> Trace:
    """Read, clean and cut to the window."""
    if is_table(path):
        from packwise.workloads.schedule_files import read_schedule

        file = read_schedule(path, procs=procs)
        recorded = file.workload.replace(extra={"wait": file.schedule.wait(file.workload)})
        return Trace(path, window.apply(recorded, file.cluster.procs), file.cluster, None)
    loaded = load_workload(path, procs=procs, missing_limit=window.missing_limit)
    workload = window.apply(loaded.workload, loaded.cluster.procs)
    return Trace(path, workload, loaded.cluster, loaded.report)


def is_table(path: Path) -> bool:
    """Whether a file is read as a table that Packwise or Batsim wrote, and not as SWF."""
    return path.name.lower().endswith(_TABLES)


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

    In a folder the name means NAME.swf.gz or NAME.swf, whatever its case, or the file as the archive
    calls it. Raises UnknownName for a name that is neither there nor in the archive.
    """
    folders = list(folders)
    for folder in folders:
        found = _in_folder(name, folder)
        if found is not None:
            return found
    in_cache = cached(name)
    if in_cache is None:
        looked = f" and not in {', '.join(map(str, folders))}" if folders else ""
        raise InputError(
            f"{name}: a log of the Parallel Workloads Archive that is not on this machine yet"
            f"{looked}. Download it once with: packwise workload fetch {name}"
        )
    return in_cache


def _in_folder(name: str, folder: Path) -> Path | None:
    wanted = [f"{name.lower()}{suffix}" for suffix in _LOGS]
    with suppress(UnknownName):
        wanted.append(find(name).file_name.lower())
    try:
        present = {entry.name.lower(): entry for entry in sorted(folder.iterdir())}
    except OSError as error:
        raise InputError(
            f"{folder}: the folder of traces cannot be read ({error.strerror or error}). "
            "Check --traces."
        ) from error
    return next((present[file] for file in wanted if file in present), None)
