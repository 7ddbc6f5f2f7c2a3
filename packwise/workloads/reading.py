"""read(): the jobs of any file that Packwise knows, and the machine for them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from packwise.clusters.finding import find_cluster
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.workloads.calendar import When, parse_when
from packwise.workloads.cleaning import MissingLimit
from packwise.workloads.trace import Trace, find_trace, load_trace
from packwise.workloads.window import Window


def read(
    path: str | os.PathLike[str],
    procs: int | None = None,
    *,
    cluster: Cluster | str | os.PathLike[str] | None = None,
    since: When | None = None,
    until: When | None = None,
    only: Sequence[str] | str = (),
    without: Sequence[str] | str = (),
    missing_limit: MissingLimit = "drop",
    time_zone: str = "",
    columns: str = "",
    mapping: Sequence[str] | str = (),
    unit_cores: str = "1",
) -> Trace:
    """Read a log in SWF, a site's own records, a table, or a log of the archive by its name, cleaned.

    The machine is ``cluster`` (also a ``slurm.conf``, or another file that tells nodes), or a pool of
    ``procs`` processors, or what the file says. ``since`` and ``until`` are seconds after the first
    submission, ``"7d"``, or dates; ``only`` and ``without`` pick jobs by name (``"partition=gpu"``). The
    others are for a site's own records: see ``load_workload``.
    """
    window = Window(
        time_zone=time_zone,
        columns=columns,
        mapping=_several(mapping),
        missing_limit=missing_limit,
        start=parse_when(since, "since") if isinstance(since, str) else since,
        end=parse_when(until, "until") if isinstance(until, str) else until,
        only=_several(only),
        without=_several(without),
    )
    if procs is not None and (isinstance(procs, bool) or not isinstance(procs, int)):
        raise InputError(f"procs should be a whole number of processors, found {procs!r}.")
    if cluster is not None and not isinstance(cluster, Cluster):
        cluster = find_cluster(os.fspath(cluster))
    found = find_trace(os.fspath(path))
    return load_trace(found, procs, window, on=cluster, unit_cores=unit_cores)


def _several(texts: Sequence[str] | str) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)
