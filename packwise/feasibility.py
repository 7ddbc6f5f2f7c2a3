"""Could this machine have run this schedule? If not: which job, when, and by how much not.

Everything is recomputed from the schedule; nothing that an engine, a solver or a log claims is
believed. At one moment completions free processors before starts take them. On a cluster of nodes each node
is looked at as well, in every resource (``packwise.node_feasibility``). A job that waited for nodes to boot
had what it has from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from packwise.metrics.timeline import Step, level
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.errors import shortened
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload
from packwise.node_feasibility import Overuse, WhileOut, misplaced, overuse, while_out

_NAMED_JOBS = 8


class Kind(StrEnum):
    """What can be wrong, and what ``Violation.amount`` counts."""

    LENGTH = "length mismatch"  # entries too many (or too few, if negative)
    NEVER_STARTED = "never started"  # 1
    NEGATIVE = "negative time"  # seconds before 0, or from end back to start
    EARLY = "starts before submission"  # seconds
    LONG_BOOT = "waited longer than nodes boot"  # seconds beyond that
    OVER_LIMIT = "ran longer than its limit"  # seconds beyond the limit
    WRONG_RUNTIME = (
        "ran longer or shorter than its run time"  # seconds too long; negative: too short
    )
    TOO_WIDE = "wider than the machine"  # processors
    OVER_ALLOCATION = "more processors used than there are"  # processors, at the worst moment
    MISPLACED = "not all units on nodes"  # units too many; negative: too few
    NODE_OVERUSE = "more used on a node than it has"  # of the resource, when it began
    WHILE_OUT = "on a node that is out"  # seconds of the outage


_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing no machine could have done. ``job_id`` is -1 where no single job is to blame."""

    kind: Kind
    job_id: int
    time: int
    amount: int
    message: str


@dataclass(frozen=True, slots=True)
class Feasibility:
    """The verdict. ``violations`` holds the first ones by time, ``total`` counts all of them.

    An over-allocation is a whole interval during which more processors were used than there are;
    ``over_allocated_seconds`` is the length of all such intervals, ``peak_usage`` the most
    processors in use at any moment. ``nodes_known``: False if the machine has nodes and the schedule does not
    tell which jobs were on which: then only their sum could be checked.
    """

    violations: tuple[Violation, ...]
    total: int
    over_allocated_seconds: int
    peak_usage: int
    nodes_known: bool = True

    @property
    def ok(self) -> bool:
        """Whether a machine could have run the schedule."""
        return self.total == 0


