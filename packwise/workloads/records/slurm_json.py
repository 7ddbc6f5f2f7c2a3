"""Records that ``sacct --json`` and ``squeue --json`` write, as plain numbers (until 22.05) or as {"set",
"infinite", "number"} (since 23.02).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from packwise.files.content import file_content
from packwise.model.errors import FormatError
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.json_shapes import (
    first,
    inside,
    label,
    limit,
    moment,
    number,
    part,
    shown,
    words,
)
from packwise.workloads.records.meanings import Meaning
from packwise.workloads.records.times import Clock

_MEANINGS = (
    Meaning("raw_id"), Meaning("id"), Meaning("submit"), Meaning("eligible"), Meaning("start"), Meaning("end"),
    Meaning("elapsed", "s"), Meaning("limit", "min"), Meaning("cpus"), Meaning("nodes"), Meaning("req_cpus"),
    Meaning("alloc_tres"), Meaning("req_tres"), Meaning("user"), Meaning("group"), Meaning("account"),
    Meaning("partition"), Meaning("qos"), Meaning("name"), Meaning("state"), Meaning("cluster"),
    Meaning("node_list"), Meaning("features"), Meaning("priority"), Meaning("exit_code"),
)  # fmt: skip


def load_json(path: str | os.PathLike[str]) -> Any:
    """The document of a JSON file."""
    try:
        return json.loads(file_content(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            str(path),
            expected="JSON",
            found=f"{error}"[:120],
            remedy="Check that the file was copied or downloaded completely.",
        ) from error


def is_slurm_json(document: Any) -> bool:
    """Whether a document is of Slurm: jobs, each with a job_id."""
    jobs = document.get("jobs") if isinstance(document, dict) else None
    return (
        isinstance(jobs, list)
        and "profiles" not in document
        and (not jobs or any(isinstance(job, dict) and "job_id" in job for job in jobs))
    )


def read_slurm_json(
    path: str | os.PathLike[str], document: Mapping[str, Any], clock: Clock
) -> Records:
    """The jobs of the document."""
    import polars as pl

    collector = Collector(str(path), "sacct or squeue --json", clock)
    rows = []
    for place, job in enumerate(document["jobs"], 1):
        if isinstance(job, dict) and "job_id" in job:
            rows.append(_row(job))
            collector.leave_out("steps of jobs", _length(job.get("steps")))
        else:
            collector.refuse(place, shown(job), "no job with a job_id")
    columns = zip(_MEANINGS, zip(*rows, strict=True), strict=True) if rows else ()
    collector.add({one.name: (one, pl.Series(cells, dtype=pl.String)) for one, cells in columns})
    jobs = [job for job in document["jobs"] if isinstance(job, dict)]
    return collector.records(of_queue=bool(jobs) and not any("time" in job for job in jobs))


def _row(job: Mapping[str, Any]) -> list[str]:
    """The cells of one job, of the data base (sacct) or of the queue (squeue)."""
    time = part(job, "time")
    tres = part(job, "tres")
    required = part(job, "required")
    state = first(inside(job, "state", "current"), job.get("job_state"))
    word = words(state)
    start = number(time.get("start", job.get("start_time")))
    end = number(time.get("end", job.get("end_time")))
    pending = word.upper().startswith("PENDING")
    running = word.upper().startswith(("RUNNING", "SUSPENDED"))
    raw = number(job.get("job_id"))
    return [
        raw,
        label(job, raw),
        moment(number(time.get("submission", job.get("submit_time")))),
        moment(number(time.get("eligible", job.get("eligible_time")))),
        "" if pending else moment(start),
        "" if pending or running else moment(end),
        number(time.get("elapsed")),
        limit(time.get("limit", job.get("time_limit"))),
        number(job.get("cpus")),
        number(first(job.get("allocation_nodes"), job.get("node_count"))),
        number(required.get("CPUs", job.get("cpus"))),
        _tres(tres.get("allocated", job.get("tres_alloc_str"))),
        _tres(tres.get("requested", job.get("tres_req_str"))),
        words(first(inside(job, "association", "user"), job.get("user"), job.get("user_name"))),
        words(first(job.get("group"), job.get("group_name"))),
        words(job.get("account")),
        words(job.get("partition")),
        words(job.get("qos")),
        words(first(job.get("name"))),
        word,
        words(job.get("cluster")),
        words(job.get("nodes")),
        words(first(job.get("constraints"), job.get("features"))),
        number(job.get("priority")),
        number(inside(job, "exit_code", "return_code")),
    ]  # fmt: skip


def _tres(value: Any) -> str:
    """[{"type": "cpu", "count": 32}, ...] as text; squeue has the text itself."""
    if not isinstance(value, list):
        return words(value)
    parts = []
    for one in value:
        if isinstance(one, dict) and isinstance(one.get("count"), int):
            kind, name = words(one.get("type")), words(one.get("name"))
            unit = "M" if kind == "mem" else ""
            parts.append(f"{kind}{f'/{name}' if name else ''}={one['count']}{unit}")
    return ",".join(parts)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0
