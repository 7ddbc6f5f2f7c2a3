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
            collector.refuse(place, str(job), "no job with a job_id")
    columns = zip(_MEANINGS, zip(*rows, strict=True), strict=True) if rows else ()
    collector.add({one.name: (one, pl.Series(cells, dtype=pl.String)) for one, cells in columns})
    jobs = [job for job in document["jobs"] if isinstance(job, dict)]
    return collector.records(of_queue=bool(jobs) and not any("time" in job for job in jobs))


def _row(job: Mapping[str, Any]) -> list[str]:
    """The cells of one job, of the data base (sacct) or of the queue (squeue)."""
    time = _part(job, "time")
    tres = _part(job, "tres")
    required = _part(job, "required")
    state = _first(_inside(job, "state", "current"), job.get("job_state"))
    word = _words(state)
    start = _number(time.get("start", job.get("start_time")))
    end = _number(time.get("end", job.get("end_time")))
    pending = word.upper().startswith("PENDING")
    running = word.upper().startswith(("RUNNING", "SUSPENDED"))
    raw = _number(job.get("job_id"))
    return [
        raw,
        _label(job, raw),
        _moment(_number(time.get("submission", job.get("submit_time")))),
        _moment(_number(time.get("eligible", job.get("eligible_time")))),
        "" if pending else _moment(start),
        "" if pending or running else _moment(end),
        _number(time.get("elapsed")),
        _limit(time.get("limit", job.get("time_limit"))),
        _number(job.get("cpus")),
        _number(_first(job.get("allocation_nodes"), job.get("node_count"))),
        _number(required.get("CPUs", job.get("cpus"))),
        _tres(tres.get("allocated", job.get("tres_alloc_str"))),
        _tres(tres.get("requested", job.get("tres_req_str"))),
        _words(_first(_inside(job, "association", "user"), job.get("user"), job.get("user_name"))),
        _words(_first(job.get("group"), job.get("group_name"))),
        _words(job.get("account")),
        _words(job.get("partition")),
        _words(job.get("qos")),
        _words(_first(job.get("name"))),
        word,
        _words(job.get("cluster")),
        _words(job.get("nodes")),
        _words(_first(job.get("constraints"), job.get("features"))),
        _number(job.get("priority")),
        _number(_inside(job, "exit_code", "return_code")),
    ]  # fmt: skip


def _part(job: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = job.get(key)
    return found if isinstance(found, dict) else {}


def _inside(job: Mapping[str, Any], *keys: str) -> Any:
    found: Any = job
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _first(*values: Any) -> Any:
    return next((value for value in values if value not in (None, "", [])), None)


def _words(value: Any) -> str:
    """A text; of a list, its first."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""


def _number(value: Any) -> str:
    """A number of either shape; nothing if it is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) else None
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(value)


def _moment(text: str) -> str:
    """0 stands for a time that is not known."""
    return "" if text == "0" else text


def _limit(value: Any) -> str:
    if isinstance(value, dict) and value.get("infinite"):
        return "UNLIMITED"
    return "UNLIMITED" if value in ("UNLIMITED", 4294967295) else _number(value)


def _tres(value: Any) -> str:
    """[{"type": "cpu", "count": 32}, ...] as text; squeue has the text itself."""
    if not isinstance(value, list):
        return _words(value)
    parts = []
    for one in value:
        if isinstance(one, dict) and isinstance(one.get("count"), int):
            kind, name = _words(one.get("type")), _words(one.get("name"))
            unit = "M" if kind == "mem" else ""
            parts.append(f"{kind}{f'/{name}' if name else ''}={one['count']}{unit}")
    return ",".join(parts)


def _label(job: Mapping[str, Any], raw: str) -> str:
    """The id as people write it: of an array, of a heterogeneous job."""
    array = _number(_first(_inside(job, "array", "job_id"), job.get("array_job_id")))
    task = _number(_inside(job, "array", "task_id") if "array" in job else job.get("array_task_id"))
    if array not in ("", "0") and task != "":
        return f"{array}_{task}"
    het = _number(_first(_inside(job, "het", "job_id"), job.get("het_job_id")))
    offset = _number(
        _inside(job, "het", "job_offset") if "het" in job else job.get("het_job_offset")
    )
    return f"{het}+{offset}" if het not in ("", "0") and offset != "" else raw


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0
