"""Foresight: when those who wait on a live Slurm will start, and what forecasts were worth so far.

The queue and what is known of the past become a situation and a history (see ``packwise.forecasting``), on one
clock; futures are replayed in the order of Slurm's own priorities.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise.adapters.slurm.kept_files import read_kept, write_kept
from packwise.adapters.slurm.ledger import limit_of
from packwise.adapters.slurm.requests import Requests
from packwise.adapters.slurm.seen import plain_name
from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot
from packwise.files.hostlists import hosts as listed
from packwise.forecasting import Calibration, Forecast, History, Situation, forecast_starts
from packwise.forecasting.calibration import Told
from packwise.forecasting.changes import Change, changes, worth_it
from packwise.forecasting.waits import LikeWaits
from packwise.model.cluster import Cluster, NodeGroup, Outage, Partition
from packwise.model.decision import Policy
from packwise.model.errors import InputError, PackwiseError
from packwise.model.schedule import NEVER
from packwise.model.workload import UNKNOWN
from packwise.readable import duration
from packwise.workloads.reading import read
from packwise.workloads.records.values import YEAR

NAME = "forecasts.json"
#: Of a partition.
NO_LIMIT = float("inf")
#: Of history, what forecasts look at.
_DAYS = 60
#: Where there is no history: time before now, for those who have waited for long.
_BEFORE = 400 * 86400


class Past(NamedTuple):
    """A history on its own clock, which begins at ``origin`` (seconds since 1970), and the names in it."""

    history: History | None
    origin: int
    users: dict[str, int]
    apps: dict[str, int]
    queues: dict[str, int]
    words: str


@dataclass
class Foresight:
    """Forecasts of a queue. ``policy`` is what serves it in the futures."""

    past: Past
    policy: Policy | str = "easy"
    count: int = 100
    seed: int = 0
    calibration: Calibration = field(default_factory=Calibration)

    def look(
        self,
        snapshot: Snapshot,
        jobs: list[str] | None = None,
        step: Callable[[], None] | None = None,
    ) -> Seen:
        """The forecast of those who wait for room, or of some of them by id. ``step`` is called after each
        future.
        """
        situation, numbers, origin = situation_of(snapshot, self.past)
        ids = {id: number for number, id in enumerate(numbers)}
        wanted = None if jobs is None else [ids[id] for id in jobs if id in ids]
        found = forecast_starts(
            situation,
            self.past.history,
            policy=self.policy,
            count=self.count,
            seed=self.seed,
            calibration=self.calibration,
            jobs=wanted,
            waits=LikeWaits(self.past.history),
            step=step,
        )
        return Seen(found, tuple(numbers), origin)

    def sooner(
        self, seen: Seen, job: QueuedJob, step: Callable[[int, int], None] | None = None
    ) -> list[Change]:
        """What would start a job sooner, in seconds since 1970 and on the scale of its forecast: what the
        futures tell of a change is stretched as calibration has stretched the job's median wait. Who has no
        limit keeps none, no limit is longer than the partition's, and of whole nodes no parts are left.
        """
        number, now = seen.ids.index(job.id), seen.forecast.now
        wait = seen.forecast.of(number).p50 - now
        middle = next(int(one.middle) for one in seen.forecast.told if one.job == number)
        if middle == 0:
            return []  # it starts at once in half of the futures
        futures = seen.forecast.futures
        limits = futures.situation.cluster.partition_limits()
        longest = max((limits.get(name, NO_LIMIT) for name in job.partitions), default=NO_LIMIT)
        every = changes(futures, number, policy=self.policy, useless=True, step=step)
        return worth_it(
            [
                one._replace(
                    words=one.words.replace("processors", "nodes") if job.alone else one.words,
                    start=now + (one.start - now) * wait // middle + seen.origin,
                    gain=one.gain * wait // middle,
                )
                for one in every
                if _possible(one, job, longest)
            ]
        )

    def remember(self, seen: Seen, now: int) -> None:
        """Keep what was told, for calibration; of an array one task, as they all fare alike."""
        told: dict[str, Told] = {}
        for one in seen.forecast.told:
            id = seen.ids[one.job]
            told.setdefault(id.partition("_")[0], one._replace(job=key(id), asked=now))
        self.calibration = self.calibration.asked(list(told.values()))

    def settle(self, snapshot: Snapshot) -> None:
        """Learn from those who have started."""
        starts = {key(job.id): job.start for job in snapshot.jobs if job.running and job.start > 0}
        self.calibration = self.calibration.settled(snapshot.now, starts)


def key(id: str) -> int:
    """A number for an id that stays the same when a task of an array gets a record of its own."""
    array, _, task = id.partition("+")[0].partition("_")
    return int(array) << 24 | (int(task) + 1 if task else 0)


class Seen(NamedTuple):
    """A forecast, with the ids of its jobs by their numbers in it."""

    forecast: Forecast
    ids: tuple[str, ...]
    origin: int

    def of(self, id: str) -> tuple[int, int, int]:
        """The quantiles of a job's start in seconds since 1970; NEVER if it has no place."""
        if id not in self.ids:
            return NEVER, NEVER, NEVER
        found = self.forecast.of(self.ids.index(id))
        return tuple(  # type: ignore[return-value]
            NEVER if at == NEVER else at + self.origin for at in (found.p10, found.p50, found.p90)
        )

    def every(self) -> dict[str, tuple[int, int, int]]:
        """Of all jobs, by id."""
        return {
            self.ids[one.job]: tuple(  # type: ignore[misc]
                NEVER if at == NEVER else at + self.origin for at in (one.p10, one.p50, one.p90)
            )
            for one in self.forecast
        }


