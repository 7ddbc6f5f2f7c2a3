"""Whole replays: allocate, run the compiled loop in slices, report progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from packwise.engine.conservative import run_conservative
from packwise.engine.deadline_backfilling import run_deadline_backfilling
from packwise.engine.expectation import Expectation
from packwise.engine.list_loop import BAD_ESTIMATE, BAD_KEY, DONE, run_list
from packwise.engine.state import (
    ARRIVED,
    ROUNDS,
    Clock,
    Jobs,
    Log,
    Machine,
    Rules,
    new_clock_table,
    new_counters,
    new_job_table,
    new_lists,
    new_log,
    new_machine,
    new_queue,
    new_scratch,
)
from packwise.model.errors import PolicyFailed
from packwise.model.run import RoundLog
from packwise.model.workload import Ints, Workload

#: Seconds of compiled code between two chances to report progress or to be interrupted, about.
SLICE_SECONDS = 0.2

Progress = Callable[[int], None]


class Replayed(NamedTuple):
    """Start of each job (-1: rejected), the log of rounds, wall seconds of the engine alone, the estimate
    of each job at submission, how often it was corrected, and the latest start it was promised (None: by a
    policy that makes no promises).
    """

    start: Ints
    rounds: RoundLog
    seconds: float
    first_estimate: Ints
    corrections: Ints
    promised: Ints | None = None


def replay_list(
    rules: Rules,
    function: Any,
    workload: Workload,
    expected: Expectation,
    procs: int,
    progress: Progress | None,
) -> Replayed:
    """Replay a workload under a point of the list-scheduling family."""
    return run_in_slices(
        lambda *state: run_list(rules, function, *state), workload, expected, procs, progress
    )


def replay_conservative(
    at_once: bool,
    workload: Workload,
    expected: Expectation,
    procs: int,
    progress: Progress | None,
) -> Replayed:
    """Replay a workload under conservative backfilling."""
    return run_in_slices(
        lambda *state: run_conservative(at_once, *state),
        workload,
        expected,
        procs,
        progress,
        promises=True,
    )


def replay_deadline_backfilling(
    at_once: bool,
    workload: Workload,
    expected: Expectation,
    procs: int,
    progress: Progress | None,
) -> Replayed:
    """Replay a workload under deadline-based backfilling."""
    n = len(workload)
    lists, window = new_lists(n), new_counters(procs)
    room = new_machine(n)

    def loop(
        belief: Any, jobs: Jobs, clock: Clock, queue: Any, machine: Machine, *rest: Any
    ) -> int:
        base = machine._replace(times=room.times, free=room.free)
        return int(
            run_deadline_backfilling(
                at_once, lists, base, window, belief, jobs, clock, queue, machine, *rest
            )
        )

    return run_in_slices(loop, workload, expected, procs, progress, promises=True)


def run_in_slices(
    loop: Callable[..., int],
    workload: Workload,
    expected: Expectation,
    procs: int,
    progress: Progress | None,
    rounds: int = 256,
    promises: bool = False,
) -> Replayed:
    """Run a compiled loop until nothing is left, with pauses to report progress or to be interrupted: the first
    after so many rounds, the others about as often as it takes.
    """
    n = len(workload)
    counters = new_counters(procs)
    clock = Clock(*new_clock_table(n))
    jobs = Jobs(*new_job_table(workload, expected.initial))
    log = new_log(n)
    machine = new_machine(n)
    state = (
        expected.belief,
        jobs,
        clock,
        new_queue(n),
        machine,
        counters,
        new_scratch(n),
    )
    loop(*state, log, 0)  # loads or compiles the loop, and runs nothing
    begin = time.perf_counter()
    sliced = begin
    while (outcome := loop(*state, log, rounds)) != DONE:
        now = time.perf_counter()
        fitting = int(rounds * SLICE_SECONDS / max(now - sliced, 1e-6))
        rounds = max(1, min(2 * rounds, fitting))
        sliced = now
        if outcome == BAD_KEY:
            job = workload.id[max(int(counters[ARRIVED]) - 1, 0)]
            raise PolicyFailed(
                f"the order's key function did not give a finite number, at the latest at job {job}: "
                "a key should be a finite number for every waiting job."
            )
        if outcome == BAD_ESTIMATE:
            raise expected.failure(workload, counters)
        if counters[ROUNDS] == log.time.size:
            log = Log(*(np.concatenate([column, column]) for column in log))
        if progress is not None:
            progress(int(counters[ARRIVED]))
    seconds = time.perf_counter() - begin
    if progress is not None:
        progress(n)
    total = int(counters[ROUNDS])
    shown = RoundLog(log.time[:total], log.queued[:total], log.started[:total])
    promised = machine.promised if promises else None
    return Replayed(clock.start, shown, seconds, jobs.first, jobs.corrections, promised)
