"""The store: results of scenarios in a folder, each written once and whole.

    store.json               what this folder is, and the version of its format
    results/ab/abcd….json    the record of a result: metrics, provenance, the size and sha256 of …
    results/ab/abcd….parquet … its schedule, one row per job
    failures/abcd….json      a scenario that raised, with its traceback
    index.parquet            the records as one table; made from them, and made again if it is lost
    index.sha256             or is not what was written, by this checksum

The schedule is written first and the record last, each under a temporary name that then becomes the
final one in one step. So a record promises a schedule: a run that is killed loses what was in flight and
nothing else, and two processes that do the same scenario write the same thing.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import packwise
from packwise.experiments.index import INDEX, SEAL, read_index, update_index, write_index
from packwise.experiments.record import checked_record, read_json, sealed
from packwise.experiments.work import FORMAT, Done, Failed, replayed
from packwise.files.inputs import note_input
from packwise.files.output import atomic_output, make_folder
from packwise.metrics.own import shown_names
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload

if TYPE_CHECKING:
    import polars as pl

_RESULT = re.compile(r"([0-9a-f]{64})\.(json|parquet)")
_LEFTOVER_SECONDS = 3600
#: What atomic_output calls our files before they are whole.
_TEMPORARY = re.compile(
    r"\.([0-9a-f]{64}\.(json|parquet)|index\.(parquet|sha256)|store\.json)\.\w+"
)
_MADE_BY = "made_by"
#: What no result of a command is written to. Other files may lie beside them.
_PARTS = ("results", "failures", "store.json", INDEX, SEAL)


@dataclass(frozen=True)
class Trouble:
    """A file that is not as it should be, and what is wrong with it."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class Damaged(InputError):
    """A result that is not what was written."""


