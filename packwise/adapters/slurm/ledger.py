"""The ledger: turns snapshots into views, and keeps the numbers of jobs and the policy's memory.

A policy knows jobs by numbers, in the order in which they came, and remembers them so. The ledger gives every
job of Slurm a number and keeps it as long as the job is there, over restarts, too (see ``state_file``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from packwise.adapters.slurm.columns import Columns
from packwise.adapters.slurm.held import allocation
from packwise.adapters.slurm.ours import Ours
from packwise.adapters.slurm.requests import Request, Requests
from packwise.adapters.slurm.snapshot import NOT_TOLD, NodeState, QueuedJob, Snapshot
from packwise.model.allocation import Allocation
from packwise.model.view import Nodes, View
from packwise.model.workload import NO_DEADLINE, Ints
from packwise.workloads.records.values import YEAR

#: After so many jobs that are gone the numbers begin anew, and policies begin to learn anew.
MOST_NUMBERS = 200_000


#: A clock that is put back by more than so many seconds was wrong before; by less, it is waited for.
_STEP = 300


class Shown(NamedTuple):
    """A view, and what its numbers stand for. ``left_out``: jobs that wait for something else than room."""

    view: View
    job: Mapping[int, QueuedJob]
    hosts: tuple[str, ...]
    left_out: tuple[QueuedJob, ...]


class Ledger:
    """Numbers of jobs, what is known of them, and the policy's memory."""

    def __init__(self) -> None:
        self.memory: Any = None
        #: What has to be given back. It is kept in a file of its own.
        self.ours = Ours()
        self.last_now = 0
        self._columns = Columns()
        self._number: dict[str, int] = {}
        self._begun: dict[str, int] = {}
        self._names: dict[str, dict[str, int]] = {"user": {}, "group": {}, "app": {}}

    def kept(self, memory: bool = True) -> dict[str, Any]:
        """What outlasts a restart."""
        return {
            "memory": self.memory if memory else None,
            "columns": self._columns,
            "number": self._number,
            "begun": self._begun,
            "names": self._names,
        }

    def take(self, kept: Mapping[str, Any], memory: bool = True) -> None:
        """Go on with what was kept."""
        remembered = kept["memory"] if memory else None
        # All of it, or nothing.
        self._columns, self._number, self._begun, self._names = (
            kept[key] for key in ("columns", "number", "begun", "names")
        )
        self.memory = remembered

    def show(self, snapshot: Snapshot, partitions: frozenset[str] | None = None) -> Shown:
        """The view of a snapshot. ``partitions``: only their jobs are planned."""
        if snapshot.now < self.last_now - _STEP:
            self.memory = None  # it has times of a clock that is gone
            self.last_now = snapshot.now
        now = max(snapshot.now, self.last_now)  # the clock may step back a little, plans may not
        self.last_now = now
        cluster = snapshot.cluster
        hosts = tuple(host for group in cluster.groups for host in group.hosts)
        nodes = [snapshot.nodes[host] for host in hosts]
        requests = Requests(cluster, nodes)
        longest = cluster.partition_limits()
        cores = cluster.resources.index("cores")
        queue, running, left_out = _sorted_out(snapshot, partitions, now)
        self._forget(snapshot)
        jobs: dict[int, QueuedJob] = {}
        rows: dict[int, Request] = {}
        for job in queue:
            request = requests.of(job)
            k = self._known(job, request, cores, longest, now)
            jobs[k], rows[k] = job, request
        ends: dict[int, int] = {}
        places: dict[int, list[int]] = {}
        for job in running:
            request = requests.running(job)
            k = self._known(job, request, cores, longest, now)
            jobs[k], rows[k] = job, request
            begin = now if job.start == NOT_TOLD else job.start
            ends[k] = self._expected_end(job, k, begin, now)
            places[k] = requests.places(job.held)
        waiting = np.array(sorted(set(jobs) - set(ends)), np.int64)
        runs = np.array(sorted(ends), np.int64)
        shown, unused = _nodes(
            now, snapshot, nodes, rows, places, runs, self._columns.size, requests
        )
        column = self._columns.of
        view = View(
            now=now,
            procs=cluster.procs,
            free=unused,
            queue=waiting,
            running=runs,
            expected_end=np.array([ends[k] for k in runs.tolist()], np.int64),
            submit=column("submit"),
            demand=column("demand"),
            estimate=column("estimate"),
            limit=column("limit"),
            user=column("user"),
            group=column("group"),
            app=column("app"),
            queue_number=column("queue_number"),
            deadline=column("deadline"),
            memory=self.memory,
            nodes=shown,
        )
        return Shown(view, jobs, hosts, tuple(left_out))

    def _forget(self, snapshot: Snapshot) -> None:
        """Drop who is gone; begin anew if that are very many."""
        there = {job.id for job in snapshot.jobs}
        for id in [id for id in self._number if id not in there]:
            del self._number[id]
        for id in [id for id in self._begun if id not in there]:
            del self._begun[id]
        self.ours.forget(snapshot.jobs)
        if self._columns.size - len(self._number) > MOST_NUMBERS:
            self._columns, self._number, self.memory = Columns(), {}, None
            self._names = {kind: {} for kind in self._names}

    def _known(
        self,
        job: QueuedJob,
        request: Request,
        cores: int,
        longest: Mapping[str, int],
        now: int,
    ) -> int:
        """The number of a job, with what is known of it now."""
        k = self._number.get(job.id)
        if k is not None and job.waiting and job.id in self._begun:
            k = None  # it ran before and waits again: another job to a policy
            del self._begun[job.id]
        if not job.waiting:
            self._begun.setdefault(job.id, job.start)
        limit = limit_of(job, longest)
        values = {
            "submit": min(_came(job), now),
            "demand": max(request.units * request.per_unit[cores], 1),
            "estimate": limit,
            "limit": limit,
            "user": self._numbered("user", job.user),
            "group": self._numbered("group", job.account),
            "app": self._numbered("app", job.name),
            "queue_number": 0,
            "deadline": NO_DEADLINE,
        }
        if k is None:
            k = self._number[job.id] = self._columns.add(values)
        else:
            self._columns.set(k, values)
        return k

    def _numbered(self, kind: str, text: str) -> int:
        names = self._names[kind]
        return names.setdefault(text, len(names))

    def _expected_end(self, job: QueuedJob, k: int, begin: int, now: int) -> int:
        """When a job is expected to end: at its limit."""
        limit = 0 if job.state == "COMPLETING" else self._columns.value("limit", k)
        return max(begin + limit, now + 1)


