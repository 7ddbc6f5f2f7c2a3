"""The queue from ``squeue --json``, in both shapes that versions of Slurm write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from packwise.adapters.slurm.commands import SlurmError
from packwise.adapters.slurm.queue_text import readable_id, told
from packwise.adapters.slurm.snapshot import NOT_TOLD, QueuedJob
from packwise.workloads.records import json_shapes as shape
from packwise.workloads.records.values import limit, state_name, tres, whole

_TASKS = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?")
#: No array has more tasks than this (Slurm's own limit is 4 million; sites allow thousands).
_MOST_TASKS = 100_000
_ENDED = frozenset(
    {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
     "OUT_OF_MEMORY", "REVOKED"}
)  # fmt: skip


def read_queue_json(text: str, remarks: list[str]) -> Iterator[QueuedJob]:
    """The jobs of the document. Of one that cannot be read there is a remark."""
    try:
        document = json.loads(text)
        jobs = document["jobs"]
        assert isinstance(jobs, list)
    except (ValueError, RecursionError, KeyError, TypeError, AssertionError):
        raise SlurmError(
            "squeue --json: expected a document with a list 'jobs', found "
            f"{text[:60]!r}. Read text instead: --read text."
        ) from None
    for one in jobs:
        if isinstance(one, dict) and _state(one) in _ENDED:
            continue  # still remembered by the controller
        job = _job(one) if isinstance(one, dict) else None
        if job is None:
            remarks.append(
                f"a job of squeue --json could not be read: {str(one)[:60]!r}; it is left to Slurm"
            )
            continue
        told = shape.words(one.get("array_task_string"))
        tasks = array_tasks(told)
        if tasks is None:
            remarks.append(
                f"the tasks of array {job.id} could not be read: {told[:60]!r}; it is left to Slurm"
            )
            continue
        array = shape.number(shape.first(one.get("array_job_id"), one.get("job_id")))
        yield from (job._replace(id=f"{array}_{task}") for task in tasks) if tasks else (job,)


def array_tasks(text: str) -> list[int] | None:
    """The tasks of an array that wait in one record: 1-5%2, 0,3-9:3; an empty list if there are none, None if
    they cannot be read: a command for their common number would go to all of them.
    """
    found: list[int] = []
    for piece in filter(None, text.partition("%")[0].split(",")):
        match = _TASKS.fullmatch(piece)
        if match is None:
            return None
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        if last - first > _MOST_TASKS or step < 1 or len(found) > _MOST_TASKS:
            return None
        found += range(first, last + 1, step)
    return found


def _state(job: Mapping[str, Any]) -> str:
    """The state; of several COMPLETING first: such a job has ended, but still has its nodes."""
    told = job.get("job_state")
    words = (
        [state_name(word) for word in told if isinstance(word, str)]
        if isinstance(told, list)
        else []
    )
    return "COMPLETING" if "COMPLETING" in words else state_name(shape.words(told))


def _job(job: Mapping[str, Any]) -> QueuedJob | None:
    raw = shape.number(job.get("job_id"))
    name = shape.label(job, raw)
    numbers = {key: whole(shape.number(job.get(key))) for key in _NUMBERS}
    if whole(raw) < 1 or numbers["submit_time"] < 0 or numbers["cpus"] < 1 or not readable_id(name):
        return None
    seconds = limit(shape.limit(job.get("time_limit")))
    asked = tres(shape.words(job.get("tres_alloc_str")) or shape.words(job.get("tres_req_str")))
    return QueuedJob(
        id=name,
        raw=whole(raw),
        state=_state(job),
        reason=shape.words(job.get("state_reason")),
        user=told(shape.words(job.get("user_name"))),
        account=told(shape.words(job.get("account"))),
        partitions=tuple(filter(None, shape.words(job.get("partition")).split(","))),
        submit=numbers["submit_time"],
        eligible=_moment(numbers["eligible_time"]),
        start=_moment(numbers["start_time"]),
        limit=seconds if seconds > 0 else NOT_TOLD,
        nodes=max(numbers["node_count"], 1),
        cpus=numbers["cpus"],
        cpus_per_task=max(numbers["cpus_per_task"], 1),
        memory=max(asked.memory, 0),
        gpus=max(asked.gpus, 0),
        features=told(shape.words(job.get("features"))),
        alone=shape.words(job.get("shared")).lower() in ("none", "exclusive", "no"),
        required=told(shape.words(job.get("required_nodes"))),
        excluded=told(shape.words(job.get("excluded_nodes"))),
        held=told(shape.words(job.get("nodes"))),
        priority=max(numbers["priority"], 0),
        reservation=told(shape.words(job.get("resv_name"))),
        qos=told(shape.words(job.get("qos"))),
        name=shape.words(job.get("name")),
    )


_NUMBERS = (
    "submit_time", "eligible_time", "start_time", "node_count", "cpus", "cpus_per_task",
    "priority",
)  # fmt: skip


def _moment(found: int) -> int:
    return found if found > 0 else NOT_TOLD