class Store:
    """Results by the key of their scenario."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._results = folder / "results"
        self._failures = folder / "failures"

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Store:
        """An existing store, or a new one; any other folder is refused and left alone."""
        store = cls(folder)
        described = folder / "store.json"
        for name in _PARTS:
            note_input(folder / name)
        try:
            known = read_json(described)
        except (FileNotFoundError, NotADirectoryError):
            store._begin(described, create)
            return store
        except (OSError, ValueError) as error:
            raise InputError(
                f"{described}: the description of the store cannot be read ({error}). If the folder "
                'is a Packwise store, put {"format": 1} into that file; otherwise choose another one.'
            ) from error
        version = known.get("format") if isinstance(known, dict) else None
        if not isinstance(version, int) or version < 1:
            raise InputError(f"{described}: expected a store's format, found {version!r}.")
        if version > FORMAT:
            raise InputError(
                f"{folder}: this store was written by a newer Packwise ({known.get(_MADE_BY, '?')}, "
                f"format {version}); this one ({packwise.__version__}) reads up to {FORMAT}. Upgrade "
                "Packwise, or choose another folder with --store. Nothing was changed."
            )
        return store

    def _begin(self, described: Path, create: bool) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder}: expected a folder for results, found a file.")
        occupied = self.folder.is_dir() and any(
            not entry.name.startswith(".store.json") for entry in self.folder.iterdir()
        )
        if occupied and not (self.folder / "store.json").exists():
            remedy = "Choose another folder with --store."
            if self._results.is_dir():
                remedy = f'If it was one, write {{"format": 1}} into {described}. {remedy}'
            raise InputError(
                f"{self.folder}: is not a store of Packwise (no store.json), and not empty. {remedy}"
            )
        if not create:
            raise InputError(
                f"{self.folder}: there is no store of results here yet. Run the study first: "
                "packwise study run STUDY."
            )
        make_folder(self.folder)
        content = {"format": FORMAT, _MADE_BY: packwise.__version__}
        self._write(described, json.dumps(content).encode())

    def path(self, key: str, suffix: str) -> Path:
        """Where a result's .json or .parquet is."""
        return self._results / key[:2] / f"{key}{suffix}"

    def write(self, done: Done) -> None:
        """Keep a result, and forget an earlier failure of the same scenario."""
        record, schedule = self.path(done.key, ".json"), self.path(done.key, ".parquet")
        make_folder(record.parent)
        self._write(schedule, done.schedule)
        self._write(record, json.dumps(sealed(self._joined(done))).encode())
        with suppress(OSError):
            (self._failures / f"{done.key}.json").unlink(missing_ok=True)

    def _joined(self, done: Done) -> dict[str, Any]:
        """The record, with the metrics that another run has measured on the same schedule."""
        try:
            known = self.record(done.key)
        except InputError:
            return done.record
        if known["schedule"] != done.record["schedule"]:
            return done.record
        return {**done.record, "metrics": {**known["metrics"], **done.record["metrics"]}}

    def write_failure(self, failure: Failed) -> None:
        """Keep what went wrong."""
        make_folder(self._failures)
        self._write(
            self._failures / f"{failure.key}.json", json.dumps(failure.record, indent=1).encode()
        )

    def has(self, key: str) -> bool:
        """Whether a result is there now; what it holds is not looked at."""
        return self.path(key, ".json").exists()

    def record(self, key: str) -> dict[str, Any]:
        """The record of a result; an InputError if it is damaged."""
        path = self.path(key, ".json")
        try:
            return checked_record(key, read_json(path))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: {error}. Run the study again to make it anew.") from error

    def failure(self, key: str) -> dict[str, Any] | None:
        """What went wrong with a scenario, if it failed."""
        with suppress(OSError, ValueError):
            found = read_json(self._failures / f"{key}.json")
            return found if isinstance(found, dict) else None
        return None

    def schedule(self, key: str) -> bytes:
        """The Parquet file of a result, compared with its checksum.

        A damaged one is set aside, so that the next run makes it again.
        """
        try:
            return self.checked_schedule(key)
        except Damaged as error:
            self.set_aside(key)
            raise InputError(
                f"{error} The result was set aside. Run the study again: it makes this one anew and "
                "keeps the others."
            ) from error

    def checked_schedule(self, key: str) -> bytes:
        """The same, but a damaged one is left where it is."""
        record = self.record(key)
        path = self.path(key, ".parquet")
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise Damaged(f"{path}: the schedule is gone.") from error
        except OSError as error:
            raise InputError(
                f"{path}: the schedule cannot be read ({error.strerror or error}). Check the disk and "
                "the permissions."
            ) from error
        if sha256(content).hexdigest() != record["schedule"]["sha256"]:
            raise Damaged(f"{path}: the schedule does not have the content that was written.")
        return content

    def replayed(self, key: str) -> tuple[Workload, Cluster, Schedule]:
        """Jobs, machine and schedule of a result."""
        record = self.record(key)
        name = str(record["scenario"]["workload"]["label"])
        workload, cluster, schedule = replayed(name, record, self.schedule(key))
        start, zone = record.get("start_time", 0), record.get("time_zone", "UTC")
        return workload.replace(start_time=start, time_zone=zone), cluster, schedule

    def set_aside(self, key: str) -> None:
        """A damaged result is not counted any more, but kept for who wants to look at it."""
        path = self.path(key, ".json")
        with suppress(OSError):
            path.replace(path.with_suffix(".damaged"))

    def frame(self) -> pl.DataFrame:
        """One row per result: labels, sizes, times, and a column per metric."""
        return self.survey()[0]

    def survey(self) -> tuple[pl.DataFrame, list[Trouble]]:
        """All results, and what is damaged or does not belong here.

        Columns of metrics of the user's own have the names that tables show, if this process has loaded them.
        """
        stamps, schedules, troubles = self._stamps()
        known = read_index(self.folder)
        frame, damaged = update_index(
            known, stamps, lambda key: self._load(key, schedules.get(key, -1))
        )
        if known is None or len(damaged) or not frame.equals(known):
            write_index(self.folder, frame)
        troubles += [Trouble(self.path(key, ".json"), reason) for key, reason in damaged.items()]
        own = shown_names(frame.columns)
        hidden = ["stamp", *(name for name in own.values() if name in frame.columns)]
        return frame.drop(hidden).rename(own), troubles

    def jobs(self, keys: Iterable[str]) -> pl.LazyFrame:
        """The schedules of results, as one lazy table with the column ``key``.

        A column that only some of them have (promises, deadlines) is null in the others.
        """
        import polars as pl

        alike: dict[tuple[str, ...], list[str]] = {}
        for path in (self.path(key, ".parquet") for key in keys):
            alike.setdefault(_columns(path), []).append(str(path))
        if not alike:
            return pl.LazyFrame(schema={"key": pl.String})
        name = pl.col("key").str.replace_all("\\", "/", literal=True)
        stem = name.str.split("/").list.last().str.strip_suffix(".parquet")
        most = sorted(alike.values(), key=len, reverse=True)
        scanned = [pl.scan_parquet(some, include_file_paths="key", glob=False) for some in most]
        return pl.concat(scanned, how="diagonal").with_columns(stem.alias("key"))

    def clear_leftovers(self) -> None:
        """Remove temporary files of runs that were killed; no other hidden files."""
        for path in self.folder.rglob(".*"):
            with suppress(OSError):
                old = path.stat().st_mtime < time.time() - _LEFTOVER_SECONDS
                if old and _TEMPORARY.fullmatch(path.name) and path.is_file():
                    path.unlink()

    def _stamps(self) -> tuple[dict[str, str], dict[str, int], list[Trouble]]:
        """Of each result what changes when it does, and the size of its schedule; what is odd."""
        records: dict[str, str] = {}
        schedules: dict[str, int] = {}
        troubles = []
        for folder in _folders(self._results):
            for entry in _entries(folder):
                found = _RESULT.fullmatch(entry.name)
                if found is None or found[1][:2] != folder.name or not entry.is_file():
                    if not entry.name.startswith(".") and not entry.name.endswith(".damaged"):
                        reason = "does not belong to the store"
                        troubles.append(Trouble(Path(entry.path), reason))
                    continue
                facts = entry.stat()
                if found[2] == "json":
                    times = f"{facts.st_mtime_ns}-{facts.st_ctime_ns}"
                    records[found[1]] = f"{facts.st_ino}-{times}-{facts.st_size}"
                else:
                    schedules[found[1]] = facts.st_size
        stamps = {key: f"{stamp}-{schedules.get(key, -1)}" for key, stamp in records.items()}
        return stamps, schedules, troubles

    def _load(self, key: str, schedule_bytes: int) -> dict[str, Any]:
        record = checked_record(key, read_json(self.path(key, ".json")))
        if record["schedule"]["bytes"] != schedule_bytes:
            found = "none" if schedule_bytes < 0 else f"{schedule_bytes} bytes"
            raise ValueError(
                f"expected a schedule of {record['schedule']['bytes']} bytes, found {found}"
            )
        return record

    def _write(self, path: Path, content: bytes) -> None:
        with atomic_output(path, own=True) as file:
            file.write(content)


def _columns(path: Path) -> tuple[str, ...]:
    """Names of a Parquet file's columns; none for a file that cannot be read, which its reader will tell."""
    import polars as pl

    try:
        return tuple(pl.read_parquet_schema(path))
    except (OSError, pl.exceptions.PolarsError):
        return ()


def _folders(parent: Path) -> list[os.DirEntry[str]]:
    if not parent.exists():
        return []
    return sorted((e for e in _entries(parent) if e.is_dir()), key=lambda entry: entry.name)


def _entries(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError as error:
        path = os.fspath(folder)
        raise InputError(
            f"{path}: the store cannot be read ({error.strerror or error}). Check the folder and its "
            "permissions, or choose another store with --store."
        ) from error
