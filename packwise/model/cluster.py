"""The cluster: groups of nodes, each node with capacities per resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np

from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.sleep import SleepState
from packwise.model.errors import InputError, UnknownName
from packwise.model.sizing import TOLD, Sizing
from packwise.model.workload import CORES, LARGEST, Ints

PROCESSORS = "processors"
#: More nodes than any cluster has: a slip of the pen.
MOST_NODES = 10_000_000
#: What most clusters have, in the order in which people list it; others follow by name.
_USUAL = (PROCESSORS, CORES, "memory", "gpus", "mics")


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """``count`` equal nodes; ``capacity`` maps a resource name to the amount on one node.

    Amounts are whole numbers: cores, memory in MB, GPUs. ``shared``: whether several jobs may be on one node
    at a time; else a job has its nodes to itself. ``hosts``: what the nodes are called, if that is known;
    ``features``: what jobs can ask of nodes by name.
    """

    name: str
    count: int
    capacity: Mapping[str, int] = field(hash=False)
    shared: bool = True
    hosts: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hosts", tuple(self.hosts))
        object.__setattr__(self, "features", tuple(self.features))
        if self.hosts and len(self.hosts) != self.count:
            raise InputError(
                f"node group '{self.name}' should have a name for each of its {self.count} nodes, or none; "
                f"found {len(self.hosts)}."
            )
        if not _is_whole(self.count) or not 1 <= self.count <= LARGEST:
            raise InputError(
                f"node group '{self.name}' should have 1 node or more, found {self.count!r}."
            )
        if not self.capacity or not any(self.capacity.values()):
            raise InputError(
                f"node group '{self.name}' should have something on its nodes, such as cores = 16; found "
                f"{dict(self.capacity)}."
            )
        for resource, amount in self.capacity.items():
            if not _is_whole(amount) or not 0 <= amount <= LARGEST:
                raise InputError(
                    f"node group '{self.name}': {resource} should be a whole number between 0 and {LARGEST}, "
                    f"found {amount!r}."
                )
        object.__setattr__(self, "capacity", MappingProxyType(dict(self.capacity)))


@dataclass(frozen=True, slots=True)
class Partition:
    """Node groups on which the jobs of a partition may run. ``number`` is how a workload calls it.
    ``longest``: the limit of jobs there in seconds, where it is known. ``factor`` and ``tier``: Slurm's
    PriorityJobFactor and PriorityTier.
    """

    name: str
    number: int
    groups: tuple[str, ...]
    longest: int | None = None
    factor: int = 1
    tier: int = 1


@dataclass(frozen=True, slots=True)
class Outage:
    """Nodes, by their numbers, on which nothing starts from ``begin`` until ``end`` (seconds on the workload's
    clock). With ``kill``, jobs that run on them are killed when it begins, and wait again; else they go on.
    """

    nodes: tuple[int, ...]
    begin: int
    end: int
    kill: bool = True


@dataclass(frozen=True, slots=True)
class Cluster:
    """What jobs run on. ``Cluster.pool(R)`` is the simplest: R identical processors.

    Without ``partitions`` every job may run on every node. Of ``outages`` a scheduler learns when they begin.
    ``energy``, where it is known: what power costs there; it is not part of ``document``. ``scheduler``: the
    settings of its Slurm that differ from the defaults, by name in lower case (see ``slurm_settings``).
    ``sizing``: how its size is known; like ``energy`` it is not part of ``document``.
    """

    name: str
    groups: tuple[NodeGroup, ...]
    partitions: tuple[Partition, ...] = ()
    outages: tuple[Outage, ...] = ()
    energy: EnergyScenario | None = field(default=None, compare=False)
    scheduler: Mapping[str, str] = field(default_factory=dict, hash=False)
    sizing: Sizing = field(default=TOLD, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scheduler", MappingProxyType(dict(self.scheduler)))
        if not self.groups:
            raise InputError(f"cluster '{self.name}' should have at least one node group.")
        names = [group.name for group in self.groups]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"cluster '{self.name}' has two node groups '{twice}'. Rename one.")
        for partition in self.partitions:
            if not partition.groups:
                raise InputError(
                    f"cluster '{self.name}': partition '{partition.name}' has no nodes. Name groups: "
                    f"{', '.join(names)}."
                )
            for group in partition.groups:
                if group not in names:
                    raise UnknownName(
                        f"node group of partition '{partition.name}' of cluster '{self.name}':",
                        group,
                        names,
                    )
        numbers = [partition.number for partition in self.partitions]
        if len(set(numbers)) < len(numbers):
            raise InputError(
                f"cluster '{self.name}': each partition should have a number of its own, found {numbers}."
            )
        if not self.is_pool and any(PROCESSORS in group.capacity for group in self.groups):
            raise InputError(
                f"cluster '{self.name}': the processors of a node are its cores. Write cores = 16."
            )
        if self.nodes > MOST_NODES and not self.is_pool:
            largest = max(self.groups, key=lambda group: group.count)
            raise InputError(
                f"cluster '{self.name}' should have {MOST_NODES:,} nodes at most, found {self.nodes:,}; group "
                f"'{largest.name}' has {largest.count:,}."
            )
        self._check_outages()
        if self.procs > LARGEST:
            raise InputError(
                f"cluster '{self.name}' should have {LARGEST} cores at most, found {self.procs}."
            )
        if self.procs < 1:
            raise InputError(
                f"cluster '{self.name}' should have at least one core, found none. Write cores = 16 in a group."
            )

    def _check_outages(self) -> None:
        if self.outages and self.is_pool:
            raise InputError(
                f"cluster '{self.name}': an outage is of nodes, and a pool of processors has none."
            )
        for outage in self.outages:
            times = (outage.begin, outage.end)
            if not all(map(_is_whole, times)) or not 0 <= outage.begin < outage.end <= LARGEST:
                raise InputError(
                    f"cluster '{self.name}': an outage should begin at 0 s or later and end after that, in "
                    f"whole seconds; found {outage.begin} to {outage.end}."
                )
            wrong = [n for n in outage.nodes if not _is_whole(n) or not 0 <= n < self.nodes]
            if wrong or not outage.nodes:
                raise InputError(
                    f"cluster '{self.name}': an outage should name nodes from 0 to {self.nodes - 1}, found "
                    f"{wrong[0] if wrong else 'none'}."
                )

    @classmethod
    def pool(cls, procs: int, name: str = "pool", sizing: Sizing = TOLD) -> Cluster:
        """R identical processors, any of which serves any job."""
        if not _is_whole(procs) or not 1 <= procs <= LARGEST:
            raise InputError(
                f"a pool should have between 1 and {LARGEST} processors, found {procs!r}."
            )
        return cls(name, (NodeGroup("processors", int(procs), {PROCESSORS: 1}),), sizing=sizing)

    def partition_limits(self) -> dict[str, int]:
        """The limit of jobs by name of the partition, where it has one."""
        return {one.name: one.longest for one in self.partitions if one.longest is not None}

    def document(self) -> dict[str, Any]:
        """The cluster as plain values, for JSON; ``from_document`` takes them back."""
        groups = [
            {
                "name": g.name,
                "count": g.count,
                "shared": g.shared,
                "capacity": dict(g.capacity),
                **({"hosts": list(g.hosts)} if g.hosts else {}),
                **({"features": list(g.features)} if g.features else {}),
            }
            for g in self.groups
        ]
        partitions = [
            {
                "name": p.name,
                "number": p.number,
                "groups": list(p.groups),
                **({} if p.longest is None else {"longest": p.longest}),
                **({} if p.factor == 1 else {"factor": p.factor}),
                **({} if p.tier == 1 else {"tier": p.tier}),
            }
            for p in self.partitions
        ]
        outages = [
            {"nodes": list(o.nodes), "begin": o.begin, "end": o.end, "kill": o.kill}
            for o in self.outages
        ]
        return {
            "name": self.name,
            "groups": groups,
            "partitions": partitions,
            **({"outages": outages} if outages else {}),
            **({"scheduler": dict(self.scheduler)} if self.scheduler else {}),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Cluster:
        """The cluster that ``document`` described."""
        try:
            groups = [NodeGroup(**group) for group in document["groups"]]
            partitions = [
                Partition(**{**one, "groups": tuple(one["groups"])})
                for one in document["partitions"]
            ]
            outages = [
                Outage(tuple(one["nodes"]), one["begin"], one["end"], one["kill"])
                for one in document.get("outages", [])
            ]
            told = document.get("scheduler", {})
            return cls(
                document["name"], tuple(groups), tuple(partitions), tuple(outages), scheduler=told
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"a cluster should have a name, groups and partitions ({type(error).__name__}: {error})."
            ) from error

    @property
    def is_pool(self) -> bool:
        """Whether this is R identical processors: the case with the fast engine."""
        return len(self.groups) == 1 and dict(self.groups[0].capacity) == {PROCESSORS: 1}

    @property
    def sleep(self) -> SleepState | None:
        """How its nodes sleep, if jobs have to wait for them to boot."""
        found = None if self.energy is None else self.energy.sleep
        return found if found is not None and found.boot_time > 0 else None

    @property
    def procs(self) -> int:
        """Processors in all: the cores of all nodes."""
        return sum(
            group.count * group.capacity.get(name, 0)
            for group in self.groups
            for name in (PROCESSORS, CORES)
        )

    @property
    def nodes(self) -> int:
        """Nodes in all. They are numbered from 0, group by group."""
        return sum(group.count for group in self.groups)

    @property
    def resources(self) -> tuple[str, ...]:
        """What there is on any node, by name."""
        there = {name for group in self.groups for name, amount in group.capacity.items() if amount}
        return (*(name for name in _USUAL if name in there), *sorted(there - set(_USUAL)))

    def totals(self) -> dict[str, int]:
        """What there is of each resource on all nodes together; ``cores`` are the processors of a pool, too."""
        sums = self.capacity_by_group().T @ np.array([group.count for group in self.groups])
        return {**dict(zip(self.resources, sums.tolist(), strict=True)), CORES: self.procs}

    def capacity(self) -> Ints:
        """What each node has: a row for each node, a column for each of ``resources``."""
        return np.repeat(self.capacity_by_group(), [group.count for group in self.groups], axis=0)

    def capacity_by_group(self) -> Ints:
        """What one node of each group has: a row for each group."""
        rows = [[group.capacity.get(name, 0) for name in self.resources] for group in self.groups]
        return np.array(rows, np.int64)

    def whole_nodes(self) -> Ints:
        """Which nodes a job has to itself: 1, or 0 for those that jobs share."""
        whole = [int(not group.shared) for group in self.groups]
        return np.repeat(np.array(whole, np.int64), [group.count for group in self.groups])

    def open_to(self, partition: Partition) -> Ints:
        """The nodes of a partition: 1, or 0 for those that are not."""
        there = [int(group.name in partition.groups) for group in self.groups]
        return np.repeat(np.array(there, np.int64), [group.count for group in self.groups])

    def nodes_named(self, name: str) -> range | None:
        """The nodes of a group, or one node, by name; None if there is no such thing."""
        first = 0
        for group in self.groups:
            if name == group.name:
                return range(first, first + group.count)
            if name in group.hosts:
                place = first + group.hosts.index(name)
                return range(place, place + 1)
            number = name.removeprefix(f"{group.name}-")
            if number != name and number.isascii() and number.isdigit() and len(number) < 16:
                place = int(number)
                if 1 <= place <= group.count:
                    return range(first + place - 1, first + place)
            first += group.count
        return None

    def node_name(self, node: int) -> str:
        """A node by what it is called, or else by its group and its place in it, counted from 1: gpu-3."""
        for group in self.groups:
            if node < group.count:
                return group.hosts[node] if group.hosts else f"{group.name}-{node + 1}"
            node -= group.count
        raise InputError(f"cluster '{self.name}' has nodes 0 to {self.nodes - 1}.")


def node_names(cluster: Cluster, nodes: Ints, most: int = 3) -> str:
    """Nodes by name, those of a group that follow each other together: gpu-[1-4,7]; up to so many ranges."""
    if any(group.hosts for group in cluster.groups):
        named = [cluster.node_name(node) for node in np.sort(nodes[: most + 1]).tolist()]
        rest = len(nodes) - most
        return ", ".join(named[:most]) + (f" and {rest:,} more" if rest > 0 else "")
    first, ranges = 0, []
    for group in cluster.groups:
        there = np.sort(nodes[(nodes >= first) & (nodes < first + group.count)]) - first + 1
        breaks = np.flatnonzero(np.diff(there) > 1) + 1
        for part in np.split(there, breaks) if there.size else []:
            low, high = int(part[0]), int(part[-1])
            ranges.append((group.name, f"{low}-{high}" if high > low else f"{low}", high - low + 1))
        first += group.count
    shown: dict[str, list[str]] = {}
    for name, text, _ in ranges[:most]:
        shown.setdefault(name, []).append(text)
    words = [
        f"{name}-[{','.join(texts)}]" if len(texts) > 1 or "-" in texts[0] else f"{name}-{texts[0]}"
        for name, texts in shown.items()
    ]
    more = sum(count for _, _, count in ranges[most:])
    return ", ".join(words) + (f" and {more:,} more" if more else "")


def as_cluster(given: Cluster | int) -> Cluster:
    """The cluster that is given; a whole number stands for a pool of that many processors."""
    if isinstance(given, Cluster):
        return given
    if not _is_whole(given):
        raise InputError(
            f"expected a cluster or a number of processors, found {given!r}. Write Cluster.pool(128), or "
            "128."
        )
    return Cluster.pool(given)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
