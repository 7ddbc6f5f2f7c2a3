"""Writing a workload as an SWF 2.2 file."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from packwise.files.output import atomic_output
from packwise.model.errors import InputError
from packwise.model.sizing import TOLD, WIDEST, Sizing
from packwise.model.workload import UNKNOWN, Ints, Workload
from packwise.workloads.swf.fields import NAMES
from packwise.workloads.swf.header import Header, parse
from packwise.workloads.swf.names import name_lines


def write_swf(
    path: str | os.PathLike[str],
    workload: Workload,
    *,
    wait: ArrayLike | None = None,
    procs: int | None = None,
    sizing: Sizing = TOLD,
    note: Sequence[str] = (),
) -> None:
    """Write ``workload``; gzip if the name ends in .gz, the same bytes every time.

    Field 3 is ``wait`` (of a simulated schedule, say), otherwise the recorded wait, otherwise -1.
    The header is carried over with MaxJobs, MaxRecords, UnixStartTime, TimeZoneString and, where
    ``procs`` is given, MaxProcs brought up to date, with what it is a guess from, if it is one (``sizing``);
    ``note`` adds '; Note:' lines. The file appears complete or not at all.
    Names of users, groups, executables, queues and partitions are lines of the header. SWF has no place for
    weight, deadline, power and other names: they are not written, and the header says so.
    """
    from packwise.workloads.losses import losses

    if procs is not None and procs < 1:
        raise InputError(f"the machine should have 1 processor or more, found procs={procs}.")
    header = _header(workload, procs, sizing, [*note, *losses(workload, "swf")])
    rows = _rows(_columns(workload, wait))
    with atomic_output(path) as stream:
        if Path(path).suffix.lower() == ".gz":
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0) as packed:
                packed.write(header)
                packed.write(rows)
        else:
            stream.write(header)
            stream.write(rows)


def _header(workload: Workload, procs: int | None, sizing: Sizing, note: Sequence[str]) -> bytes:
    found = Header(tuple(_comments(workload.header)))
    notes = [f"; Note: {line}" for text in note for line in text.splitlines() or [""]]
    machine = procs or found.max_procs or found.max_nodes
    if machine is None:
        machine, sizing = int(workload.demand.max()), Sizing("guessed", WIDEST)
    count = str(len(workload))
    current = {"MaxJobs": count, "MaxRecords": count}
    if procs is not None or found.max_procs is None:
        current["MaxProcs"] = f"{machine} ({sizing.guess})" if sizing.guess else str(machine)
    if (found.unix_start_time or 0) != workload.start_time:
        current["UnixStartTime"] = str(workload.start_time)
    if (found.time_zone or "UTC") != workload.time_zone:
        current["TimeZoneString"] = workload.time_zone
    missing = {
        "Version": "2.2",
        "UnixStartTime": str(workload.start_time),
        "TimeZoneString": workload.time_zone,
    }
    lines = []
    seen = set()
    for line in found.header:
        pair = parse(line)
        if pair and pair[0].lower() in (names := {name.lower(): name for name in current}):
            name = names[pair[0].lower()]
            seen.add(name)
            line = f"; {name}: {current[name]}"
        lines.append(line)
    added = {name: value for name, value in missing.items() if found.field(name) is None}
    added |= {name: value for name, value in current.items() if name not in seen}
    lines[:0] = [f"; {name}: {value}" for name, value in added.items()]
    lines += name_lines(workload, found)
    return "".join(f"{line}\n" for line in lines + notes).encode()


def _comments(header: Iterable[str]) -> Iterable[str]:
    """Header lines as comments, one line each."""
    for text in header:
        for line in text.replace("\r", "\n").split("\n"):
            yield line if line.lstrip().startswith(";") else f"; {line}"


def _columns(workload: Workload, wait: ArrayLike | None) -> dict[str, NDArray[Any]]:
    n = len(workload)
    unknown = np.full(n, UNKNOWN, np.int64)
    extra = {name: workload.extra.get(name, unknown) for name in NAMES}
    if wait is not None:
        extra["wait"] = np.asarray(wait)
        if extra["wait"].shape != (n,) or not np.issubdtype(extra["wait"].dtype, np.integer):
            raise InputError(
                f"the waits to write should be {n} whole numbers, one per job, found "
                f"{extra['wait'].dtype} of shape {extra['wait'].shape}."
            )
    columns = extra | {
        "job_id": workload.id,
        "submit": workload.submit,
        "runtime": workload.runtime,
        "requested_time": workload.requested_time,
        "status": workload.status,
        "user": workload.user,
        "group": workload.group,
        "app": workload.app,
        "queue": workload.queue,
    }
    columns["used_procs"] = workload.extra.get("used_procs", workload.demand)
    if "requested_procs" in workload.extra:
        columns["requested_procs"] = _requested_procs(workload.demand, columns)
    else:
        columns["requested_procs"] = workload.demand
    return columns


def _requested_procs(demand: Ints, columns: dict[str, NDArray[Any]]) -> Ints:
    """Field 8 as found where it, or else field 5, still gives the demand; otherwise the demand."""
    asked, used = columns["requested_procs"], columns["used_procs"]
    return np.where(np.where(asked > 0, asked, used) == demand, asked, demand)


def _rows(columns: dict[str, NDArray[Any]]) -> bytes:
    """The job lines. Whole values are written without a point, others in the fewest digits."""
    import polars as pl

    frame = pl.DataFrame({name: columns[name] for name in NAMES})
    decimals = [name for name in NAMES if np.issubdtype(columns[name].dtype, np.floating)]
    texts = []
    for name in decimals:
        value = pl.col(name)
        known = pl.when(value.is_finite()).then(value).otherwise(float(UNKNOWN))
        short = pl.when(known == known.floor()).then(
            known.cast(pl.Int64, strict=False).cast(pl.String)
        )
        texts.append(short.otherwise(known.cast(pl.String)).alias(name))
    stream = BytesIO()
    frame.with_columns(texts).write_csv(
        stream, include_header=False, separator=" ", quote_style="never"
    )
    return stream.getvalue()
