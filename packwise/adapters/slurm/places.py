"""Places: on which nodes the waiting jobs would be, for those who look at a plan.

A plan says when a job starts, not where. Here the jobs get nodes by first fit, in the order of their starts.
That is for display only: nothing is sent by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packwise.model.workload import Ints

if TYPE_CHECKING:
    from packwise.adapters.slurm.modes.mode import Planned

#: Of a plan that is long, only so many jobs get places.
MOST = 500
#: From when on a node can be used that nobody expects back.
NEVER = 2**62


class Room(NamedTuple):
    """The nodes: ``free`` has a row for each and a column for each resource; ``since``: from when on jobs may
    start there; ``whole``: 1 where a job has the node to itself.
    """

    free: Ints
    since: Ints
    whole: Ints


class Holding(NamedTuple):
    """What a job has that runs: its units on each node, what a unit needs, and when it ends."""

    units: Mapping[int, int]
    per_unit: Sequence[int]
    end: int


class Wanted(NamedTuple):
    """A job that waits: when it would start and end, its units, what each needs, and whether (1 or 0) it may
    use each node. ``fixed``: its units on each node, if that is settled.
    """

    start: int
    end: int
    units: int
    per_unit: Sequence[int]
    open: Ints
    fixed: Mapping[int, int] | None = None


def places(
    room: Room, running: Iterable[Holding], waiting: Sequence[Wanted]
) -> list[dict[int, int]]:
    """For each waiting job the units on each node; nothing for one that finds no place at its start.

    ``room.free`` is what is free beside the running jobs. As jobs are placed in the order of their starts, a
    node is never fuller later on than at the start of the job that is looked at.
    """
    free = room.free.copy()
    guests = np.zeros(len(free), np.int64)
    ends: list[tuple[int, int, Holding]] = []

    def enter(job: Holding, number: int) -> None:
        for node in job.units:
            guests[node] += 1
        heappush(ends, (job.end, number, job))

    for number, job in enumerate(running):
        enter(job, -1 - number)
    found: list[dict[int, int]] = [{} for _ in waiting]
    for k in sorted(range(len(waiting)), key=lambda k: waiting[k].start):
        wanted = waiting[k]
        while ends and ends[0][0] <= wanted.start:
            gone = heappop(ends)[2]
            for node, units in gone.units.items():
                free[node] += units * np.asarray(gone.per_unit, np.int64)
                guests[node] -= 1
        part = dict(wanted.fixed or _first_fit(free, guests, room, wanted))
        if not _fits(free, part, wanted):
            continue
        for node, units in part.items():
            free[node] -= units * np.asarray(wanted.per_unit, np.int64)
        enter(Holding(part, wanted.per_unit, wanted.end), k)
        found[k] = part
    return found


def _first_fit(free: Ints, guests: Ints, room: Room, job: Wanted) -> dict[int, int]:
    """The first nodes that take all units, as they are now; nothing if they do not suffice."""
    needs = np.asarray(job.per_unit, np.int64)
    some = needs > 0
    if not some.any() or job.units < 1:
        return {}
    takes = (free[:, some] // needs[some]).min(axis=1).clip(min=0)
    takes[(job.open == 0) | (room.since > job.start) | ((room.whole > 0) & (guests > 0))] = 0
    upto = np.cumsum(takes)
    if not upto.size or upto[-1] < job.units:
        return {}
    last = int(np.searchsorted(upto, job.units))
    part = {int(node): int(takes[node]) for node in np.flatnonzero(takes[: last + 1])}
    part[last] -= int(upto[last]) - job.units
    return part


def _fits(free: Ints, part: Mapping[int, int], job: Wanted) -> bool:
    """Whether there is a place, and room at it: one that is settled may be taken by somebody unknown."""
    needs = np.asarray(job.per_unit, np.int64)
    return bool(part) and all((free[node] >= units * needs).all() for node, units in part.items())


def planned_places(planned: Planned, most: int = MOST) -> dict[int, dict[int, int]]:
    """The cores on each node, by job number, of jobs that run, and of those that wait and have a place."""
    view, ruling = planned.shown.view, planned.ruling
    nodes = view.nodes
    if nodes is None:
        return {}
    cores = nodes.resources.index("cores")
    jobs = view.running.tolist()
    held = {job: nodes.held.of(k) for k, job in enumerate(jobs)}
    running = [
        Holding(held[job], nodes.per_unit[job].tolist(), end)
        for job, end in zip(jobs, view.expected_end.tolist(), strict=True)
    ]
    wanted: dict[int, Wanted] = {}
    for job in planned.order()[: max(most, len(ruling.start))]:
        start = planned.start_of(job)
        if start is None:
            break  # the plan says nothing of those that follow
        wanted[job] = Wanted(
            start,
            start + max(int(view.estimate[job]), 1),
            int(nodes.units[job]),
            nodes.per_unit[job].tolist(),
            nodes.open[nodes.where[job]],
            ruling.allocation.get(job),
        )
    room = _room(planned, running)
    found = held | dict(zip(wanted, places(room, running, list(wanted.values())), strict=True))
    return {
        job: {node: units * int(nodes.per_unit[job, cores]) for node, units in sorted(part.items())}
        for job, part in found.items()
        if part
    }


def _room(planned: Planned, running: Iterable[Holding]) -> Room:
    """What is free now, and on nodes that are out, what will be when they are back."""
    snapshot, shown = planned.snapshot, planned.shown
    nodes = shown.view.nodes
    assert nodes is not None
    free, since = nodes.free.copy(), nodes.out.copy()
    back = nodes.capacity.copy()
    for job in running:
        for node, units in job.units.items():
            back[node] -= units * np.asarray(job.per_unit, np.int64)
    free[since > 0] = back[since > 0].clip(min=0)
    since[[not snapshot.nodes[host].usable for host in shown.hosts]] = NEVER
    return Room(free, since, nodes.whole)