def _possible(one: Change, job: QueuedJob, longest: float) -> bool:
    """Whether a job could ask for this: see ``Foresight.sooner``."""
    in_limits = one.limit <= longest if job.limit > 0 else one.given_up > 0
    return in_limits and (not job.alone or nodes_left(one.given_up, job) > 0)


def nodes_left(given_up: float, job: QueuedJob) -> int:
    """The nodes of a job that gives up this share of them: only whole ones."""
    return int(job.nodes * (1 - given_up) + 1e-6)


def coverage(known: tuple[Told, ...]) -> dict[str, float]:
    """The share of forecasts with a known outcome whose job had started by each quantile.

    Each is judged by those that were asked for before it: the first ones by the futures alone.
    """
    names = ("p10", "p50", "p90")
    if not known:
        return {}
    by = np.zeros(3)
    for place, one in enumerate(known):
        before = Calibration(known[max(0, place - 300) : place])
        by += one.outcome <= before.quantiles([one])[0]
    return dict(zip(names, (by / len(known)).tolist(), strict=True))


def read_past(log: Path | None, cluster: Cluster) -> Past:
    """The history of a log, as far as it tells starts; none if there is no log."""
    if log is None:
        return Past(
            None, 0, {}, {}, {}, "no history is known: run times are anything up to the limits"
        )
    try:
        workload = read(log, cluster=cluster).workload
        last = int(workload.submit.max())
        workload = workload.select(workload.submit >= last - _DAYS * 86400)
        history = History.of(workload)
    except PackwiseError as error:
        return Past(None, 0, {}, {}, {}, f"no history is known: {error}")
    users, apps, queues = (
        {name: k for k, name in enumerate(workload.names.get(kind, ()))}
        for kind in ("user", "app", "queue")
    )
    span = duration(last - int(workload.submit.min()))
    words = f"history: {len(workload):,} jobs of {span} ({log.name})"
    return Past(history, workload.start_time, users, apps, queues, words)


