"""Batsim's workloads: ``nb_res``, ``jobs`` and ``profiles``, of versions up to 4 and from 5 on.

What a job does is told by its profile. Only one that takes a time of its own (``delay``), or is made of such,
tells how long the job runs; others depend on the machine that Batsim simulates.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from packwise.files.output import atomic_output
from packwise.model.cluster import Cluster
from packwise.model.workload import LARGEST, Workload
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.json_shapes import shown
from packwise.workloads.records.meanings import Meaning
from packwise.workloads.records.times import Clock

_MEANINGS = (
    Meaning("id"),
    Meaning("submit"),
    Meaning("elapsed", "s"),
    Meaning("limit", "s"),
    Meaning("cpus"),
    Meaning("name"),
)
_COMPOSED = ("composed", "sequential_composition")
#: Profiles made of profiles, inside one another.
_DEEPEST = 20


def is_batsim_json(document: Any) -> bool:
    """Whether a document is a workload for Batsim."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("jobs"), list)
        and "profiles" in document
    )


def read_batsim_json(
    path: str | os.PathLike[str], document: Mapping[str, Any], clock: Clock
) -> Records:
    """The jobs of the document whose run times it tells."""
    import polars as pl

    collector = Collector(str(path), "Batsim workload", clock)
    profiles = document["profiles"] if isinstance(document["profiles"], dict) else {}
    rows = []
    for place, job in enumerate(document["jobs"], 1):
        if not isinstance(job, dict) or "id" not in job or "subtime" not in job:
            collector.refuse(place, shown(job), "no job with id and subtime")
            continue
        name = str(job.get("profile", ""))
        seconds = _delay(profiles, name, _DEEPEST)
        if seconds is None:
            profile = profiles.get(name)
            kind = str(profile.get("type")) if isinstance(profile, dict) else "none"
            collector.leave_out(f"a profile that tells no run time: {kind[:40]}")
            continue
        label = str(job["id"]).rpartition("!")[2]
        rows.append([label, *(_text(job.get(key)) for key in ("subtime",)), _text(seconds),
        _text(job.get("walltime")),
                     _text(job.get("res")), name])  # fmt: skip
    columns = zip(_MEANINGS, zip(*rows, strict=True), strict=True) if rows else ()
    collector.add({one.name: (one, pl.Series(cells, dtype=pl.String)) for one, cells in columns})
    size = document.get("nb_res")
    procs = size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else None
    return collector.records(procs=procs)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _delay(profiles: Mapping[str, Any], name: str, depth: int) -> float | None:
    """How long a profile takes; None if that depends on the machine."""
    profile = profiles.get(name)
    if not isinstance(profile, dict) or not depth:
        return None
    if profile.get("type") == "delay":
        return _positive(profile.get("delay"))
    if profile.get("type") in _COMPOSED and isinstance(profile.get("seq"), list):
        parts = [_delay(profiles, str(part), depth - 1) for part in profile["seq"]]
        times = _positive(profile.get("repeat", profile.get("nb", 1)))
        if times is not None and parts and all(part is not None for part in parts):
            return times * sum(part for part in parts if part is not None)
    return None


def _positive(value: Any) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST
    return float(value) if known else None


def write_batsim_json(path: str | os.PathLike[str], workload: Workload, cluster: Cluster) -> None:
    """Write jobs as a workload for Batsim, each with a profile that takes its run time."""
    delays = sorted(set(workload.runtime.tolist()))
    document = {
        "nb_res": cluster.procs,
        "jobs": [
            {
                "id": str(job.id),
                "subtime": job.submit,
                "walltime": job.requested_time,
                "res": job.demand,
                "profile": f"delay{job.runtime}",
            }
            for job in workload
        ],
        "profiles": {f"delay{seconds}": {"type": "delay", "delay": seconds} for seconds in delays},
    }
    with atomic_output(path) as stream:
        stream.write(json.dumps(document, indent=1).encode())
        stream.write(b"\n")
