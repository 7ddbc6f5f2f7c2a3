"""Room on nodes, for the naive scheduler: what each node has at a moment is added up job by job."""

from __future__ import annotations

from typing import Any

from packwise.model.cluster import Cluster
from packwise.model.demands import demands
from tests.oracle.naive_scheduler import Block, NaiveJob


class NaiveNodes:
    """The nodes of a cluster for the jobs of a workload, and a rule of placement."""

    def __init__(self, cluster: Cluster, workload: Any, rule: str) -> None:
        self.names = cluster.resources
        self.capacity = [
            dict(zip(self.names, row, strict=True)) for row in cluster.capacity().tolist()
        ]
        self.whole = [bool(whole) for whole in cluster.whole_nodes()]
        wanted = demands(workload, cluster)
        self.units = wanted.units.tolist()
        rows = wanted.per_unit[wanted.kind].tolist()
        self.needs = [dict(zip(self.names, row, strict=True)) for row in rows]
        self.open = wanted.open[wanted.where[wanted.kind]].tolist()
        self.rule = rule
        self.outages = cluster.outages
        self.rises: list[int] = []  # of a power cap
        self.out: dict[int, int] = {}  # nodes that are out, and until when
        self.asked = dict.fromkeys(self.names, 0)

    def note(self, job: NaiveJob) -> None:
        for name in self.names:
            self.asked[name] += self.needs[job.number][name] > 0

    def free(self, blocks: list[Block], node: int, moment: int) -> dict[str, int]:
        """What is free on a node at a moment."""
        there = [b for b in blocks if b.begin <= moment < b.end and node in b.where]
        return {
            name: self.capacity[node][name]
            - sum(b.where[node] * self.needs[b.job.number][name] for b in there)
            for name in self.names
        }

    def room_at(self, blocks: list[Block], job: NaiveJob, node: int, moment: int) -> int:
        """How many of any number of its units a node has room for at a moment."""
        if not self.open[job.number][node] or moment < self.out.get(node, 0):
            return 0
        if self.whole[node] and any(b.begin <= moment < b.end and node in b.where for b in blocks):
            return 0
        free, needs = self.free(blocks, node, moment), self.needs[job.number]
        return max(0, min(free[name] // needs[name] for name in self.names if needs[name]))

    def room(self, blocks: list[Block], job: NaiveJob, node: int, begin: int, end: int) -> int:
        """How many of its units a node has room for from a time until another."""
        moments = [begin] + [b.begin for b in blocks if begin < b.begin < end]
        rooms = [self.room_at(blocks, job, node, moment) for moment in moments]
        return min(self.units[job.number], *rooms)

    def rooms(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> list[int]:
        """How many of its units each node has room for from a time until another."""
        nodes = range(len(self.capacity))
        return [self.room(blocks, job, node, begin, end) for node in nodes]

    def still_free(self, blocks: list[Block], job: NaiveJob) -> bool:
        """Whether a job could still have what it was promised."""
        assert job.promise is not None
        end = job.promise + job.estimate
        return all(
            self.room(blocks, job, node, job.promise, end) >= share
            for node, share in job.where.items()
        )

    def fits(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> bool:
        return sum(self.rooms(blocks, job, begin, end)) >= self.units[job.number]

    def busy(
        self, blocks: list[Block], node: int, moment: int, job: NaiveJob, more: int = 0
    ) -> int:
        """The largest share of anything on a node that is taken, in 1024ths, with so many units more."""
        free, there = self.free(blocks, node, moment), self.capacity[node]
        needs = self.needs[job.number]
        taken = {n: there[n] - free[n] + more * needs[n] for n in self.names}
        return max(1024 * taken[n] // there[n] for n in self.names if there[n])

    def scarcity(self, blocks: list[Block], job: NaiveJob, now: int, node: int) -> int:
        """How much others might want what is free on the node and the job does not need."""
        total = 0
        free = self.free(blocks, node, now)
        for name in self.names:
            if free[name] > 0 and not self.needs[job.number][name]:
                without = sum(not capacity[name] for capacity in self.capacity)
                total += self.asked[name] * without
        return total

    def liking(self, blocks: list[Block], job: NaiveJob, now: int, begin: int, node: int) -> Any:
        """The rule: nodes with the smallest come first."""
        idle = 1024 - self.busy(blocks, node, now, job)
        if self.rule == "scarce-last":
            return self.scarcity(blocks, job, now, node), idle
        if begin > now or self.rule == "consolidate":
            return idle
        return {"first-fit": 0, "best-fit": self.room_at(blocks, job, node, now)}[self.rule]

    def where(self, blocks: list[Block], job: NaiveJob, now: int, begin: int) -> dict[int, int]:
        left = self.units[job.number]
        found: dict[int, int] = {}
        rooms = dict(enumerate(self.rooms(blocks, job, begin, begin + job.estimate)))
        if self.rule == "balanced" and begin == now:
            for _ in range(left):
                node = min(
                    (n for n in rooms if rooms[n] > found.get(n, 0)),
                    key=lambda n: (self.busy(blocks, n, now, job, found.get(n, 0)), n),
                )
                found[node] = found.get(node, 0) + 1
            return dict(sorted(found.items()))
        for node in sorted(
            (node for node in rooms if rooms[node]),
            key=lambda node: (self.liking(blocks, job, now, begin, node), node),
        ):
            if left:
                found[node] = min(left, rooms[node])
                left -= found[node]
        assert not left
        return found
