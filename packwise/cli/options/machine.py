"""The machine that options name: a pool of processors, or the nodes of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster


def chosen_cluster(
    name: str | None, procs: int | None, placement: str | None = None
) -> Cluster | None:
    """The cluster of --cluster; None for a pool, on which nothing is to be placed."""
    from packwise.clusters.finding import find_cluster
    from packwise.model.errors import InputError
    from packwise.model.placement import placement_code

    if placement is not None:
        placement_code(placement)
    if name is None:
        if placement is not None:
            raise InputError("--placement is for nodes: give a --cluster, or drop it.")
        return None
    if procs is not None:
        raise InputError("--cluster and --procs both name a machine. Drop one.")
    return find_cluster(name)


def machine_words(cluster: Cluster) -> str:
    """A machine in a few words: 64 nodes, 1,024 cores, 64 gpus; and that its size is a guess."""
    if cluster.is_pool:
        guess = f" ({cluster.sizing.guess})" if cluster.sizing.guess else ""
        return f"{cluster.procs:,} processors{guess}"
    totals = cluster.capacity().sum(axis=0).tolist()
    amounts = [
        f"{_memory(total)} memory" if name == "memory" else f"{total:,} {name}"
        for name, total in zip(cluster.resources, totals, strict=True)
    ]
    return f"{cluster.nodes:,} nodes ({', '.join(amounts)})"


def _memory(megabytes: int) -> str:
    for unit, size in (("TB", 1024**2), ("GB", 1024)):
        if megabytes >= size:
            return f"{megabytes / size:,.4g} {unit}"
    return f"{megabytes:,} MB"
