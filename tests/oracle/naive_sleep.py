"""Nodes that sleep, for the naive scheduler: each is a moment since when it has had nothing to do."""

from __future__ import annotations

from tests.oracle.naive_scheduler import NaiveJob


class NaiveSleep:
    """Nodes are asleep ``after`` so many seconds without a job, and take ``boot`` seconds to wake."""

    def __init__(self, after: int, boot: int, since: int) -> None:
        self.after, self.boot, self.since = after, boot, since

    def up(self, idle_since: list[int], now: int) -> int:
        """When nodes have booted that have been idle since then."""
        asleep = any(now - since > self.after for since in idle_since)
        return now + self.boot if asleep else now


class NaiveSleepingPool(NaiveSleep):
    """So many processors to a node; the free ones are on as few nodes as can be."""

    def __init__(self, procs: int, size: int, after: int, boot: int, since: int) -> None:
        super().__init__(after, boot, since)
        self.procs, self.size = procs, size
        self.idle = [since] * (procs // size)
        self.spare_up = since  # when the node has booted on which some processors are free

    def ended(self, running: list[NaiveJob], now: int) -> None:
        whole = (self.procs - sum(job.demand for job in running)) // self.size
        self.idle += [now] * (whole - len(self.idle))

    def started(self, job: NaiveJob, running: list[NaiveJob], now: int) -> int:
        """``running``: all who run by now, this one, too."""
        whole = (self.procs - sum(job.demand for job in running)) // self.size
        taken = [
            self.idle.pop(self.idle.index(max(self.idle))) for _ in range(len(self.idle) - whole)
        ]
        up = self.up(taken, now)
        if job.demand > len(taken) * self.size:
            up = max(up, self.spare_up)
        if taken:
            self.spare_up = self.up(taken, now)
        return up - now


class NaiveSleepingNodes(NaiveSleep):
    """The nodes of a cluster."""

    def __init__(self, nodes: int, after: int, boot: int, since: int) -> None:
        super().__init__(after, boot, since)
        self.nodes = range(nodes)
        self.idle = dict.fromkeys(self.nodes, since)
        self.ready = dict.fromkeys(self.nodes, since)

    def ended(self, running: list[NaiveJob], now: int) -> None:
        busy = {node for job in running for node in job.where}
        for node in self.nodes:
            if node not in busy:
                self.idle.setdefault(node, now)

    def started(self, job: NaiveJob, running: list[NaiveJob], now: int) -> int:
        for node in job.where:
            if node in self.idle:
                # A node goes on booting if the job it boots for is killed.
                up = self.up([self.idle.pop(node)], now)
                self.ready[node] = max(self.ready[node], up)
        return max(now, *(self.ready[node] for node in job.where)) - now
