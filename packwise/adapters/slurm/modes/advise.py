"""Advise: nothing is sent."""

from __future__ import annotations

from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.modes.mode import Planned, Wish
from packwise.adapters.slurm.snapshot import Snapshot


class Advise:
    """Plans are shown and kept in the journal, and that is all."""

    name = "advise"

    def __init__(self, partitions: frozenset[str] | None = None) -> None:
        self.partitions = partitions

    def act(self, planned: Planned, ledger: Ledger) -> Wish:
        return Wish({}, [])

    def give_back(self, snapshot: Snapshot | None, ledger: Ledger) -> dict[int, int]:
        return {}
