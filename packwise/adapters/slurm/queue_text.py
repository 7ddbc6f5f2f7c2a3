"""The queue from ``squeue -O``.

Names of jobs are what users have written, newlines and all. They come last in a record, and a record ends with
a word drawn anew for each call, so that no name can pass for a record.
"""

from __future__ import annotations

from collections.abc import Iterator

from packwise.adapters.slurm.snapshot import NOT_TOLD, QueuedJob
from packwise.workloads.records.values import (
    OF_PARTITION,
    is_told,
    limit,
    state_name,
    tres,
    whole,
)

#: Between fields: a character that no other field than the name can have.
SEPARATOR = "\x1f"
FIELDS = (
    "JobArrayID", "JobID", "State", "Reason", "UserName", "Account", "QOS", "Partition", "SubmitTime",
    "EligibleTime", "StartTime", "TimeLimit", "NumNodes", "NumCPUs", "cpus-per-task",
    "tres-alloc", "Feature", "OverSubscribe", "ReqNodes", "NodeList",
    "PriorityLong", "Reservation", "Name",
)  # fmt: skip


def fields(mark: str) -> str:
    """What squeue is asked to print; each record ends with ``mark``."""
    return ",".join([f"{name}:{SEPARATOR}" for name in FIELDS[:-1]] + [f"{FIELDS[-1]}:{mark}"])


def read_queue(text: str, mark: str, remarks: list[str]) -> Iterator[QueuedJob]:
    """The jobs of what squeue has printed. Of a record that cannot be read there is a remark."""
    for record in text.split(mark)[:-1]:
        cells = record.lstrip("\n").split(SEPARATOR, len(FIELDS) - 1)
        job = _job(cells) if len(cells) == len(FIELDS) else None
        if job is None:
            remarks.append(
                f"a record of squeue could not be read: {record.strip()[:60]!r}; that job is left to Slurm"
            )
        else:
            yield job


def read_excluded(text: str) -> dict[str, str]:
    """Nodes that jobs do not want, by id: of ``squeue -o '%i<separator>%x'``."""
    pairs = (line.split(SEPARATOR, 1) for line in text.splitlines())
    return {pair[0]: told(pair[1]) for pair in pairs if len(pair) == 2 and is_told(pair[1])}


def _job(cells: list[str]) -> QueuedJob | None:
    """A job, or None if a number of it is none."""
    name = cells[-1]
    cell = dict(zip(FIELDS, (text.strip() for text in cells), strict=True))
    numbers = {
        key: whole(cell[key])
        for key in ("JobID", "SubmitTime", "NumNodes", "NumCPUs", "cpus-per-task")
    }
    asked = tres(cell["tres-alloc"])
    seconds = limit(cell["TimeLimit"])
    if numbers["JobID"] < 1 or numbers["SubmitTime"] < 0 or numbers["NumCPUs"] < 1:
        return None
    if not readable_id(cell["JobArrayID"]):
        return None
    return QueuedJob(
        id=cell["JobArrayID"],
        raw=numbers["JobID"],
        state=state_name(cell["State"]),
        reason=cell["Reason"],
        user=told(cell["UserName"]),
        account=told(cell["Account"]),
        partitions=tuple(filter(None, cell["Partition"].split(","))),
        submit=numbers["SubmitTime"],
        eligible=moment(cell["EligibleTime"]),
        start=moment(cell["StartTime"]),
        limit=seconds if seconds > 0 or seconds == OF_PARTITION else NOT_TOLD,
        nodes=max(numbers["NumNodes"], 1),
        cpus=numbers["NumCPUs"],
        cpus_per_task=max(numbers["cpus-per-task"], 1),
        memory=max(asked.memory, 0),
        gpus=max(asked.gpus, 0),
        features=told(cell["Feature"]),
        alone=cell["OverSubscribe"].upper() in ("NO", "EXCLUSIVE"),
        required=told(cell["ReqNodes"]),
        excluded="",
        held=told(cell["NodeList"]),
        priority=max(whole(cell["PriorityLong"]), 0),
        reservation=told(cell["Reservation"]),
        qos=told(cell["QOS"]),
        name=name.rstrip("\n"),
    )


def valid_id(text: str) -> bool:
    """Whether this is an id of one job, or of one task of an array: 1234, 1234_7."""
    number, underscore, task = text.partition("_")
    parts = [number, task] if underscore else [number]
    return all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts)


def readable_id(text: str) -> bool:
    """The same, or that of a part of a heterogeneous job, 1234+1: it is seen, and never written to."""
    number, plus, part = text.partition("+")
    return valid_id(text) or bool(plus and "_" not in text and valid_id(number) and valid_id(part))


def told(text: str) -> str:
    """A cell, or nothing if it says that there is nothing."""
    return text if is_told(text) else ""


def moment(text: str) -> int:
    found = whole(text)
    return found if found > 0 else NOT_TOLD
