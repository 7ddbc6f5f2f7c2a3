"""A power cap, for the naive scheduler: what jobs draw at a moment is added up job by job."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from tests.oracle.naive_scheduler import Block, NaiveJob


class NaiveCapped:
    """Another room, in which so many watts may be drawn: ``caps`` are times and watts, the last for ever.

    ``watts`` are those of each job; ``idle`` is what a core draws without one, ``procs`` how many there are.
    """

    def __init__(
        self,
        room: Any,
        caps: list[tuple[int, float]],
        watts: list[float],
        idle: float,
        procs: int,
    ) -> None:
        self._room = room
        self._caps = caps
        self._watts = watts
        self._idle = idle
        self._procs = procs
        self.rises = [time for (_, before), (time, after) in pairwise(caps) if after > before]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._room, name)

    @property
    def out(self) -> Any:
        return self._room.out

    @out.setter
    def out(self, nodes: Any) -> None:
        self._room.out = nodes

    def draws(self, jobs: list[NaiveJob]) -> int:
        """What the machine draws while these jobs run, in milliwatts: none less than its cores do idle."""
        more = [self._watts[job.number] - self._idle * job.demand for job in jobs]
        return sum(math.ceil(max(watts, 0.0) * 1000 - 1e-6) for watts in more)

    def allowed(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> bool:
        if self.draws([job]) == 0:
            return True
        moments = {begin, *(b.begin for b in blocks), *(time for time, _ in self._caps)}
        for moment in moments:
            if begin <= moment < end:
                there = [b.job for b in blocks if b.begin <= moment < b.end]
                cap = [watts for time, watts in self._caps if time <= moment][-1]
                if self.draws([*there, job]) > (cap - self._idle * self._procs) * 1000 + 1e-6:
                    return False
        return True

    def fits(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> bool:
        return self._room.fits(blocks, job, begin, end) and self.allowed(blocks, job, begin, end)

    def still_free(self, blocks: list[Block], job: NaiveJob) -> bool:
        assert job.promise is not None
        end = job.promise + job.estimate
        return self._room.still_free(blocks, job) and self.allowed(blocks, job, job.promise, end)
