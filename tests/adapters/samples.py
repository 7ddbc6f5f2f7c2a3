"""Jobs, nodes and snapshots of a Slurm that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from packwise.adapters.slurm.machine import machine
from packwise.adapters.slurm.queue_text import FIELDS, SEPARATOR
from packwise.adapters.slurm.snapshot import (
    NOT_TOLD,
    Diagnosis,
    NodeState,
    QueuedJob,
    Reservation,
    Snapshot,
)

NOW = 1_800_000_000
MARK = SEPARATOR + "0123456789abcdef"
UNTOLD = Diagnosis(NOT_TOLD, NOT_TOLD, NOT_TOLD, NOT_TOLD, NOT_TOLD)

CELLS = {
    "JobArrayID": "12", "JobID": "12", "State": "PENDING", "Reason": "Priority", "UserName": "ann",
    "Account": "bio", "QOS": "normal", "Partition": "batch", "SubmitTime": str(NOW - 100),
    "EligibleTime": str(NOW - 90), "StartTime": "N/A", "TimeLimit": "1:00:00", "NumNodes": "2",
    "NumCPUs": "8", "cpus-per-task": "1",
    "tres-alloc": "cpu=8,mem=16G,node=2,billing=8,gres/gpu=2",
    "Feature": "(null)", "OverSubscribe": "OK", "ReqNodes": "", "NodeList": "",
    "PriorityLong": "4000", "Reservation": "(null)", "Name": "job",
}  # fmt: skip


def record(mark: str = MARK, **cells: str) -> str:
    """A job as ``squeue -O`` prints it; keys with - are written with _."""
    told = {**CELLS, **{key.replace("_", "-"): value for key, value in cells.items()}}
    return SEPARATOR.join(told[name] for name in FIELDS) + mark + "\n"


def job(id: str = "1", **told: Any) -> QueuedJob:
    """A job of one node and four cores that waits for its turn."""
    raw = int(id.partition("_")[0].partition("+")[0])
    usual: dict[str, Any] = {
        "id": id, "raw": raw, "state": "PENDING", "reason": "Priority", "user": "ann", "account": "bio",
        "partitions": ("batch",), "submit": NOW - 100, "eligible": NOW - 100, "start": NOT_TOLD,
        "limit": 3600, "nodes": 1, "cpus": 4, "cpus_per_task": 1, "memory": 0, "gpus": 0,
        "features": "", "alone": False, "required": "", "excluded": "", "held": "",
        "priority": 1000, "reservation": "", "qos": "", "name": "job",
    }  # fmt: skip
    return QueuedJob(**{**usual, **told})


def runs(id: str, held: str, **told: Any) -> QueuedJob:
    """A job that has nodes."""
    usual = {"state": "RUNNING", "reason": "None", "held": held, "start": NOW - 600}
    return job(id, **{**usual, **told})


def node(name: str, used: int = 0, **told: Any) -> NodeState:
    """A node of four cores."""
    usual: dict[str, Any] = {
        "state": "IDLE", "cpus": 4, "used_cpus": used, "memory": 8000, "used_memory": 0, "gpus": 0,
        "used_gpus": 0, "features": (), "weight": 1, "usable": True,
    }  # fmt: skip
    return NodeState(name=name, **{**usual, **told})


SETTINGS = {"clustername": "toy", "selecttypeparameters": "CR_CORE"}


def snapshot(
    jobs: Iterable[QueuedJob] = (),
    nodes: Iterable[NodeState] | None = None,
    *,
    now: int = NOW,
    reservations: Iterable[Reservation] = (),
    partitions: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Snapshot:
    """A snapshot; by default of four nodes in a partition 'batch'."""
    there = [node(f"n{k}") for k in range(1, 5)] if nodes is None else list(nodes)
    listed = partitions or {"batch": ",".join(one.name for one in there)}
    told = [{"partitionname": name, "nodes": text} for name, text in listed.items()]
    remarks: list[str] = []
    cluster = machine({**SETTINGS, **(settings or {})}, there, told, remarks)
    by_name = {one.name: one for one in there}
    return Snapshot(now, cluster, by_name, tuple(jobs), tuple(reservations), UNTOLD, tuple(remarks))


#: Flags of the reservation that drive of earlier versions made, as Slurm shows them.
OF_DRIVE = "FLEX,IGNORE_JOBS,SPEC_NODES,NO_HOLD_JOBS_AFTER_END"


def reservation(
    name: str,
    nodes: str,
    end: int = NOW + 500,
    begin: int = NOW - 10,
    active: bool = True,
    flags: str = "",
) -> Reservation:
    return Reservation(name, begin, end, nodes, "root", flags, active)
