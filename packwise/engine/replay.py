"""Whole replays: allocate, run the compiled loop in slices, report progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from packwise.engine.expectation import Expectation
from packwise.engine.kernel import BAD_ESTIMATE, BAD_KEY
from packwise.engine.loop import CHANGED, DONE, run
from packwise.engine.memory import Group, State
from packwise.engine.nodes.group import NO_NODES
from packwise.engine.nodes.outages import Outages, moments
from packwise.engine.nodes.replay import OnNodes, allocation_of, fill_machine, new_machine
from packwise.engine.nodes.room import nodes_room
from packwise.engine.sleep import begin_sleep, new_sleep
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    BEGUN,
    CLOCK,
    CORE,
    JOBS,
    LOG,
    MACHINE,
    NODES,
    RELEASES,
    ROOM_KERNEL,
    ROUND_KERNEL,
    ROUNDS,
    Log,
    new_replay,
)
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.errors import PolicyFailed, Stalled
from packwise.model.run import Interrupted, RoundLog
from packwise.model.workload import Ints, Workload

#: Seconds of compiled code between two chances to report progress or to be interrupted, about.
SLICE_SECONDS = 0.2

Progress = Callable[[int], None]


class Course(NamedTuple):
    """The course that a replay took: start of each job (-1: rejected), the log of rounds, wall seconds of the
    engine alone, the estimate of each job at submission, how often it was corrected, the latest start it
    was promised (None: by a policy that makes no promises), where it ran (None: on a pool), and the jobs in the
    order in which they were started; where nodes can go out, the runs that this has cut short; and how long
    jobs have waited for nodes to boot.
    """

    start: Ints
    rounds: RoundLog
    seconds: float
    first_estimate: Ints
    corrections: Ints
    promised: Ints | None
    allocation: Allocation | None
    begun: Ints
    interrupted: Interrupted | None = None
    booting: Ints | None = None


class Replay:
    """One replay of a workload: its state, and the compiled loop over it. ``nodes``: where they matter."""

    def __init__(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        round_kernel: Any,
        room_kernel: Any | None,
        *policy: Group,
        nodes: OnNodes | None = None,
    ) -> None:
        self._workload = workload
        self._expected = expected
        self._on_nodes = nodes is not None
        self.state: State = new_replay(
            workload,
            expected.initial,
            expected.belief,
            cluster.procs,
            *policy,
            nodes=NO_NODES if nodes is None else new_machine(cluster, nodes),
            sleep=new_sleep(cluster, nodes is not None and not nodes.pooled, len(workload)),
            changes=moments(cluster),
        )
        begin_sleep(self.state, cluster, int(workload.submit[0]))
        self._outages = Outages(self.state, cluster)
        if nodes is not None:
            fill_machine(self.state[NODES], cluster, nodes)
        self.counters: Ints = self.state[CORE].counters
        self.counters[ROUND_KERNEL] = round_kernel.address
        if room_kernel is not None:
            self.counters[ROOM_KERNEL] = room_kernel.address
            self.counters[RELEASES] = room_kernel is not nodes_room

    def run(
        self,
        progress: Progress | None,
        *,
        rounds: int = 256,
        promises: bool = False,
        failure: Callable[[int], Exception] | None = None,
    ) -> Course:
        """Run until nothing is left, with pauses to report progress or to be interrupted: the first after so
        many rounds, the others about as often as it takes. ``failure`` explains what a policy's own kernel
        says is wrong.
        """
        state, counters, n = self.state, self.counters, len(self._workload)
        log: Log = state[LOG]
        run(state.address, 0)  # loads or compiles the loop, and runs nothing
        begin = time.perf_counter()
        sliced = begin
        while (outcome := run(state.address, rounds)) != DONE:
            if outcome < 0:
                raise self._failure(outcome, failure)
            if outcome == CHANGED:
                self._outages.change()
                if counters[BAD_JOB] >= 0:
                    raise self._failure(BAD_ESTIMATE, failure)
                continue
            now = time.perf_counter()
            fitting = int(rounds * SLICE_SECONDS / max(now - sliced, 1e-6))
            rounds = max(1, min(2 * rounds, fitting))
            sliced = now
            if counters[ROUNDS] == log.time.size:
                # Promises that overruns break may need more than a round per arrival and completion.
                log = Log(*(np.concatenate([column, column]) for column in log))
                state[LOG] = log
            if progress is not None:
                progress(int(counters[ARRIVED]))
        seconds = time.perf_counter() - begin
        waiting = np.flatnonzero(state[CLOCK].start < 0)
        if waiting.size:
            first = int(waiting[0])
            raise Stalled(
                f"{waiting.size} job(s) never started, the first being job "
                f"{self._workload.id[first]}, though the machine is idle: a mistake of Packwise. Please "
                "report it."
            )
        if progress is not None:
            progress(n)
        total = int(counters[ROUNDS])
        jobs = state[JOBS]
        # Copies: whoever keeps a column would keep the whole state alive. Those of the jobs are not of it.
        times, queued, started = (column[:total].copy() for column in log)
        return Course(
            state[CLOCK].start + state[CLOCK].late,
            RoundLog(times, queued, started),
            seconds,
            jobs.first,
            jobs.corrections,
            state[MACHINE].promised.copy() if promises else None,
            allocation_of(state[NODES], state[CLOCK].start) if self._on_nodes else None,
            state[CLOCK].begun[: counters[BEGUN]].copy(),
            self._outages.interrupted if self._on_nodes else None,
            state[CLOCK].late.copy(),
        )

    def _failure(self, outcome: int, explain: Callable[[int], Exception] | None) -> BaseException:
        if outcome == BAD_ESTIMATE:
            return self._expected.failure(self._workload, self.counters)
        if outcome == BAD_KEY:
            job = self._workload.id[max(int(self.counters[ARRIVED]) - 1, 0)]
            return PolicyFailed(
                f"the order's key function did not give a finite number, at the latest at job {job}: "
                "a key should be a finite number for every waiting job."
            )
        assert explain is not None
        return explain(outcome)
