"""A point in the list-scheduling family, as numbers."""

from __future__ import annotations

from typing import NamedTuple

from packwise.compiled import inlined
from packwise.engine.orders import FCFS
from packwise.engine.state import NO_TIME, UNLIMITED


class Rules(NamedTuple):
    """See ``packwise.policies.list_scheduling.ListPolicy``; ``origin`` is the time of the first submission."""

    order: int = FCFS
    tie: int = FCFS
    reserve: int = 0
    strict: int = 0
    depth: int = UNLIMITED
    backfill_order: int = FCFS
    backfill_tie: int = FCFS
    reorder: int = 0
    changing: int = 0
    threshold: int = NO_TIME
    cap: int = UNLIMITED
    origin: int = 0


@inlined
def rules_of(numbers):
    """The rules of a state."""
    return Rules(
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
        numbers[8],
        numbers[9],
        numbers[10],
        numbers[11],
    )
