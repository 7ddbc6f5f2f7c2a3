"""What a file cannot hold of a workload that is written to it: said, not lost in silence."""

from __future__ import annotations

from packwise.model.workload import UNKNOWN, Workload
from packwise.workloads.swf.names import held
from packwise.workloads.tables.name_columns import MORE, NUMBERED, WORDS
from packwise.workloads.tables.workload_columns import DESCRIBING, MEASURES, RECORDED, holds_header

_NO_PLACE = "the format has no place for them"


def losses(workload: Workload, format: str) -> list[str]:
    """One line for each kind of thing; nothing where all is kept."""
    if format in ("csv", "parquet"):
        return _unheld_header(workload)
    lines = _deadlines(workload)
    gone = [name for name in MEASURES if getattr(workload, name) is not None]
    gone += ["the units of jobs, and their nodes"] if workload.units is not None else []
    gone += ["job_name"] if "job_name" in workload.extra else []
    gone += [name for name in (*WORDS, *MORE) if name in workload.extra]
    if format == "swf":
        gone += [
            f"names of {n}s" for n in workload.names if n in NUMBERED and n not in held(workload)
        ]
    if format == "batsim-workload":
        gone += ["when jobs really started"] if _is_known(workload, "wait") else []
    if format in ("batsim", "batsim-workload"):
        gone += [n for n in ("user", *DESCRIBING) if (getattr(workload, n) != UNKNOWN).any()]
        gone += [n for n in RECORDED if _is_known(workload, n)]
        gone += [f"names of {name}s" for name in workload.names if name in NUMBERED]
        gone += ["the date of the log"] if workload.start_time else []
    if gone:
        lines.append(f"not in this file: {', '.join(gone)}: {_NO_PLACE}")
    return lines


def _is_known(workload: Workload, name: str) -> bool:
    return name in workload.extra and bool((workload.extra[name] != UNKNOWN).any())


def _deadlines(workload: Workload) -> list[str]:
    if workload.deadline is None:
        return []
    count = int(workload.deadline_driven.sum())
    return [f"the deadlines of {count:,} jobs are not in this file: {_NO_PLACE}"]


def _unheld_header(workload: Workload) -> list[str]:
    if holds_header(workload):
        return []
    return [
        f"the {len(workload.header):,} lines of the log's header are not in this file: too long"
    ]
