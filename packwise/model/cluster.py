"""The cluster: groups of nodes, each node with capacities per resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import CORES, LARGEST, Ints

PROCESSORS = "processors"
#: What most clusters have, in the order in which people list it; others follow by name.
_USUAL = (PROCESSORS, CORES, "memory", "gpus", "mics")


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """``count`` equal nodes; ``capacity`` maps a resource name to the amount on one node.

    Amounts are whole numbers: cores, memory in MB, GPUs. ``shared``: whether several jobs may be on one node
    at a time; else a job has its nodes to itself.
    """

    name: str
    count: int
    capacity: Mapping[str, int] = field(hash=False)
    shared: bool = True

    def __post_init__(self) -> None:
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
class Cluster:
    """What jobs run on. ``Cluster.pool(R)`` is the simplest: R identical processors."""

    name: str
    groups: tuple[NodeGroup, ...]

    def __post_init__(self) -> None:
        if not self.groups:
            raise InputError(f"cluster '{self.name}' should have at least one node group.")
        names = [group.name for group in self.groups]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"cluster '{self.name}' has two node groups '{twice}'. Rename one.")
        if not self.is_pool and any(PROCESSORS in group.capacity for group in self.groups):
            raise InputError(
                f"cluster '{self.name}': the processors of a node are its cores. Write cores = 16."
            )
        if self.procs < 1:
            raise InputError(
                f"cluster '{self.name}' should have at least one core, found none. Give a node group cores = 16."
            )

    @classmethod
    def pool(cls, procs: int, name: str = "pool") -> Cluster:
        """R identical processors, any of which serves any job."""
        if not _is_whole(procs) or not 1 <= procs <= LARGEST:
            raise InputError(
                f"a pool should have between 1 and {LARGEST} processors, found {procs!r}."
            )
        return cls(name, (NodeGroup("processors", int(procs), {PROCESSORS: 1}),))

    @property
    def is_pool(self) -> bool:
        """Whether this is R identical processors: the case with the fast engine."""
        return len(self.groups) == 1 and dict(self.groups[0].capacity) == {PROCESSORS: 1}

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

    def capacity(self) -> Ints:
        """What each node has: a row for each node, a column for each of ``resources``."""
        rows = [[group.capacity.get(name, 0) for name in self.resources] for group in self.groups]
        return np.repeat(np.array(rows, np.int64), [group.count for group in self.groups], axis=0)

    def whole_nodes(self) -> Ints:
        """Which nodes a job has to itself: 1, or 0 for those that jobs share."""
        whole = [int(not group.shared) for group in self.groups]
        return np.repeat(np.array(whole, np.int64), [group.count for group in self.groups])

    def node_name(self, node: int) -> str:
        """A node by its group and its place in it, counted from 1: gpu-3."""
        for group in self.groups:
            if node < group.count:
                return f"{group.name}-{node + 1}"
            node -= group.count
        raise InputError(f"cluster '{self.name}' has nodes 0 to {self.nodes - 1}.")


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
