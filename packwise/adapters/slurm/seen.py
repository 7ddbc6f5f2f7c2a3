"""Jobs that were seen to run and to end, as a log like any other.

Written as sacct writes it, so that everything that reads a site's records reads it: ``packwise report``,
``compare``, ``whatif``. An end is known to the second only as far as the queue is looked at that often. Names
of jobs are what users wrote: what is not plain in them becomes an underscore.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from packwise.adapters.slurm.kept_files import facts_of, open_kept, rename_kept
from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot
from packwise.model.errors import InputError

NAME = "jobs.psv"
_HEAD = (
    "JobID", "JobName", "User", "Account", "Partition", "QOS", "Submit", "Eligible", "Start", "End", "State",
    "Timelimit", "NNodes", "NCPUS", "AllocTRES", "NodeList", "Priority",
)  # fmt: skip
#: A log of this size is put aside, under the time of its last end.
_LARGEST = 256 * 1024**2
#: So many lines are kept while the disk is full, the last ones.
_MOST_KEPT = 100_000
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_ODD = re.compile(r"[^\w .,:+/@=-]")


class SeenJobs:
    """Appends to the log of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, QueuedJob] = {}
        #: Lines for which there was no room on the disk yet.
        self._kept: list[str] = []

    def look(self, snapshot: Snapshot) -> int:
        """Write down who has ended since the last look. Returns how many. OSError if the disk is full: it is
        tried again next time.
        """
        there = {job.id: job for job in snapshot.jobs if job.running and job.start > 0}
        ended = [job for id, job in self._running.items() if _ended(job, there.get(id))]
        self._running = there
        self._kept += [_line(job, max(snapshot.now, job.start)) for job in ended]
        del self._kept[:-_MOST_KEPT]
        if self._kept:
            self._append(self._kept)
            self._kept = []
        return len(ended)

    def _append(self, lines: list[str]) -> None:
        there = facts_of(self._folder, NAME)
        if there is not None and there.st_size > _LARGEST:
            last = lines[-1].split("|")[9]
            rename_kept(self._folder, NAME, f"jobs-{last}.psv")
            there = None
        text = "".join(line + "\n" for line in (lines if there else ["|".join(_HEAD), *lines]))
        with os.fdopen(open_kept(self._folder, NAME, _APPEND), "ab") as file:
            begin = file.seek(0, os.SEEK_END)
            try:
                file.write(text.encode())
                file.flush()
            except OSError:
                os.ftruncate(file.fileno(), begin)  # no half a line
                raise


def seen_log(folder: Path) -> Path:
    """The log, if there is one."""
    path = known_log(folder)
    if path is None:
        raise InputError(
            f"no job was seen to end yet: there is no {folder / NAME}. Let `packwise slurm advise` run for a "
            "while, or name its folder: --state DIR."
        )
    return path


def known_log(folder: Path) -> Path | None:
    """The log; None if there is none. InputError if what is in its place is none of ours."""
    try:
        os.close(open_kept(folder, NAME, os.O_RDONLY))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{folder / NAME}: cannot be read: {error.strerror}.") from error
    return folder / NAME


def _ended(before: QueuedJob, now: QueuedJob | None) -> bool:
    """Whether a job that ran runs no more, or anew."""
    if now is not None and before.state == "CONFIGURING":
        return False  # its nodes have booted: only now it begins
    return now is None or now.start != before.start


def plain_name(name: str) -> str:
    """The name of a job without what is odd in it."""
    return _ODD.sub("_", name)[:100]


def _line(job: QueuedJob, end: int) -> str:
    tres = f"cpu={job.cpus},node={job.nodes}"
    tres += f",mem={job.memory}M" if job.memory else ""
    tres += f",gres/gpu={job.gpus}" if job.gpus else ""
    cells: Mapping[str, object] = {
        "JobID": job.id,
        "JobName": plain_name(job.name),
        "User": job.user,
        "Account": job.account,
        "Partition": job.partitions[0] if job.partitions else "",
        "QOS": job.qos,
        "Submit": job.submit,
        "Eligible": max(job.eligible, job.submit),
        "Start": job.start,
        "End": end,
        "State": "COMPLETED",
        "Timelimit": _clock(job.limit) if job.limit > 0 else "UNLIMITED",
        "NNodes": job.nodes,
        "NCPUS": job.cpus,
        "AllocTRES": tres,
        "NodeList": job.held,
        "Priority": job.priority,
    }
    return "|".join(str(cells[name]).replace("|", "_") for name in _HEAD)


def _clock(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    return f"{days}-{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
