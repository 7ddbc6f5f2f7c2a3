"""A site's records on the nodes of its cluster: partitions and nodes by name, memory where the nodes tell
theirs.
"""

from __future__ import annotations

import numpy as np

from packwise.files.hostlists import hosts
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError, listed, shortened
from packwise.model.recorded import NODES
from packwise.model.workload import UNKNOWN, Workload

PARTITION = "partition"


def by_name(workload: Workload, cluster: Cluster) -> bool:
    """Whether a workload tells its partitions or nodes by names that the cluster knows, as one that was
    converted from a site's records does; numbers alone mean what the cluster means by them.
    """
    known = {one.name for one in cluster.partitions}
    return "node_list" in workload.names or not known.isdisjoint(workload.names.get(PARTITION, ()))


def on_cluster(workload: Workload, cluster: Cluster, notes: list[str]) -> Workload:
    """The workload with the cluster's numbers of partitions, and of the nodes that its jobs had."""
    words = workload.names.get(PARTITION)
    if words and cluster.partitions:
        workload = _renumbered(workload, words, cluster)
    elif words:  # no partition to keep to
        extra = {name: column for name, column in workload.extra.items() if name != PARTITION}
        names = {name: told for name, told in workload.names.items() if name != PARTITION}
        workload = workload.replace(extra=extra, names=names)
    if "memory" in workload.per_unit and "memory" not in cluster.resources:
        notes.append(
            f"memory is not looked at: '{cluster.name}' does not count it, or does not tell it"
        )
        needs = {name: column for name, column in workload.per_unit.items() if name != "memory"}
        workload = workload.replace(per_unit=needs)
    return _placed(workload, cluster, notes)


def _placed(workload: Workload, cluster: Cluster, notes: list[str]) -> Workload:
    """With the nodes of each job, as far as the cluster knows their names: all of its units, spread evenly."""
    number = {
        name: node
        for node, name in enumerate(host for group in cluster.groups for host in group.hosts)
    }
    words = workload.names.get("node_list")
    if words is None or not number or workload.units is None:
        return workload
    places = [_numbers(word, number) for word in words]
    column, units = workload.extra["node_list"].tolist(), workload.units.tolist()
    texts = [
        "" if k < 0 or not places[k] else _spread(places[k], n)
        for k, n in zip(column, units, strict=True)
    ]
    unknown = texts.count("")
    if unknown:
        notes.append(
            f"ran on nodes that are not told, or that '{cluster.name}' does not have: {unknown:,}"
        )
    used = {node for place in places for node in place}
    if idle := cluster.nodes - len(used):
        notes.append(
            f"nodes of '{cluster.name}' on which none of the jobs ran: {idle:,} of {cluster.nodes:,}"
        )
    if unknown:
        return workload  # where not all is known, nothing is told
    return workload.replace(extra={**workload.extra, NODES: np.array(texts)})


def _numbers(word: str, number: dict[str, int]) -> list[int]:
    """The nodes of a list of hosts; none if one of them is not known."""
    try:
        found = [number.get(host, -1) for host in hosts(word, len(number))]
    except ValueError:
        return []
    return [] if -1 in found else sorted(set(found))


def _spread(nodes: list[int], units: int) -> str:
    each, more = divmod(units, len(nodes))
    return " ".join(
        f"{node}:{each + (k < more)}" for k, node in enumerate(nodes) if each + (k < more)
    )


def _renumbered(workload: Workload, words: tuple[str, ...], cluster: Cluster) -> Workload:
    numbers = {one.name: one.number for one in cluster.partitions}
    column = workload.extra[PARTITION]
    unknown = [word for k, word in enumerate(words) if word not in numbers and (column == k).any()]
    if unknown:
        raise InputError(
            f"'{workload.name}' has jobs in partition '{shortened(unknown[0])}', which cluster "
            f"'{cluster.name}' does not have; it has {listed(numbers)}. Leave them out with --without "
            f"partition={shortened(','.join(unknown))}, or add it to the cluster."
        )
    anew = np.array([numbers.get(word, UNKNOWN) for word in words], np.int64)
    told = [""] * (max(numbers.values()) + 1)
    for name, number in numbers.items():
        told[number] = name
    moved = np.where(column >= 0, anew[column], UNKNOWN)
    return workload.replace(
        extra={**workload.extra, PARTITION: moved}, names={**workload.names, PARTITION: tuple(told)}
    )
