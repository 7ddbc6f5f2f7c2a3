"""What would start a job sooner: the log replayed with that job asking for less.

Everything else stays as it was, those who come later among it: no forecast, but what would have been.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import CORES, LARGEST, Workload


class Variant(NamedTuple):
    """A job that asks for something else, in words, and the log with it."""

    words: str
    workload: Workload


class Sooner(NamedTuple):
    """When a job starts, and when it would; ``start`` is -1 where it could never."""

    words: str
    start: int
    gain: int


def place_of_job(workload: Workload, job: int) -> int:
    """The place of a job in a workload, by its id."""
    found = np.flatnonzero(workload.id == job)
    if not found.size:
        ids = workload.id
        raise InputError(
            f"'{workload.name}' has no job {job}; its {len(ids):,} jobs have ids from {ids.min()} to "
            f"{ids.max()}. `packwise workload info` tells what was left out, and why."
        )
    return int(found[0])


def variants(workload: Workload, place: int) -> list[Variant]:
    """A job with fewer processors, for as long and for longer, and with shorter limits that are long enough."""
    runtime, limit = int(workload.runtime[place]), int(workload.requested_time[place])
    demand = int(workload.demand[place])
    found = []
    for part, name in ((2, "half"), (4, "a quarter of")):
        fewer = _fewer(workload, place, part)
        if fewer is None:
            continue
        found.append(Variant(f"with {name} its processors, for as long", fewer))
        longer = demand / int(fewer.demand[place])
        if limit * longer <= LARGEST:
            words = f"with {name} its processors, for {longer:.3g} times as long"
            found.append(Variant(words, _longer(fewer, place, longer)))
    shorter = [("half its limit", limit // 2), ("a quarter of its limit", limit // 4)]
    enough = -(-(runtime + runtime // 10) // 60) * 60
    shorter.append(("a limit just above what it took", enough))
    for name, seconds in shorter:
        if runtime <= seconds < limit and seconds > 0:
            column = workload.requested_time.copy()
            column[place] = seconds
            found.append(Variant(f"with {name}", workload.replace(requested_time=column)))
    return found


def _fewer(workload: Workload, place: int, part: int) -> Workload | None:
    """With this part of its processors for a job: fewer units or, if it has not so many, fewer cores in each.
    None if there are not so many to take from.
    """
    demand = workload.demand.copy()
    if workload.units is None:
        demand[place] //= part
        return workload.replace(demand=demand) if demand[place] > 0 else None
    units, cores = workload.units.copy(), workload.per_unit[CORES].copy()
    if units[place] >= part:
        units[place] //= part
    else:
        cores[place] //= part
    demand[place] = units[place] * cores[place]
    if demand[place] < 1:
        return None
    return workload.replace(
        demand=demand, units=units, per_unit={**workload.per_unit, CORES: cores}
    )


def _longer(workload: Workload, place: int, times: float) -> Workload:
    """With a job that takes so many times as long."""
    columns = {name: getattr(workload, name).copy() for name in ("runtime", "requested_time")}
    for column in columns.values():
        column[place] = int(np.ceil(column[place] * times))
    return workload.replace(**columns)


def sooner(
    workload: Workload, place: int, start: int, replay: Callable[[Workload], int]
) -> list[Sooner]:
    """What each variant brings; ``replay`` tells when the job starts in a log, or -1."""
    found = []
    for words, changed in variants(workload, place):
        then = replay(changed)
        found.append(Sooner(words, then, start - then if then >= 0 else 0))
    return found
