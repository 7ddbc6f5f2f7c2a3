"""The naive room on nodes with arrays instead of nodes one by one: for machines of a thousand nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.cluster import Cluster
from tests.oracle.naive_nodes import NaiveNodes
from tests.oracle.naive_scheduler import Block, NaiveJob


class ArrayNodes(NaiveNodes):
    """First fit on nodes that jobs share. What is used at a moment is still added up job by job."""

    def __init__(self, cluster: Cluster, workload: Any) -> None:
        super().__init__(cluster, workload, "first-fit")
        assert not any(self.whole)
        self._capacity = cluster.capacity()
        self._needs = np.array([list(needs.values()) for needs in self.needs])

    def _free_at(self, blocks: list[Block], moment: int) -> Any:
        free = self._capacity.copy()
        for block in blocks:
            if block.begin <= moment < block.end:
                where = np.array(list(block.where))
                units = np.array(list(block.where.values()))
                free[where] -= units[:, None] * self._needs[block.job.number]
        return free

    def _rooms_at(self, blocks: list[Block], job: NaiveJob, moment: int) -> Any:
        free = self._free_at(blocks, moment)
        some = self._needs[job.number] > 0
        return (free[:, some] // self._needs[job.number][some]).min(axis=1).clip(min=0)

    def rooms(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> list[int]:
        found = np.full(len(self.capacity), self.units[job.number])
        for moment in [begin] + [b.begin for b in blocks if begin < b.begin < end]:
            found = np.minimum(found, self._rooms_at(blocks, job, moment))
        return [int(count) for count in found]

    def where(self, blocks: list[Block], job: NaiveJob, now: int, begin: int) -> dict[int, int]:
        rooms = np.array(self.rooms(blocks, job, begin, begin + job.estimate))
        liking = np.zeros(len(rooms))
        if begin > now:
            free = self._free_at(blocks, now)
            there = np.maximum(self._capacity, 1)
            liking = -(1024 * (self._capacity - free) // there).max(axis=1)
        left, found = self.units[job.number], {}
        for node in np.lexsort((np.arange(len(rooms)), liking)).tolist():
            if left and rooms[node]:
                found[node] = min(left, int(rooms[node]))
                left -= found[node]
        return found
