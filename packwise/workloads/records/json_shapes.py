"""Values in the JSON of Slurm's programs, in either shape: plain (until 22.05), or as {"set", "infinite",
"number"} and lists (since 23.02).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def part(job: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object inside a job; an empty one if it is not there."""
    found = job.get(key)
    return found if isinstance(found, dict) else {}


def inside(job: Mapping[str, Any], *keys: str) -> Any:
    """A value several objects down."""
    found: Any = job
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def first(*values: Any) -> Any:
    """The first that says something."""
    return next((value for value in values if value not in (None, "", [])), None)


def words(value: Any) -> str:
    """A text; of a list, its first."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""


def number(value: Any) -> str:
    """A number of either shape; nothing if it is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) else None
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(value)


def moment(text: str) -> str:
    """0 stands for a time that is not known."""
    return "" if text == "0" else text


def limit(value: Any) -> str:
    """A limit in minutes, or UNLIMITED."""
    if isinstance(value, dict) and value.get("infinite"):
        return "UNLIMITED"
    return "UNLIMITED" if value in ("UNLIMITED", 4294967295) else number(value)


def shown(value: Any) -> str:
    """A value for a message; one that is nested for ever has no text."""
    try:
        return str(value)
    except RecursionError:
        return "a value nested too deeply"


def label(job: Mapping[str, Any], raw: str) -> str:
    """The id as people write it: of an array, of a heterogeneous job."""
    array = number(first(inside(job, "array", "job_id"), job.get("array_job_id")))
    task = number(inside(job, "array", "task_id") if "array" in job else job.get("array_task_id"))
    if array not in ("", "0") and task != "":
        return f"{array}_{task}"
    het = number(first(inside(job, "het", "job_id"), job.get("het_job_id")))
    offset = number(inside(job, "het", "job_offset") if "het" in job else job.get("het_job_offset"))
    return f"{het}+{offset}" if het not in ("", "0") and offset != "" else raw
