"""A cluster with more nodes, or fewer: +10%, -2, 128, or gpu=+4 for one group, or those of a partition."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from packwise.model.cluster import MOST_NODES, Cluster, NodeGroup
from packwise.model.errors import InputError, UnknownName, shortened
from packwise.model.workload import LARGEST

_AMOUNT = re.compile(r"([+-]?)(\d{1,9}(?:\.\d{1,6})?)(%?)")


def grown(cluster: Cluster, text: str) -> Cluster:
    """The cluster that ``--nodes text`` means; of a pool, processors are meant. New nodes are like the others
    of their group. Without the name of a group, or with that of a partition, they are spread over the groups
    (of the partition) by their sizes.
    """
    name, equals, amount = text.strip().rpartition("=")
    found = _AMOUNT.fullmatch(amount.strip().replace("\N{MINUS SIGN}", "-"))
    if (
        found is None
        or (equals and not name.strip())
        or (found[3] and not found[1])
        or ("." in found[2] and not found[3])
    ):
        raise InputError(
            "--nodes: expected a change such as +10%, -2 or +16, a number of nodes such as 128, or gpu=+4 "
            f"for a group of nodes or a partition, found '{shortened(text)}'."
        )
    names = [group.name for group in cluster.groups]
    wanted = _groups(cluster, name.strip()) if equals else names
    counts = np.array([group.count for group in cluster.groups], np.float64)
    chosen = np.array([one in wanted for one in names])
    now = float(counts[chosen].sum())
    sign, size, share = found[1], float(found[2]), bool(found[3])
    by = now * size / 100 if share else size
    more = {"+": by, "-": -by, "": by - now}[sign]
    more = math.copysign(max(math.floor(abs(more) + 0.5), 1), more) if more else 0
    most, what = (LARGEST, "processors") if cluster.is_pool else (MOST_NODES, "nodes")
    if not 1 <= counts.sum() + more <= most:
        raise InputError(f"--nodes {text}: from 1 to {most:,} {what} are possible.")
    spread = _spread(counts * chosen, int(more))
    groups = [
        group if not step else _resized(group, group.count + step, text)
        for group, step in zip(cluster.groups, spread, strict=True)
    ]
    if cluster.outages and more:
        raise InputError(
            f"--nodes {text}: the outages of '{cluster.name}' name nodes by number, which would be others "
            "then. Write another cluster file for that."
        )
    return replace(cluster, groups=tuple(groups))


def _groups(cluster: Cluster, name: str) -> tuple[str, ...]:
    """The group of this name, or those of the partition."""
    names = [group.name for group in cluster.groups]
    if name in names:
        return (name,)
    partitions = {one.name: one.groups for one in cluster.partitions}
    if name not in partitions:
        raise UnknownName("partition or group of nodes (--nodes)", name, [*partitions, *names])
    return partitions[name]


def _spread(counts: np.ndarray, more: int) -> list[int]:
    """So many more nodes in all, by the sizes of the groups; what is left over goes to the largest parts."""
    exact = counts * more / counts.sum()
    steps = np.trunc(exact).astype(np.int64)
    left = more - int(steps.sum())
    order = np.lexsort((np.arange(len(counts)), -counts, -np.abs(exact - steps)))
    steps[order[: abs(left)]] += int(math.copysign(1, left)) if left else 0
    return [int(step) for step in steps]


def _resized(group: NodeGroup, count: int, text: str) -> NodeGroup:
    if count < 1:
        raise InputError(
            f"--nodes {text}: no node of group '{group.name}' would be left. Write another cluster file for "
            "that."
        )
    hosts = group.hosts[:count]
    if hosts:
        hosts += tuple(f"{group.name}+{k}" for k in range(1, count - len(hosts) + 1))
    return replace(group, count=count, hosts=hosts)
