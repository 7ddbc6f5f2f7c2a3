"""Slurm's own data, until there is a plan: what makes plans has to be loaded first, and maybe compiled."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from packwise.cli.terminal.interim import Interim

if TYPE_CHECKING:
    from packwise.adapters.slurm.reader import SlurmReader
    from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot

#: Expected starts in a line.
_TOLD = 5


class FirstLook(Interim):
    """What the first snapshot tells, until there is a plan. ``partitions``: whose jobs are planned, all if
    None.
    """

    def __init__(self, partitions: frozenset[str] | None = None) -> None:
        super().__init__()
        self._partitions = partitions

    def look(self, reader: SlurmReader) -> None:
        """Read it. If that fails, the rounds will tell so."""
        from packwise.model.errors import PackwiseError

        with suppress(PackwiseError):
            snapshot = reader.snapshot()
            self.begin(lambda: self._show(snapshot))

    def _show(self, snapshot: Snapshot) -> None:
        from packwise.cli.tables.live import slurms_own
        from packwise.cli.terminal import meanwhile, stderr

        console = stderr()
        jobs = self._waiting(snapshot)
        if console.is_terminal:
            room = max(console.size.height - 8, 5)
            console.print(slurms_own(snapshot, jobs, room, console.width))
        else:
            meanwhile(_line(snapshot, jobs))

    def _waiting(self, snapshot: Snapshot) -> list[QueuedJob]:
        """Who waits for room, as Slurm expects them to start; at the end those of whom it says nothing."""
        theirs = self._partitions
        jobs = [
            job
            for job in snapshot.jobs
            if job.for_room and (theirs is None or theirs & set(job.partitions))
        ]
        return sorted(jobs, key=lambda job: (job.start <= 0, job.start, -job.priority, job.raw))


def _line(snapshot: Snapshot, jobs: list[QueuedJob]) -> str:
    from packwise.cli.tables.live import counts_of
    from packwise.readable import clock

    starts = [
        f"{job.id} {clock(max(job.start, snapshot.now), snapshot.now)}"
        for job in jobs[:_TOLD]
        if job.start > 0
    ]
    expected = f"Slurm expects {', '.join(starts)}" if starts else "Slurm tells no starts yet"
    return f"{counts_of(snapshot, len(jobs))}; {expected}; the plan is being made"
