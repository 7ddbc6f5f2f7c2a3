"""The cluster: groups of nodes, each node with capacities per resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST

PROCESSORS = "processors"


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """``count`` equal nodes; ``capacity`` maps a resource name to the amount on one node."""

    name: str
    count: int
    capacity: Mapping[str, int] = field(hash=False)

    def __post_init__(self) -> None:
        if not 1 <= self.count <= LARGEST:
            raise InputError(
                f"node group '{self.name}' should have 1 node or more, found {self.count}."
            )
        if not self.capacity or any(amount < 0 for amount in self.capacity.values()):
            raise InputError(
                f"node group '{self.name}' should have a capacity of 0 or more for at least one "
                f"resource, found {dict(self.capacity)}."
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
        """Processors in all."""
        return sum(group.count * group.capacity.get(PROCESSORS, 0) for group in self.groups)


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
