"""A site's records on the nodes of its cluster: partitions by name, and memory where the nodes tell theirs."""

from __future__ import annotations

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.workload import UNKNOWN, Workload

PARTITION = "partition"


def in_partitions(workload: Workload, cluster: Cluster, notes: list[str]) -> Workload:
    """The workload with the cluster's numbers of partitions, for the nodes that the cluster tells of."""
    words = workload.names.get(PARTITION)
    if words and cluster.partitions:
        workload = _renumbered(workload, words, cluster)
    elif words:  # no partition to keep to
        extra = {name: column for name, column in workload.extra.items() if name != PARTITION}
        names = {name: told for name, told in workload.names.items() if name != PARTITION}
        workload = workload.replace(extra=extra, names=names)
    if "memory" in workload.per_unit and "memory" not in cluster.resources:
        notes.append(f"memory is not looked at: '{cluster.name}' does not tell that of its nodes")
        needs = {name: column for name, column in workload.per_unit.items() if name != "memory"}
        workload = workload.replace(per_unit=needs)
    return workload


def _renumbered(workload: Workload, words: tuple[str, ...], cluster: Cluster) -> Workload:
    numbers = {one.name: one.number for one in cluster.partitions}
    column = workload.extra[PARTITION]
    unknown = [word for k, word in enumerate(words) if word not in numbers and (column == k).any()]
    if unknown:
        raise InputError(
            f"'{workload.name}' has jobs in partition '{unknown[0]}', which cluster '{cluster.name}' does "
            f"not have; it has {', '.join(numbers)}. Leave them out with --without "
            f"partition={','.join(unknown)}, or add it to the cluster."
        )
    anew = np.array([numbers.get(word, UNKNOWN) for word in words], np.int64)
    told = [""] * (max(numbers.values()) + 1)
    for name, number in numbers.items():
        told[number] = name
    moved = np.where(column >= 0, anew[column], UNKNOWN)
    return workload.replace(
        extra={**workload.extra, PARTITION: moved}, names={**workload.names, PARTITION: tuple(told)}
    )
