"""What every mode has: a plan to begin with, and site factors that it wishes for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from packwise.adapters.slurm.ledger import Ledger, Shown
from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot
from packwise.model.decision import Decision
from packwise.model.referee import Ruling


class Planned(NamedTuple):
    """A round: what was seen, what is to start now (checked), and when the others would start."""

    snapshot: Snapshot
    shown: Shown
    ruling: Ruling
    later: Mapping[int, int]

    def order(self) -> list[int]:
        """The waiting jobs by number, as the plan lets them start; at the end, as they came, those of which it
        says nothing.
        """
        now = self.ruling.start.tolist()
        rest = set(self.shown.view.queue.tolist()) - set(now)
        later = sorted((job for job in self.later if job in rest), key=lambda job: self.later[job])
        last = sorted(rest - set(later))
        return [*now, *later, *last]

    def start_of(self, job: int) -> int | None:
        """When a job would start; None if the plan does not say."""
        if job in self.ruling.start:
            return self.shown.view.now
        return self.later.get(job)

    def job(self, number: int) -> QueuedJob:
        """The job of a number."""
        return self.shown.job[number]


class Wish(NamedTuple):
    """The site factors that a mode wants, by raw id, and what there is to say about them."""

    factors: dict[int, int]
    notes: list[str]


class Mode(Protocol):
    """What is done with plans. ``partitions``: whose jobs are planned, all if None. A mode can wish for site
    factors, and for nothing else; ``give_back``: those that undo what it has done.
    """

    @property
    def name(self) -> str: ...

    @property
    def partitions(self) -> frozenset[str] | None: ...

    def act(self, planned: Planned, ledger: Ledger) -> Wish: ...

    def give_back(self, snapshot: Snapshot | None, ledger: Ledger) -> dict[int, int]: ...


def planned_starts(decision: Decision) -> dict[int, int]:
    """When waiting jobs would start, as the decision says, checked: whole numbers."""
    found = {}
    for job, start in decision.planned.items():
        try:
            found[int(job)] = int(start)
        except (TypeError, ValueError, OverflowError):
            continue
    return found
