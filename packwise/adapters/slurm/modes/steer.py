"""Steer: site factors within a band, and nothing else.

Slurm goes on to decide who starts when. If we die, it goes on with the last values, which have no end: no job
is held, but those that were lowered stay behind newcomers, who have none, until `packwise slurm reset`.
"""

from __future__ import annotations

from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.modes.mode import Planned, Wish
from packwise.adapters.slurm.ours import Ours
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.snapshot import Snapshot
from packwise.adapters.slurm.steering import steer
from packwise.model.errors import InputError

#: Changes in one round: what a controller takes in a second or two.
MOST_CHANGES = 1000


class Steer:
    """``band``: how far a site factor may be from 0."""

    name = "steer"

    def __init__(
        self,
        reader: SlurmReader,
        band: int = 1000,
        partitions: frozenset[str] | None = None,
        most: int = MOST_CHANGES,
    ) -> None:
        if not 1 <= band <= 2**30:
            raise InputError(f"--band should be between 1 and {2**30}, found {band}.")
        self.partitions = partitions
        self._reader = reader
        self._band = band
        self._most = most

    def act(self, planned: Planned, ledger: Ledger) -> Wish:
        """The factors that differ from those that jobs have."""
        priority = self._reader.priorities()
        # Tasks of an array share a record until they start: it goes where the first of them is planned.
        order: dict[int, None] = {}
        others = set()
        for job in map(planned.job, planned.order()):
            factor = priority.get(job.raw, (0, 0))[1]
            if factor and not ledger.ours.steered(job):
                others.add(job.raw)
                continue
            if factor:
                ledger.ours.factors.setdefault(job.raw, factor)  # a task has that of its array
            order[job.raw] = None
        found = steer(list(order), priority, self._band)
        change = dict(list(found.change.items())[: self._most])
        notes = []
        if others:
            notes.append(
                f"{len(others)} jobs have site factors that are not ours: they stay as they are (if an earlier "
                "run has left them, `packwise slurm reset --all` clears them)"
            )
        if len(change) < len(found.change):
            notes.append(
                f"{len(found.change)} site factors should change, {len(change)} do now: the rest next time"
            )
        if found.beyond:
            notes.append(
                f"{found.beyond} jobs are not where the plan wants them: their priorities differ by more than "
                f"the band of {self._band}"
            )
        ledger.ours.factors |= change
        return Wish(change, notes)

    def give_back(self, snapshot: Snapshot | None, ledger: Ledger) -> dict[int, int]:
        """The factors that we have set, back to 0; those of others stay."""
        return dict.fromkeys(ours_there(snapshot, ledger.ours), 0)


def ours_there(snapshot: Snapshot | None, ours: Ours) -> list[int]:
    """The jobs of which we have set the factors, as far as they still wait."""
    waiting = None if snapshot is None else {job.raw for job in snapshot.jobs if job.waiting}
    return [
        raw for raw, value in ours.factors.items() if value and (waiting is None or raw in waiting)
    ]
