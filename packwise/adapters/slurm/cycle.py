"""A cycle: one time round of the live scheduler."""

from __future__ import annotations

from typing import NamedTuple

from packwise.adapters.slurm.modes.mode import Planned
from packwise.adapters.slurm.sending import Sent


class Cycle(NamedTuple):
    """One time round: the plan, what was sent, and how long reading, planning and sending took."""

    planned: Planned
    sent: tuple[Sent, ...]
    notes: tuple[str, ...]
    read: float
    plan: float
    send: float