def situation_of(snapshot: Snapshot, past: Past) -> tuple[Situation, list[str], int]:
    """The queue as a situation on the clock of the past, the ids of its jobs by their numbers, and where that
    clock begins (seconds since 1970).

    Nodes that are out are not there, or, while jobs run on them, closed to others; those of
    reservations come back when these end. A job that may run in several partitions is in the first. Nodes
    that jobs name, or do not want, are not looked at.
    """
    cluster = _usable(snapshot)
    if cluster is None:
        raise InputError("no node of the cluster can be used now: nobody will start.")
    origin = past.origin if past.history is not None else snapshot.now - _BEFORE
    now = snapshot.now - origin
    hosts = [host for group in cluster.groups for host in group.hosts]
    requests = Requests(cluster, [snapshot.nodes[host] for host in hosts])
    longest = cluster.partition_limits()
    partition = {one.name: one.number for one in cluster.partitions}
    columns: dict[str, list[int]] = {
        name: []
        for name in ("id", "submit", "start", "demand", "limit", "user", "app", "queue", "units")
    }
    features: list[str] = []
    per_unit: list[tuple[int, ...]] = []
    where: list[int] = []
    priority: list[float] = []
    ids: list[str] = []
    cores = cluster.resources.index("cores")
    # At equal priorities and times the older one goes first.
    for job in sorted(snapshot.jobs, key=lambda one: (one.raw, len(one.id), one.id)):
        runs = job.running and job.start > 0 and bool(requests.places(job.held))
        if not runs and not (job.for_room and not job.reservation and job.eligible <= snapshot.now):
            continue
        request = requests.running(job) if runs else requests.of(job)
        theirs = [name for name in job.partitions if name in partition]
        if not any(request.per_unit) or (partition and not theirs):
            continue  # it has no place, as things are
        came = min(max(job.submit, job.eligible), job.start if runs else snapshot.now)
        values = {
            "id": len(ids),
            "submit": max(came - origin, 0),
            # One that began before all that is known has run for as long as that.
            "start": max(job.start - origin, 0) if runs else NEVER,
            "demand": max(request.units * request.per_unit[cores], 1),
            "limit": limit_of(job, longest),
            "user": past.users.get(job.user, len(past.users) + len(ids)),
            "app": past.apps.get(plain_name(job.name), UNKNOWN),
            "queue": past.queues.get(theirs[0] if theirs else "", UNKNOWN),
            "units": request.units,
        }
        for name, value in values.items():
            columns[name].append(value)
        per_unit.append(request.per_unit)
        where.append(partition[theirs[0]] if theirs else UNKNOWN)
        features.append(job.features)
        priority.append(float(job.priority))
        ids.append(job.id)
    if not ids:
        raise InputError("nobody runs or waits for room: there is nothing to forecast.")
    needs = np.array(per_unit, np.int64)
    told: dict[str, Any] = {name: np.array(values, np.int64) for name, values in columns.items()}
    told["start"] = np.minimum(told["start"], now)
    told["per_unit"] = {name: needs[:, k] for k, name in enumerate(cluster.resources)}
    words = sorted(set(filter(None, features)))
    told["extra"] = {
        "features": np.array([words.index(one) if one else UNKNOWN for one in features])
    }
    told["names"] = {"features": tuple(words)}
    if cluster.partitions:
        told["extra"]["partition"] = np.array(where, np.int64)
    situation = Situation.of(now, _on_clock(cluster, snapshot, hosts, now, origin), told)
    order = np.array(priority)[situation.jobs.id]
    return situation.in_order_of(order), ids, origin


def _usable(snapshot: Snapshot) -> Cluster | None:
    """The cluster without the nodes on which nothing can start or run."""
    groups: list[NodeGroup] = []
    for group in snapshot.cluster.groups:
        hosts = tuple(
            host
            for host in group.hosts
            if snapshot.nodes[host].usable or snapshot.nodes[host].used_cpus
        )
        if hosts:
            groups.append(replace(group, count=len(hosts), hosts=hosts))
    if not groups:
        return None
    names = {group.name for group in groups}
    partitions: list[Partition] = []
    for one in snapshot.cluster.partitions:
        kept = tuple(name for name in one.groups if name in names)
        if kept:
            partitions.append(replace(one, groups=kept))
    return replace(snapshot.cluster, groups=tuple(groups), partitions=tuple(partitions))


def _on_clock(
    cluster: Cluster, snapshot: Snapshot, hosts: list[str], now: int, origin: int
) -> Cluster:
    """With reservations as outages."""
    place = {host: k for k, host in enumerate(hosts)}
    closing = tuple(place[host] for host in hosts if not snapshot.nodes[host].usable)
    outages = [Outage(closing, now, now + 10 * YEAR, kill=False)] if closing else []
    for one in snapshot.reservations:
        try:
            nodes = tuple(sorted({place[host] for host in listed(one.nodes) if host in place}))
        except ValueError:
            nodes = ()
        begin, end = max(one.begin - origin, now), one.end - origin
        if nodes and end > begin:
            outages.append(Outage(nodes, begin, end, kill=False))
    return replace(cluster, outages=tuple(outages))


def load_forecasts(folder: Path) -> Calibration:
    """What is remembered of earlier forecasts; nothing, if that cannot be read."""
    try:
        return Calibration.from_document(json.loads(read_kept(folder, NAME)))
    except (OSError, ValueError, RecursionError, PackwiseError):
        return Calibration()


def save_forecasts(folder: Path, calibration: Calibration) -> None:
    """Write it, whole or not at all."""
    with write_kept(folder, NAME) as file:
        file.write(json.dumps(calibration.document()).encode())
