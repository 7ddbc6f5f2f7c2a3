"""What jobs need of nodes: units by kind, who can never run and why, and whether the nodes matter at all."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.workload import CORES, LARGEST, UNKNOWN, Ints, Workload


class Demands(NamedTuple):
    """Jobs whose units need the same, and may run on the same nodes, are of one kind.

    ``per_unit`` has a row for each kind and a column for each resource of a cluster; ``where`` is the row of
    ``open`` that tells the nodes on which a kind may run. ``kind`` and ``units`` are by job.
    """

    units: Ints
    kind: Ints
    per_unit: Ints
    where: Ints
    open: Ints


def demands(workload: Workload, cluster: Cluster) -> Demands:
    """What the jobs of a workload need of the nodes of a cluster. Without units, each core is one."""
    units = workload.demand if workload.units is None else workload.units
    asked = _asked(workload)
    n = len(workload)
    where, open_to = _partitions(workload, cluster)
    columns = [asked.get(name, np.zeros(n, np.int64)) for name in cluster.resources]
    return kinds_of(units, np.stack(columns, axis=1), where, open_to)


def kinds_of(units: Ints, per_unit: Ints, where: Ints, open_to: Ints) -> Demands:
    """Jobs by kind: ``per_unit`` and ``where`` have a row for each job."""
    rows = np.concatenate([per_unit, where[:, None]], axis=1)
    kinds, kind = np.unique(rows, axis=0, return_inverse=True)
    needs = np.ascontiguousarray(kinds[:, :-1], np.int64)
    return Demands(units, kind.reshape(-1).astype(np.int64), needs, kinds[:, -1].copy(), open_to)


def only_large_enough(wanted: Demands, cluster: Cluster) -> Demands:
    """The same, where nodes are open to a kind only if one of its units has a place on them when they are
    empty. Nodes of a group are alike.
    """
    counts = np.array([group.count for group in cluster.groups])
    rows = (units_that_fit(cluster, wanted) > 0).astype(np.int64)
    patterns, where = np.unique(rows, axis=0, return_inverse=True)
    everywhere = np.repeat(patterns, counts, axis=1)
    return wanted._replace(where=where.reshape(-1).astype(np.int64), open=everywhere)


def _partitions(workload: Workload, cluster: Cluster) -> tuple[Ints, Ints]:
    """For each job a row of the table that follows: on which nodes it may run."""
    where, open_to = _of_partitions(workload, cluster)
    asked = workload.numbers("features")
    words = workload.names.get("features", ())
    if asked is None or not words or not any(group.features for group in cluster.groups):
        return where, open_to
    counts = [group.count for group in cluster.groups]
    rows = [
        np.repeat([int(has_features(group.features, word)) for group in cluster.groups], counts)
        for word in ("", *words)
    ]
    pairs, row = np.unique(np.stack([where, asked + 1], axis=1), axis=0, return_inverse=True)
    both = [open_to[of_partition] * rows[of_word] for of_partition, of_word in pairs.tolist()]
    return row.reshape(-1).astype(np.int64), np.stack(both).astype(np.int64)


def has_features(there: tuple[str, ...], asked: str) -> bool:
    """Whether nodes with these features are what a constraint asks for: a&b, a|b; of other forms only the
    names count, any of which will do.
    """
    if not asked:
        return True
    names = [part for part in re.split(r"[^\w.+-]+", asked) if part and not part.isdigit()]
    if "|" in asked or "[" in asked:
        return any(name in there for name in names)
    return all(name in there for name in names)


def _of_partitions(workload: Workload, cluster: Cluster) -> tuple[Ints, Ints]:
    everywhere = np.ones((1, cluster.nodes), np.int64)
    told = workload.extra.get("partition")
    if not cluster.partitions or told is None or (told == UNKNOWN).all():
        return np.zeros(len(workload), np.int64), everywhere
    numbers = np.array([partition.number for partition in cluster.partitions])
    known = np.isin(told, numbers) | (told == UNKNOWN)
    if not known.all():
        i = int(np.argmin(known))
        raise InputError(
            f"workload '{workload.name}', job {workload.id[i]} is of partition {told[i]}, which cluster "
            f"'{cluster.name}' does not have; it has {', '.join(map(str, numbers))}. Add it to the cluster, or "
            "leave such jobs out (--drop-partition)."
        )
    rows = [cluster.open_to(partition) for partition in cluster.partitions]
    order = np.argsort(numbers)
    row = np.where(
        told == UNKNOWN, 0, 1 + order[np.searchsorted(numbers[order], told) % len(order)]
    )
    return row, np.concatenate([everywhere, np.stack(rows)])


def units_that_fit(cluster: Cluster, wanted: Demands) -> Ints:
    """How many units of each kind there is room for on an empty node: a row for each kind, a column for each
    group of nodes.
    """
    counts = np.array([group.count for group in cluster.groups])
    first = np.cumsum(counts) - counts
    capacity = cluster.capacity_by_group()[None]
    needs = wanted.per_unit[:, None, :]
    fits = np.where(needs > 0, capacity // np.maximum(needs, 1), LARGEST).min(axis=2)
    found: Ints = np.minimum(fits, LARGEST) * wanted.open[:, first][wanted.where]
    return found


class Misfits(NamedTuple):
    """Which jobs can never run on a cluster, and in words why not: ``reason`` is of the first of them."""

    which: NDArray[np.bool_]
    reason: str


def misfits(workload: Workload, cluster: Cluster) -> Misfits:
    """The jobs that the cluster, all of it empty, has no room for."""
    if cluster.is_pool:
        which = workload.demand > cluster.procs
        return Misfits(which, _too_wide(workload, cluster, which) if which.any() else "")
    asked = _asked(workload)
    unknown = {name: asked[name] > 0 for name in asked if name not in cluster.resources}
    wanted = demands(workload, cluster)
    counts = np.array([group.count for group in cluster.groups])
    most = (units_that_fit(cluster, wanted) @ counts)[wanted.kind]
    which = wanted.units > most
    for jobs in unknown.values():
        which = which | jobs
    if not which.any():
        return Misfits(which, "")
    i = int(np.argmax(which))
    job = f"job {workload.id[i]}"
    for name, jobs in unknown.items():
        if jobs[i]:
            there = ", ".join(cluster.resources)
            return Misfits(
                which,
                f"{job} asks for {asked[name][i]} {name} a unit; no node of '{cluster.name}' has any ({there})",
            )
    unit = _unit_words(asked, i)
    if most[i] > 0:
        return Misfits(
            which,
            f"{job} asks for {wanted.units[i]} units of {unit}; {most[i]} fit on the nodes of "
            f"'{cluster.name}' that it may use, all of them empty",
        )
    largest = cluster.capacity().max(axis=0)
    for name, amount in zip(cluster.resources, largest.tolist(), strict=True):
        if name in asked and asked[name][i] > amount:
            return Misfits(
                which,
                f"{job} asks for {asked[name][i]} {name} a unit; the largest node of '{cluster.name}' has "
                f"{amount}",
            )
    return Misfits(
        which,
        f"{job} asks for {unit} on one node; no node of '{cluster.name}' that it may use has all of it",
    )


def nodes_matter(workload: Workload, cluster: Cluster) -> bool:
    """Whether it could make a difference on which nodes jobs run.

    It does not, if all units need the same of one resource, and none of the others can run out before it:
    then whatever fits by the number of units that are free has a place, since each unit may go anywhere.
    """
    wanted = demands(workload, cluster)
    if cluster.outages or cluster.whole_nodes().any() or len(wanted.open) > 1:
        return True
    capacity = cluster.capacity()
    cores = cluster.resources.index(CORES)
    unit = int(wanted.per_unit[0, cores])
    if (wanted.per_unit[:, cores] != unit).any():
        return True
    most = wanted.per_unit.max(axis=0)
    units = capacity[:, cores] // unit
    if (capacity[:, cores] % unit).any():
        return True  # what is left over on a node would count as free
    return bool((units[:, None] * most[None, :] > capacity).any())


def _asked(workload: Workload) -> dict[str, Ints]:
    if workload.units is None:
        return {CORES: np.ones(len(workload), np.int64)}
    return dict(workload.per_unit)


def _unit_words(asked: dict[str, Ints], i: int) -> str:
    return ", ".join(f"{column[i]} {name}" for name, column in asked.items() if column[i])


def _too_wide(workload: Workload, cluster: Cluster, which: NDArray[np.bool_]) -> str:
    i = int(np.argmax(which))
    return f"job {workload.id[i]} needs {workload.demand[i]} processors and can never run on {cluster.procs}"
