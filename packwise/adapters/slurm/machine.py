"""The cluster that a live Slurm shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from packwise.adapters.slurm.snapshot import NodeState
from packwise.clusters.slurm_conf import cluster_of
from packwise.clusters.slurm_scheduler import SchedulerSettings
from packwise.files.hostlists import hosts
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError

_WHERE = "scontrol show"


def machine(
    settings: Mapping[str, str],
    nodes: Iterable[NodeState],
    partitions: Iterable[Mapping[str, str]],
    remarks: list[str],
) -> Cluster:
    """Nodes and partitions as a cluster; those of less weight come first, as Slurm takes them first."""
    # One that has never registered may show no cores, and a cluster wants some.
    ordered = sorted((node for node in nodes if node.cpus > 0), key=lambda node: node.weight)
    if not ordered:
        raise InputError(
            "Slurm shows no nodes. Does `scontrol show node` list them to this account?"
        )
    counts_memory = "memory" in settings.get("selecttypeparameters", "").lower()
    capacity = {}
    for node in ordered:
        there = {"cores": node.cpus}
        if counts_memory:
            there["memory"] = node.memory
        if any(one.gpus for one in ordered):
            there["gpus"] = node.gpus
        capacity[node.name] = there
    told = [
        (one["partitionname"], line, {**one, "nodes": _known(one, capacity, remarks)})
        for line, one in enumerate(partitions, 1)
    ]
    alone = settings.get("selecttype", "") == "select/linear"
    if alone:
        told = [(name, line, {**one, "oversubscribe": "EXCLUSIVE"}) for name, line, one in told]
    return cluster_of(
        _WHERE,
        settings.get("clustername", "slurm"),
        capacity,
        told,
        {node.name: node.features for node in ordered},
        _scheduler(settings, remarks),
    )


def _known(partition: Mapping[str, str], nodes: Mapping[str, object], remarks: list[str]) -> str:
    """The nodes of a partition that are there, as a list."""
    try:
        named = hosts(partition.get("nodes", ""))
    except ValueError:
        named = []
    there = [name for name in named if name in nodes]
    if not there:
        remarks.append(f"partition '{partition['partitionname']}' has no nodes")
    return ",".join(there)


def _scheduler(settings: Mapping[str, str], remarks: list[str]) -> Mapping[str, str]:
    """The settings that Slurm's schedule depends on."""
    found = SchedulerSettings()
    for line, (key, value) in enumerate(settings.items(), 1):
        try:
            found.take(_WHERE, line, {key: value})
        except InputError as error:
            remarks.append(str(error))
    return found.found