def check_schedule(
    workload: Workload,
    cluster: Cluster | int,
    schedule: Schedule,
    *,
    limit: int = 20,
    rejected: Iterable[int] | Ints = (),
    tolerance: int = 0,
) -> Feasibility:
    """Check every job and every moment of ``schedule``.

    ``cluster`` may be a number of processors.
    ``rejected`` holds the ids of jobs that were refused on purpose: only those may never start.
    ``tolerance``: so many seconds may each job run longer or shorter than it should and start too early, and
    for so long at a time may more be in use than there is. What real schedulers record needs that: they end
    jobs a while after their limits, and write ends when they learn of them.
    """
    machine = as_cluster(cluster)
    procs = machine.procs
    if len(schedule) != len(workload):
        surplus = len(schedule) - len(workload)
        message = (
            f"the schedule should have one entry for each of the {len(workload)} jobs of "
            f"'{workload.name}', found {len(schedule)}."
        )
        return Feasibility((Violation(Kind.LENGTH, -1, 0, surplus, message),), 1, 0, 0)
    start, end, held_from = schedule.start, schedule.end, schedule.held_from
    absent = (start == NEVER) & (end == NEVER)
    sound = ~absent & (start >= 0) & (end >= start)
    length = end - start
    refused = np.isin(workload.id, np.fromiter(rejected, np.int64))
    usage = level(held_from[sound], end[sound], workload.demand[sound])
    intervals, peaks, culprits = _over_allocations(workload, schedule, sound, usage, procs)
    if tolerance:
        long = intervals[:, 1] - intervals[:, 0] > tolerance
        intervals, peaks, culprits = intervals[long], peaks[long], culprits[long]
        # On single nodes: as if each job had ended so much earlier.
        schedule = replace(schedule, end=np.where(sound, np.maximum(start, end - tolerance), end))

    found = _Findings()
    every = np.arange(len(workload))
    found.add(Kind.NEVER_STARTED, every, absent & ~refused, workload.submit, np.ones_like(every))
    backwards = np.maximum(np.maximum(-start, -end), -length)
    found.add(Kind.NEGATIVE, every, ~absent & ~sound, start, backwards)
    found.add(
        Kind.EARLY,
        every,
        sound & (held_from < workload.submit - tolerance),
        held_from,
        workload.submit - held_from,
    )
    if machine.energy is not None:
        boots = start - held_from - (0 if machine.sleep is None else machine.sleep.boot_time)
        found.add(Kind.LONG_BOOT, every, sound & (boots > 0), held_from, boots)
    over = sound & (length > workload.requested_time + tolerance)
    limit_end = start + workload.requested_time
    found.add(Kind.OVER_LIMIT, every, over, limit_end, length - workload.requested_time)
    wrong = sound & ~over & (np.abs(length - workload.runtime) > tolerance)
    found.add(Kind.WRONG_RUNTIME, every, wrong, end, length - workload.runtime)
    wide = ~absent & (workload.demand > procs)
    found.add(Kind.TOO_WIDE, every, wide, start, workload.demand - procs)
    found.add(Kind.OVER_ALLOCATION, culprits, culprits >= 0, intervals[:, 0], peaks - procs)
    known = machine.is_pool or schedule.allocation is not None
    used = None if machine.is_pool else overuse(workload, machine, schedule, sound)
    out = None
    if used is not None:
        found.add(Kind.NODE_OVERUSE, used.job, used.job >= 0, used.time, used.amount)
        if known:
            lost = misplaced(workload, machine, schedule)
            found.add(Kind.MISPLACED, lost.job, lost.job >= 0, start[lost.job], lost.amount)
            out = while_out(workload, machine, schedule, sound)
            found.add(Kind.WHILE_OUT, out.job, out.job >= 0, out.time, out.amount)

    until = dict(zip(intervals[:, 0].tolist(), intervals[:, 1].tolist(), strict=True))
    violations = tuple(
        Violation(
            kind,
            int(workload.id[i]),
            time,
            amount,
            _on_nodes(kind, workload, machine, schedule, used, out, i, time, amount, place)
            or _message(kind, workload, schedule, i, time, amount, procs, until.get(time, time)),
        )
        for kind, i, time, amount, place in found.first(limit)
    )
    return Feasibility(
        violations,
        found.total,
        int((intervals[:, 1] - intervals[:, 0]).sum()),
        int(usage.values.max(initial=0)) if len(usage.times) else 0,
        known,
    )


class _Findings:
    """All violations as columns; only the first few ever become objects with a message."""

    def __init__(self) -> None:
        self._rows: list[Ints] = []

    def add(
        self, kind: Kind, job: Ints, where: NDArray[np.bool_], time: Ints, amount: Ints
    ) -> None:
        picked = np.flatnonzero(where)
        code = np.full(len(picked), _KINDS.index(kind), np.int64)
        self._rows.append(np.stack((code, job[picked], time[picked], amount[picked], picked)))

    @property
    def total(self) -> int:
        return sum(rows.shape[1] for rows in self._rows)

    def first(self, limit: int) -> list[tuple[Kind, int, int, int, int]]:
        """The first by time, then kind, then job; the last number is the place among those that were added."""
        code, job, time, amount, place = np.concatenate(self._rows, axis=1)
        order = np.lexsort((place, job, code, time))[: max(limit, 0)]
        columns = (column[order].tolist() for column in (code, job, time, amount, place))
        return [(_KINDS[code], *rest) for code, *rest in zip(*columns, strict=True)]


