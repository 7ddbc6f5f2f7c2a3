"""What jobs of a live Slurm need of its nodes: units, what each needs, and where it may run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from packwise.adapters.slurm.snapshot import NodeState, QueuedJob
from packwise.files.hostlists import hosts
from packwise.model.cluster import Cluster
from packwise.model.demands import has_features
from packwise.model.workload import Ints


class Request(NamedTuple):
    """Units, what each needs by resource of the cluster, and the nodes on which it may run: 1, else 0."""

    units: int
    per_unit: tuple[int, ...]
    open: Ints


class Requests:
    """What jobs need of a cluster, as it is configured."""

    def __init__(self, cluster: Cluster, nodes: Sequence[NodeState]) -> None:
        self._resources = cluster.resources
        self._capacity = cluster.capacity()
        self._cores = self._capacity[:, self._resources.index("cores")]
        self._place = {node.name: k for k, node in enumerate(nodes)}
        self._used = [node.used_cpus for node in nodes]
        self._features = [node.features for node in nodes]
        self._of_partition = {one.name: cluster.open_to(one) for one in cluster.partitions}
        self._whole = cluster.whole_nodes()
        self._masks: dict[tuple[object, ...], Ints] = {}

    def of(self, job: QueuedJob) -> Request:
        """What a waiting job asks for.

        On shared nodes Slurm tells how many nodes a job needs at least, not whether it may have more: it is
        planned on that many, with as many cores on each as the one with most tasks needs; if there are no such
        nodes, task by task.
        """
        mask = self._open(job)
        if job.alone or bool(mask.any() and self._whole[mask > 0].all()):
            # Whole nodes: as many cores as the smallest has that it may use.
            cores = int(self._cores[mask > 0].min()) if mask.any() else 1
            return Request(job.nodes, self._needs(job, job.nodes, cores), mask)
        each = job.cpus_per_task if job.cpus % job.cpus_per_task == 0 else 1
        cores = -(-(job.cpus // each) // job.nodes) * each
        largest = int(self._cores[mask > 0].max(initial=0))
        if cores <= max(largest, 1) or job.gpus:
            return Request(job.nodes, self._needs(job, job.nodes, cores), mask)
        return Request(job.cpus // each, self._needs(job, job.cpus // each, each), mask)

    def running(self, job: QueuedJob) -> Request:
        """What a job that runs has: node by node if it has the same of each, else core by core."""
        mask = self._open(job)
        cores = -(-job.cpus // job.nodes)
        # Of a node on which less is used than that it cannot have as much.
        even = job.cpus % job.nodes == 0 and all(
            self._used[place] >= cores for place in self.places(job.held)
        )
        if even or job.gpus:
            return Request(job.nodes, self._needs(job, job.nodes, cores), mask)
        return Request(job.cpus, self._needs(job, job.cpus, 1), mask)

    def _needs(self, job: QueuedJob, units: int, cores: int) -> tuple[int, ...]:
        there = {
            "cores": cores,
            "memory": -(-job.memory // units),
            "gpus": -(-job.gpus // units),
        }
        return tuple(there.get(name, 0) for name in self._resources)

    def _open(self, job: QueuedJob) -> Ints:
        key = (job.partitions, job.features, job.required, job.excluded, job.nodes)
        found = self._masks.get(key)
        if found is None:
            found = self._masks[key] = self._mask(job)
        return found

    def _mask(self, job: QueuedJob) -> Ints:
        mask = np.zeros(len(self._place), np.int64)
        for partition in job.partitions:
            mask |= self._of_partition.get(partition, 0)
        if job.features:
            mask &= np.array(
                [int(has_features(there, job.features)) for there in self._features], np.int64
            )
        mask[self.places(job.excluded)] = 0
        wanted = self.places(job.required)
        if len(wanted) >= job.nodes:
            only = np.zeros_like(mask)
            only[wanted] = 1
            mask &= only
        return mask

    def places(self, text: str) -> list[int]:
        """The numbers of the nodes of a list; of one that is not known, or no list, nothing."""
        try:
            return [self._place[name] for name in hosts(text) if name in self._place]
        except ValueError:
            return []
