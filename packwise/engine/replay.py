"""Whole replays: allocate, run the compiled loop in slices, report progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from packwise.engine.conservative import run_conservative
from packwise.engine.list_loop import BAD_KEY, DONE, run_list
from packwise.engine.state import (
    ARRIVED,
    ROUNDS,
    Clock,
    Jobs,
    Log,
    Rules,
    new_clock_table,
    new_counters,
    new_job_table,
    new_log,
    new_machine,
    new_queue,
    new_scratch,
)
from packwise.model.errors import PolicyFailed
from packwise.model.workload import Ints, Workload

#: Rounds between two progress reports: a slice takes well under a second on real traces.
SLICE = 20_000

Progress = Callable[[int], None]


def replay_list(
    rules: Rules,
    function: Any,
    workload: Workload,
    estimate: Ints,
    procs: int,
    progress: Progress | None,
) -> tuple[Ints, Log]:
    """Start of each job, and the log of rounds, under a point of the list-scheduling family."""
    return _replay(
        lambda *state: run_list(rules, function, *state), workload, estimate, procs, progress
    )


def replay_conservative(
    workload: Workload, estimate: Ints, procs: int, progress: Progress | None
) -> tuple[Ints, Log]:
    """Start of each job, and the log of rounds, under conservative backfilling."""
    return _replay(run_conservative, workload, estimate, procs, progress)


def _replay(
    loop: Callable[..., int],
    workload: Workload,
    estimate: Ints,
    procs: int,
    progress: Progress | None,
) -> tuple[Ints, Log]:
    n = len(workload)
    counters = new_counters(procs)
    clock = Clock(*new_clock_table(n))
    log = new_log(n)
    state = (
        Jobs(*new_job_table(workload, estimate)),
        clock,
        new_queue(n),
        new_machine(n),
        counters,
        new_scratch(n),
        log,
    )
    while (outcome := loop(*state, SLICE)) != DONE:
        if outcome == BAD_KEY:
            job = workload.id[max(int(counters[ARRIVED]) - 1, 0)]
            raise PolicyFailed(
                f"the order's key function did not give a number, at the latest for job {job}: "
                "a key should be a finite number for every waiting job."
            )
        if progress is not None:
            progress(int(counters[ARRIVED]))
    if progress is not None:
        progress(n)
    rounds = int(counters[ROUNDS])
    return clock.start, Log(log.time[:rounds], log.queued[:rounds], log.started[:rounds])
