"""Nodes that go out and come back while a replay goes on.

Outages are rare: the loops stop at the moments at which one begins or ends, and what is to be done is done
here. A node that is out has no seats until the outage ends. A job that is killed gives back what it has as one
that ends does, and waits again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.compiled import compiled
from packwise.engine.belief import INTERRUPTED, tell
from packwise.engine.decide import call
from packwise.engine.memory import State
from packwise.engine.nodes.group import RELEASED, RING
from packwise.engine.nodes.shown import block_until
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    CLOCK,
    CORE,
    CORRECTED,
    ENDED,
    ENDS,
    FREE,
    JOBS,
    LEARNS,
    MACHINE,
    NEW,
    NODES,
    NOW,
    OUT_CHANGED,
    OUT_NEW,
    OVERRUNS,
    QUEUE,
    RETURNED,
    ROOM_KERNEL,
    SLEEP_KERNEL,
    STARTING,
    Core,
)
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.run import Interrupted
from packwise.model.workload import Ints


@compiled
def tell_interrupted(state, killed):
    """Let the predictor know, if there is one, that these jobs run no more."""
    core = group(state, CORE, Core)
    if core.belief[LEARNS]:
        for job in killed:
            tell(core.belief, core.counters, INTERRUPTED, job)


def moments(cluster: Cluster) -> Ints:
    """When an outage begins or ends."""
    return np.unique(
        np.array([t for outage in cluster.outages for t in (outage.begin, outage.end)], np.int64)
    )


class Outages:
    """The outages of a cluster, and what they have done to a replay so far."""

    def __init__(self, state: State, cluster: Cluster) -> None:
        self._state = state
        self._outages = cluster.outages
        #: By node: when it comes back, or 0.
        self.out: Ints = np.zeros(cluster.nodes, np.int64)
        self._lost: list[tuple[int, int, int, dict[int, int]]] = []

    def change(self) -> None:
        """Take out the nodes whose outage begins at this moment, and take back those that it ends for."""
        state = self._state
        counters = state[CORE].counters
        now = int(counters[NOW])
        begins = [outage for outage in self._outages if outage.begin == now]
        before, self.out = self.out, np.zeros_like(self.out)
        for outage in self._outages:
            if outage.begin <= now < outage.end:
                there = list(outage.nodes)
                self.out[there] = np.maximum(self.out[there], outage.end)
        counters[OUT_CHANGED] = int((self.out != before).any())
        counters[OUT_NEW] = int(bool(begins))
        self._note_back(np.flatnonzero((before > 0) & (self.out == 0)))
        for outage in begins:
            nodes = np.unique(np.array(outage.nodes, np.int64))
            block_until(state.address, now, nodes, np.full(len(nodes), outage.end))
        killing = [node for outage in begins if outage.kill for node in outage.nodes]
        if killing:
            self._kill(now, self._on(np.array(killing, np.int64)))

    @property
    def interrupted(self) -> Interrupted:
        """The runs that were cut short, in the order of their ends."""
        columns = np.array([lost[:3] for lost in self._lost], np.int64).reshape(-1, 3)
        where = Allocation.from_parts(lost[3] for lost in self._lost)
        job, start, end = columns.T
        return Interrupted(job, start, end, where)

    def _note_back(self, nodes: Ints) -> None:
        """Something has become free on these nodes."""
        machine: Any = self._state[NODES]
        for node in nodes.tolist():
            machine.released[machine.numbers[RELEASED] % RING] = node
            machine.numbers[RELEASED] += 1

    def _on(self, nodes: Ints) -> Ints:
        """The running jobs that have units on these nodes, by their numbers."""
        clock, machine = self._state[CLOCK], self._state[NODES]
        running = clock.begun[clock.end_place[: self._state[CORE].counters[ENDS]]]
        wanted = np.zeros(len(machine.head), np.bool_)
        wanted[nodes] = True
        hit = [
            job
            for job in running.tolist()
            if wanted[machine.node[machine.first[job] :][: machine.held[job]]].any()
        ]
        return np.array(sorted(hit), np.int64)

    def _kill(self, now: int, killed: Ints) -> None:
        """End these jobs, and let them wait again."""
        state, size = self._state, len(killed)
        if not size:
            return
        tell_interrupted(state.address, killed)
        clock, machine, c = state[CLOCK], state[NODES], state[CORE].counters
        for job in killed.tolist():
            part = slice(machine.first[job], machine.first[job] + machine.held[job])
            held = zip(machine.node[part].tolist(), machine.share[part].tolist(), strict=True)
            # Its nodes may have been booting.
            start = min(int(clock.start[job] + clock.late[job]), now)
            self._lost.append((job, start, now, dict(sorted(held))))
        # To the room on the machine it is as if they had ended.
        mine = np.array([ENDED, CORRECTED, NEW, STARTING])
        kept, ended = c[mine].copy(), clock.ended[: c[ENDED]].copy()
        clock.ended[:size] = killed
        c[mine] = size, 0, c[ARRIVED], 0
        call(c[ROOM_KERNEL], state.address)
        if c[SLEEP_KERNEL]:
            call(c[SLEEP_KERNEL], state.address)
        c[mine] = kept
        clock.ended[: len(ended)] = ended
        c[FREE] += state[JOBS].demand[killed].sum()
        job = clock.begun[clock.end_place[: c[ENDS]]]
        c[ENDS] = _without(clock.end_time, clock.end_place, np.isin(job, killed))
        over = clock.over_job[: c[OVERRUNS]]
        c[OVERRUNS] = _without(clock.over_time, clock.over_job, np.isin(over, killed))
        jobs, late = state[JOBS], clock.late[killed]
        for column in (jobs.runtime, jobs.limit, jobs.estimate):
            column[killed] -= late
        clock.late[killed] = 0
        clock.start[killed] = -1
        state[MACHINE].planned[killed] = -1
        machine.held[killed] = 0
        state[QUEUE].returned[:size] = killed
        c[RETURNED] = size
        # They will be started once more.
        state[CLOCK] = clock._replace(begun=np.concatenate([clock.begun, np.zeros_like(killed)]))


def _without(times: Ints, numbers: Ints, dropped: Any) -> int:
    """Drop entries of a heap. Returns how many are left: sorted ones are a heap."""
    size = len(dropped)
    left = np.flatnonzero(~dropped)
    left = left[np.lexsort((numbers[:size][left], times[:size][left]))]
    times[: len(left)], numbers[: len(left)] = times[left], numbers[left]
    return len(left)
