"""Clusters from the node and partition lines of Slurm's ``slurm.conf``.

Nodes with equal lines, in the same partitions, become one group; those of less ``Weight`` come first, as Slurm
takes them first (``--placement first-fit`` does so). GRES of one name are added up whatever their
types: gpu:a100:4 is 4 GPUs. A partition with ``OverSubscribe=EXCLUSIVE`` gives jobs their nodes for themselves.
Memory is looked at where Slurm does: where ``SelectTypeParameters`` says so, if it says anything, and where
nodes tell theirs. The settings of the scheduler are kept for the policy ``slurm``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from packwise.clusters.conf_lines import conf_lines
from packwise.clusters.slurm_scheduler import SchedulerSettings
from packwise.files.hostlists import hosts, split_outside
from packwise.files.table import quote
from packwise.model.clock_text import clock_duration
from packwise.model.cluster import Cluster, NodeGroup, Partition
from packwise.model.errors import FormatError, InputError

_GRES = re.compile(r"(\w+)(?::[\w.-]+)*?(?::(\d+)([KMGT]?))?(?:\(.*\))?")
#: Numbers of more digits count nothing that there is.
_MOST_DIGITS = 15
_MEANT = {"gpu": "gpus", "mic": "mics"}
_SCALE = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def read_slurm_conf(path: str | os.PathLike[str]) -> Cluster:
    """The cluster that a ``slurm.conf`` describes."""
    name = "slurm"
    memory = True
    defaults: dict[str, dict[str, str]] = {"nodename": {}, "partitionname": {}}
    nodes: dict[str, dict[str, int]] = {}
    weights: dict[str, int] = {}
    features: dict[str, tuple[str, ...]] = {}
    scheduler = SchedulerSettings()
    partitions: list[tuple[str, int, dict[str, str]]] = []
    for line, settings in conf_lines(path):
        first = next(iter(settings))
        if first not in defaults:
            name = settings.get("clustername", name)
            if "selecttypeparameters" in settings:
                memory = "memory" in settings["selecttypeparameters"].lower()
            scheduler.take(path, line, settings)
            continue
        if settings[first].upper() == "DEFAULT":
            defaults[first] |= settings
            continue
        told = {**defaults[first], **settings}
        if first == "partitionname":
            if any(label == settings[first] for label, _, _ in partitions):
                raise FormatError(
                    str(path),
                    line=line,
                    expected="each partition once",
                    found=f"{quote(settings[first])} again",
                )
            partitions.append((settings[first], line, told))
            continue
        if told.get("state", "").upper() == "FUTURE":  # not there yet
            continue
        for host in _hosts(path, line, settings[first]):
            if host in nodes:
                raise FormatError(
                    str(path), line=line, expected="each node once", found=f"{quote(host)} again"
                )
            nodes[host] = _capacity(path, line, told)
            weights[host] = _whole(path, line, told, "weight", 1)
            named = told.get("features", told.get("feature", ""))
            features[host] = tuple(sorted(filter(None, named.split(","))))
    if not nodes:
        raise FormatError(
            str(path),
            expected="lines such as NodeName=n[001-064] CPUs=16 RealMemory=64000 Gres=gpu:2",
            found="no NodeName",
        )
    if not memory or not any(capacity["memory"] for capacity in nodes.values()):
        for capacity in nodes.values():
            del capacity["memory"]
    nodes = {host: nodes[host] for host in sorted(nodes, key=lambda one: weights[one])}
    try:
        return cluster_of(path, name, nodes, partitions, features, scheduler.found)
    except FormatError:
        raise
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def cluster_of(
    path: str | os.PathLike[str],
    name: str,
    nodes: Mapping[str, Mapping[str, int]],
    partitions: list[tuple[str, int, dict[str, str]]],
    features: Mapping[str, tuple[str, ...]],
    scheduler: Mapping[str, str],
) -> Cluster:
    """A cluster of nodes by name, and of partitions: each with its line and its settings by name in lower
    case.
    """
    members: dict[str, list[int]] = {host: [] for host in nodes}
    alone: set[str] = set()
    for k, (label, line, told) in enumerate(partitions):
        listed = told.get("nodes", "")
        theirs = list(nodes) if listed.upper() == "ALL" else _hosts(path, line, listed)
        for host in theirs:
            if host not in nodes:
                raise FormatError(
                    str(path),
                    line=line,
                    expected=f"nodes that have a NodeName in partition '{label}' (sets of nodes are not known "
                    "here)",
                    found=quote(host),
                )
            members[host].append(k)
            if told.get("oversubscribe", told.get("shared", "")).upper().startswith("EXCLUSIVE"):
                alone.add(host)
    groups: dict[tuple[object, ...], list[str]] = {}
    for host, capacity in nodes.items():
        key = (tuple(sorted(capacity.items())), tuple(members[host]), host in alone, features[host])
        groups.setdefault(key, []).append(host)
    made = []
    of_partition: dict[int, list[str]] = {k: [] for k in range(len(partitions))}
    for theirs in groups.values():
        label = theirs[0] if len(theirs) == 1 else f"{theirs[0]}..{theirs[-1]}"
        made.append(
            NodeGroup(
                label,
                len(theirs),
                nodes[theirs[0]],
                theirs[0] not in alone,
                tuple(theirs),
                features[theirs[0]],
            )
        )
        for k in members[theirs[0]]:
            of_partition[k].append(label)
    sets = tuple(
        Partition(
            label,
            k,
            tuple(of_partition[k]),
            _longest(path, line, told),
            _whole(path, line, told, "priorityjobfactor", _whole(path, line, told, "priority", 1)),
            _whole(path, line, told, "prioritytier", _whole(path, line, told, "priority", 1)),
        )
        for k, (label, line, told) in enumerate(partitions)
        if of_partition[k]
    )
    return Cluster(name, tuple(made), sets, scheduler=scheduler)


def _longest(path: str | os.PathLike[str], line: int, told: Mapping[str, str]) -> int | None:
    """The limit of jobs in a partition, in seconds; None if there is none."""
    text = told.get("maxtime", "UNLIMITED")
    if text.upper() in ("UNLIMITED", "INFINITE", "-1"):
        return None
    if _is_whole(text):
        return 60 * int(text)
    seconds = clock_duration(text)
    if seconds is None:
        expected = "MaxTime such as 1-12:00:00, or minutes"
        raise FormatError(str(path), line=line, expected=expected, found=quote(text))
    return seconds


def _hosts(path: str | os.PathLike[str], line: int, text: str) -> list[str]:
    try:
        return hosts(text)
    except ValueError as error:
        raise FormatError(
            str(path),
            line=line,
            expected="hosts such as n[001-064]",
            found=f"{quote(text)} ({error})",
        ) from error


def _whole(
    path: str | os.PathLike[str], line: int, told: Mapping[str, str], key: str, default: int
) -> int:
    text = told.get(key, str(default))
    if not _is_whole(text):
        raise FormatError(
            str(path), line=line, expected=f"{key}= a whole number", found=quote(text)
        )
    return int(text)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _capacity(path: str | os.PathLike[str], line: int, told: Mapping[str, str]) -> dict[str, int]:
    def whole(key: str, default: int) -> int:
        return _whole(path, line, told, key, default)

    sockets = whole("sockets", whole("socketsperboard", 1) * whole("boards", 1))
    made_of = sockets * whole("corespersocket", 1) * whole("threadspercore", 1)
    capacity = {"cores": whole("cpus", whole("procs", made_of)), "memory": whole("realmemory", 0)}
    try:
        parts = split_outside(told.get("gres", ""), "()")
    except ValueError as error:
        found_text = f"{quote(told['gres'])} ({error})"
        raise FormatError(
            str(path), line=line, expected="Gres such as gpu:2", found=found_text
        ) from error
    for gres in parts:
        found = _GRES.fullmatch(gres)
        if found is None or len(found[2] or "") > _MOST_DIGITS:
            raise FormatError(
                str(path), line=line, expected="Gres such as gpu:2", found=quote(gres)
            )
        name = _MEANT.get(found[1], found[1])
        amount = int(found[2] or 1) * _SCALE[found[3] or ""]
        capacity[name] = capacity.get(name, 0) + amount
    return capacity