def _sorted_out(
    snapshot: Snapshot, partitions: frozenset[str] | None, now: int
) -> tuple[list[QueuedJob], list[QueuedJob], list[QueuedJob]]:
    """Who is to be planned, who has nodes, and who is not our business."""
    queue: list[QueuedJob] = []
    running: list[QueuedJob] = []
    left_out: list[QueuedJob] = []
    for job in sorted(snapshot.jobs, key=lambda one: (_came(one), one.raw, one.id)):
        if not job.waiting:
            if job.state != "SUSPENDED" and job.held:
                running.append(job)
            continue
        if partitions is not None and not partitions & set(job.partitions):
            continue
        if job.for_room and not job.reservation and job.eligible <= now:
            queue.append(job)
        else:
            left_out.append(job)
    return queue, running, left_out


def _came(job: QueuedJob) -> int:
    """From when on a job waits for room."""
    return max(job.submit, job.eligible)


def limit_of(job: QueuedJob, longest: Mapping[str, int]) -> int:
    """The limit of a job; where it has none, that of its partition, or a year."""
    if job.limit > 0:
        return job.limit
    return max((longest[name] for name in job.partitions if name in longest), default=YEAR)


def _nodes(
    now: int,
    snapshot: Snapshot,
    nodes: list[NodeState],
    rows: Mapping[int, Request],
    places: Mapping[int, list[int]],
    runs: Ints,
    known: int,
    requests: Requests,
) -> tuple[Nodes, int]:
    """The nodes as a view shows them, and the cores that no job has, on nodes that come back, too."""
    cluster = snapshot.cluster
    resources, capacity = cluster.resources, cluster.capacity()
    units = np.ones(known, np.int64)
    per_unit = np.zeros((known, len(resources)), np.int64)
    where = np.zeros(known, np.int64)
    masks: dict[bytes, int] = {}
    tables: list[Ints] = []
    for k, request in rows.items():
        units[k], per_unit[k] = request.units, request.per_unit
        key = request.open.tobytes()
        if key not in masks:
            masks[key] = len(tables)
            tables.append(request.open)
        where[k] = masks[key]
    used = np.array(
        [[_used(node, name) for name in resources] for node in nodes], np.int64
    ).reshape(len(nodes), len(resources))
    cores = resources.index("cores")
    held, taken = allocation(runs, units, per_unit, places, used[:, cores], capacity, cores)
    free = np.maximum(capacity - np.maximum(used, taken), 0)
    usable = np.array([node.usable for node in nodes])
    free[~usable] = 0
    if not usable.all():  # what runs on a node that is drained gives nothing back
        parts = (held.of(place) for place in range(len(runs)))
        held = Allocation.from_parts(
            {node: count for node, count in part.items() if usable[node]} for part in parts
        )
    out = np.zeros(len(nodes), np.int64)
    for one in snapshot.reservations:
        if one.active:
            # Kept for others. A job that may use it waits with its name, and is theirs.
            there = requests.places(one.nodes)
            out[there] = np.maximum(out[there], max(one.end, now + 1))
    unused = int(free[:, cores].sum())
    free[out > 0] = 0
    shown = Nodes(
        resources,
        capacity,
        free,
        units,
        per_unit,
        held,
        where,
        np.stack(tables) if tables else np.ones((1, len(nodes)), np.int64),
        cluster.whole_nodes(),
        "first-fit",
        True,
        out,
    )
    for column in (free, units, per_unit, where, out, shown.open, shown.whole, capacity):
        column.setflags(write=False)
    return shown, unused


def _used(node: NodeState, resource: str) -> int:
    told = {"cores": node.used_cpus, "memory": node.used_memory, "gpus": node.used_gpus}
    return told.get(resource, 0)