def _over_allocations(
    workload: Workload, schedule: Schedule, sound: NDArray[np.bool_], usage: Step, procs: int
) -> tuple[Ints, Ints, Ints]:
    """Intervals (from, until) of over-use, the peak use in each, and the job that began it."""
    above = np.concatenate(([False], usage.values > procs, [False]))
    first = np.flatnonzero(above[1:-1] & ~above[:-2])
    after = np.flatnonzero(above[1:-1] & ~above[2:]) + 1
    if len(first) == 0:
        return np.empty((0, 2), np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    intervals = np.stack((usage.times[first], usage.times[after]), axis=1)
    pairs = np.stack((first, after), axis=1).ravel()
    peaks = np.maximum.reduceat(np.append(usage.values, 0), pairs)[::2]
    held_from = schedule.held_from
    by_start = np.argsort(held_from, kind="stable")
    by_start = by_start[sound[by_start] & (schedule.end > held_from)[by_start]]
    starts = held_from[by_start]
    taken = np.concatenate(([0], np.cumsum(workload.demand[by_start])))
    low = np.searchsorted(starts, intervals[:, 0], "left")
    high = np.searchsorted(starts, intervals[:, 0], "right")
    free = procs - (usage.values[first] - (taken[high] - taken[low]))
    # Of the jobs starting then, in submission order: the first that finds too few processors.
    culprits = by_start[np.searchsorted(taken[1:], taken[low] + free, "right")]
    return intervals, peaks, culprits


def _on_nodes(
    kind: Kind,
    workload: Workload,
    cluster: Cluster,
    schedule: Schedule,
    used: Overuse | None,
    out: WhileOut | None,
    i: int,
    time: int,
    amount: int,
    at: int,
) -> str:
    """The message for what is wrong on nodes; empty for anything else. ``at``: its place in ``used`` or
    ``out``.
    """
    job = f"job {workload.id[i]}"
    if kind == Kind.MISPLACED:
        assert schedule.allocation is not None
        units = int(workload.demand[i] if workload.units is None else workload.units[i])
        where = schedule.allocation.of(i)
        return (
            f"{job} should have its {units} unit(s) on nodes 0 to {cluster.nodes - 1} that are open to it, 1 "
            f"or more on each; found {sum(where.values())} on {len(where)} node(s), {shortened(str(where))}."
        )
    if kind == Kind.WHILE_OUT and out is not None:
        return (
            f"{job} is on node {cluster.node_name(int(out.node[at]))} from {time} on, which is out then, for "
            f"{amount} s."
        )
    if kind != Kind.NODE_OVERUSE or used is None:
        return ""
    node, resource = int(used.node[at]), int(used.resource[at])
    whose = (
        "the nodes together" if schedule.allocation is None else f"node {cluster.node_name(node)}"
    )
    if resource == len(cluster.resources):
        return f"from {time} on {whose} has {job} beside another, but should have one at a time."
    name = cluster.resources[resource]
    row = cluster.capacity()
    has = int(row[:, resource].sum() if schedule.allocation is None else row[node, resource])
    return (
        f"from {time} on {has + amount} {name} are used on {whose}, {amount} more than the {has} there are; "
        f"it began with the start of {job}."
    )


def _message(
    kind: Kind,
    workload: Workload,
    schedule: Schedule,
    i: int,
    time: int,
    amount: int,
    procs: int,
    until: int,
) -> str:
    """What was expected, what was found, and where."""
    job = f"job {workload.id[i]}"
    start, end = int(schedule.start[i]), int(schedule.end[i])
    match kind:
        case Kind.NEVER_STARTED:
            return f"{job}, submitted at {time}, never started and was not rejected."
        case Kind.NEGATIVE:
            return f"{job} should have 0 <= start <= end, found start {start} and end {end}."
        case Kind.EARLY:
            submitted = int(workload.submit[i])
            what = "starts" if time == start else "has its nodes"
            return f"{job} {what} at {time}, {amount} s before its submission at {submitted}."
        case Kind.LONG_BOOT:
            return f"{job} waited {start - time} s for nodes to boot, {amount} s longer than that takes."
        case Kind.OVER_LIMIT:
            allowed = int(workload.requested_time[i])
            return f"{job} ran {end - start} s, {amount} s beyond its limit of {allowed} s."
        case Kind.WRONG_RUNTIME:
            runtime = int(workload.runtime[i])
            return f"{job} should run {runtime} s, found {end - start} s (from {start} to {end})."
        case Kind.TOO_WIDE:
            return f"{job} needs {workload.demand[i]} processors of a machine of {procs}."
    held_from = schedule.held_from
    running = np.flatnonzero((held_from <= time) & (schedule.end > time) & (held_from >= 0))
    names = ", ".join(str(number) for number in workload.id[running[:_NAMED_JOBS]])
    more = f" and {len(running) - _NAMED_JOBS} more" if len(running) > _NAMED_JOBS else ""
    return (
        f"from {time} until {until} up to {procs + amount} processors are used, {amount} more than "
        f"the {procs} there are; it began with the start of {job} (running then: {names}{more})."
    )
