"""A snapshot: what Slurm shows at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from packwise.model.cluster import Cluster

#: In place of a time or a number that is not told.
NOT_TOLD = -1
#: Why a job waits: for room, or for its turn. Whoever waits for anything else is none of our business yet.
FOR_ROOM = (
    "None", "Priority", "Resources", "ReqNodeNotAvail", "Reservation", "SchedDefer", "Nodes required",
    "Required nodes", "NodeDown",
)  # fmt: skip

#: States of those who wait, the later ones held by somebody; and of those who have nodes.
_WAITING = frozenset(
    {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
)
_RUNNING = frozenset(
    {
        "RUNNING",
        "SUSPENDED",
        "CONFIGURING",
        "COMPLETING",
        "STAGE_OUT",
        "STOPPED",
        "SIGNALING",
        "RESIZING",
    }
)


class QueuedJob(NamedTuple):
    """A job as squeue shows it.

    ``id``: as people write it, 1234, 1234_7 or 1234+1; ``raw``: that of Slurm's own record, which tasks of an
    array share until they start. Times are seconds since 1970, memory is in MB. ``start``: that of a running
    job, or Slurm's own forecast. ``limit`` is NOT_TOLD where there is none. ``alone``: it has its nodes to
    itself.
    """

    id: str
    raw: int
    state: str
    reason: str
    user: str
    account: str
    partitions: tuple[str, ...]
    submit: int
    eligible: int
    start: int
    limit: int
    nodes: int
    cpus: int
    cpus_per_task: int
    memory: int
    gpus: int
    features: str
    alone: bool
    required: str
    excluded: str
    held: str
    priority: int
    reservation: str
    qos: str
    name: str

    @property
    def waiting(self) -> bool:
        return self.state in _WAITING

    @property
    def running(self) -> bool:
        """Whether it has nodes."""
        return self.state in _RUNNING

    @property
    def handle(self) -> str:
        """What Slurm's commands call it: its id; a part of a heterogeneous job has a number of its own."""
        return str(self.raw) if "+" in self.id else self.id

    @property
    def for_room(self) -> bool:
        """Whether it waits for room or for its turn, and for nothing else."""
        if "+" in self.id or self.reason.startswith("ReservationDeleted"):
            return False  # parts have to start together; the other one is held by Slurm
        return self.state == "PENDING" and self.reason.startswith(FOR_ROOM)


class NodeState(NamedTuple):
    """A node as it is now. ``usable``: whether jobs may start on it."""

    name: str
    state: str
    cpus: int
    used_cpus: int
    memory: int
    used_memory: int
    gpus: int
    used_gpus: int
    features: tuple[str, ...]
    weight: int
    usable: bool


class Reservation(NamedTuple):
    """Nodes that are kept for somebody for a time."""

    name: str
    begin: int
    end: int
    nodes: str
    users: str
    flags: str
    active: bool


class Diagnosis(NamedTuple):
    """What the controller says of itself; ``now`` is its clock. -1 for what it does not tell."""

    now: int
    threads: int
    agents: int
    main_cycle: int
    backfill_cycle: int


class Snapshot(NamedTuple):
    """All that was read in one go. ``remarks``: what could not be read, in words."""

    now: int
    cluster: Cluster
    nodes: Mapping[str, NodeState]
    jobs: tuple[QueuedJob, ...]
    reservations: tuple[Reservation, ...]
    diagnosis: Diagnosis
    remarks: tuple[str, ...] = ()
