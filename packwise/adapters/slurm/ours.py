"""What is ours on a live Slurm: the site factors that we have set.

It is what has to be given back, so it is written before anything is sent, as plain JSON: whoever resets may
read it, also where the ledger, which is a pickle, is somebody else's. What the mode drive of earlier versions
wrote down there stays until `reset` has given it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from packwise.adapters.slurm.kept_files import read_kept, write_kept
from packwise.adapters.slurm.left_by_drive import DriveRecord, record_of
from packwise.adapters.slurm.snapshot import QueuedJob
from packwise.model.errors import InputError

NAME = "ours.json"


@dataclass
class Ours:
    """``factors``: site factors by raw id; ``of_drive``: what drive wrote down."""

    factors: dict[int, int] = field(default_factory=dict)
    of_drive: DriveRecord = field(default_factory=DriveRecord)

    def steered(self, job: QueuedJob) -> bool:
        """Whether the factor of a job is ours: a task that has a record of its own has that of its array."""
        return job.raw in self.factors or _array(job) in self.factors

    def given_back(self, jobs: Iterable[int]) -> None:
        """These were set back to 0: what is set from now on is not ours. Factors of running jobs stay known,
        for a job that is requeued has its own again.
        """
        gone = set(jobs)
        self.factors = {
            raw: value for raw, value in self.factors.items() if value and raw not in gone
        }

    def forget(self, jobs: Iterable[QueuedJob]) -> None:
        """Drop who is gone."""
        there = {number for job in jobs for number in (job.raw, _array(job))}
        for number in [number for number in self.factors if number not in there]:
            del self.factors[number]


def _array(job: QueuedJob) -> int:
    """The number of its array; its own, if it is in none."""
    return int(job.id.partition("_")[0]) if "_" in job.id else job.raw


def save_ours(folder: Path, ours: Ours) -> None:
    """Write it, whole or not at all."""
    found = {
        "factors": {str(raw): value for raw, value in ours.factors.items()},
        **ours.of_drive.document(),
    }
    with write_kept(folder, NAME) as file:
        file.write(json.dumps(found).encode())


def load_ours(folder: Path) -> Ours | None:
    """What was written; None if there is nothing, or nothing that can be understood. InputError if it may not
    be read: then it is not known what is ours, though it is written down.
    """
    try:
        found = json.loads(read_kept(folder, NAME))
        factors = {int(raw): int(value) for raw, value in found["factors"].items()}
        return Ours(factors, record_of(found))
    except (
        FileNotFoundError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
    ):  # fmt: skip
        return None
    except OSError as error:
        raise InputError(f"{folder / NAME}: cannot be read: {error.strerror}.") from error
