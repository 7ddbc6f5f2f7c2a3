"""Could these jobs have run so? Asked second by second of plain lists, by nothing that the product has.

A pool is one node with so many cores; each core of a job is a unit. Times are whole seconds, and what ends at a
moment gives back what it has before anything else happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Job(NamedTuple):
    """What a user asks for; ``needs`` is what one unit needs of a node. ``partition`` -1: any node will do."""

    submit: int
    runtime: int
    limit: int
    units: int
    needs: Mapping[str, int]
    partition: int = -1
    features: str = ""
    deadline: int | None = None
    watts: float = 0.0


class Node(NamedTuple):
    has: Mapping[str, int]
    whole: bool = False
    partitions: frozenset[int] = frozenset()
    features: frozenset[str] = frozenset()


class Out(NamedTuple):
    nodes: tuple[int, ...]
    begin: int
    end: int
    kill: bool


class Naps(NamedTuple):
    """Nodes sleep ``after`` so many seconds without a job, and ``boot`` for so many. ``size``: cores of a pool
    that sleep together.
    """

    after: int
    boot: int
    size: int


@dataclass(frozen=True)
class Machine:
    """``cap``: from when on the whole machine may draw how many watts, the last for ever; ``idle``: those of a
    core without a job.
    """

    nodes: Sequence[Node]
    is_pool: bool
    outs: Sequence[Out] = ()
    naps: Naps | None = None
    cap: Sequence[tuple[int, float]] = ()
    idle: float = 0.0
    cores: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cores", sum(node.has.get("cores", 0) for node in self.nodes))

    def is_open(self, job: Job, node: int) -> bool:
        there = self.nodes[node]
        if job.partition >= 0 and job.partition not in there.partitions:
            return False
        asked = re.findall(r"\w+", job.features)
        found = [name in there.features for name in asked]
        return any(found) if "|" in job.features else all(found)

    def is_out(self, node: int, time: int) -> bool:
        return any(node in out.nodes and out.begin <= time < out.end for out in self.outs)


class Ran(NamedTuple):
    """A job has held its units on nodes, ``where``, and has run there from ``start`` to ``end``."""

    job: int
    held_from: int
    start: int
    end: int
    where: Mapping[int, int]

    def has(self, time: int) -> bool:
        return self.held_from <= time < self.end


def room(machine: Machine, jobs: Sequence[Job], ran: Iterable[Ran], job: Job, time: int) -> int:
    """For how many more units of a job there is room at a moment."""
    there = [one for one in ran if one.has(time)]
    return sum(
        room_on(machine, jobs, there, job, node)
        for node in range(len(machine.nodes))
        if machine.is_open(job, node) and not machine.is_out(node, time)
    )


def room_on(
    machine: Machine, jobs: Sequence[Job], there: Sequence[Ran], job: Job, node: int
) -> int:
    here = [one for one in there if node in one.where]
    if machine.nodes[node].whole and here:
        return 0
    counts = []
    for name, amount in job.needs.items():
        if amount:
            used = sum(one.where[node] * jobs[one.job].needs.get(name, 0) for one in here)
            counts.append((machine.nodes[node].has.get(name, 0) - used) // amount)
    return max(min(counts), 0)


def fits_empty(machine: Machine, job: Job) -> bool:
    """Whether a job has a place on the machine with nobody else and nothing out."""
    whole = Machine(machine.nodes, machine.is_pool)
    return room(whole, [job], [], job, 0) >= job.units


def impossible(machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran]) -> list[str]:
    """What no machine could have done, for the runs of a schedule."""
    faults = []
    for one in ran:
        faults += _wrong_by_itself(machine, jobs[one.job], one)
    faults += overfull(machine, jobs, ran)
    for out in machine.outs:
        for one in ran:
            if not set(out.nodes) & set(one.where) or one.held_from >= one.end:
                continue
            if out.kill and one.held_from < out.end and one.end > out.begin:
                faults.append(f"{one} is on a node that is out and kills: {out}")
            if not out.kill and out.begin <= one.held_from < out.end:
                faults.append(f"{one} is given a node that is drained: {out}")
    return faults


def overfull(machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran]) -> list[str]:
    """When and where more is used than there is, or a node is shared that should not be."""
    faults = []
    for time in sorted({one.held_from for one in ran}):
        faults += _too_much(machine, jobs, [one for one in ran if one.has(time)], time)
    return faults


def _wrong_by_itself(machine: Machine, job: Job, one: Ran) -> list[str]:
    faults = []
    if one.held_from < job.submit:
        faults.append(f"{one} comes before its submission at {job.submit}")
    if one.end - one.start != job.runtime:
        faults.append(f"{one} should run {job.runtime} s")
    longest = 0 if machine.naps is None else machine.naps.boot
    if one.start - one.held_from > longest:
        faults.append(f"{one} waits for nodes that boot in {longest} s")
    known = all(0 <= node < len(machine.nodes) for node in one.where)
    if not known or sum(one.where.values()) != job.units or min(one.where.values()) < 1:
        faults.append(f"{one} should have {job.units} units")
    elif not all(machine.is_open(job, node) for node in one.where):
        faults.append(f"{one} is on a node that is not open to {job}")
    return faults


def _too_much(machine: Machine, jobs: Sequence[Job], there: Sequence[Ran], time: int) -> list[str]:
    faults = []
    for place, node in enumerate(machine.nodes):
        here = [one for one in there if place in one.where]
        if node.whole and len(here) > 1:
            faults.append(f"at {time} node {place} is not one job's: {here}")
        for name in {name for one in here for name in jobs[one.job].needs}:
            used = sum(one.where[place] * jobs[one.job].needs[name] for one in here)
            if used > node.has.get(name, 0):
                faults.append(f"at {time} node {place} has {node.has.get(name, 0)} {name}: {here}")
    return faults
