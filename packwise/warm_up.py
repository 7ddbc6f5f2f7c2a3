"""The compiled parts of Packwise, each compiled by itself: now, in processes side by side, or when first used.

Compiled code is kept on disk beside its source. Whoever starts several processes compiles first what they will
need, so that they find it there instead of all compiling the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

#: Two jobs that meet in a queue.
_LOG = "; MaxProcs: 2\n" + "\n".join(
    f"{job} {submit} 0 {runtime} 2 -1 -1 2 {runtime} -1 1 1 1 1 1 -1 -1 -1"
    for job, submit, runtime in ((1, 0, 9), (2, 1, 5))
)


class Part(NamedTuple):
    """Something compiled: what it is called, and something that has it compiled."""

    label: str
    make: Callable[[], object]


class Made(NamedTuple):
    """A part that is there, and how long it took, by the clock and by the processor."""

    part: str
    seconds: float
    cpu_seconds: float


def _reader() -> None:
    from packwise.workloads.swf import read_swf

    with TemporaryDirectory() as folder:
        log = Path(folder) / "two.swf"
        log.write_text(_LOG + "\n")
        read_swf(log)


def _loop() -> None:
    from numba import int64

    from packwise.engine.decide import call
    from packwise.engine.loop import run
    from packwise.engine.pool.room import pool_room
    from packwise.engine.step import step_events, step_start

    _ = pool_room.address
    for function, arguments in ((run, 2), (call, 2), (step_events, 1), (step_start, 3)):
        function.compile((int64,) * arguments)


def _lists() -> None:
    from packwise.engine.pool.list_round import list_round

    _ = list_round.address


def _promises() -> None:
    from packwise.engine.pool.conservative import conservative_round

    _ = conservative_round.address


def _deadlines() -> None:
    from packwise.engine.pool.deadline_backfilling import deadline_round

    _ = deadline_round.address


def _fair_starts() -> None:
    from packwise.engine.fair_start import fair_starts

    one = np.ones(1, np.int64)
    fair_starts(one, one, 2 * one, one, 1)


def _search() -> None:
    from packwise.optimise.kernels.search_round import judge_all, search_round

    _ = search_round.address
    one = np.ones(1, np.int64)
    judge_all(np.zeros(2, np.int64), one, one)


def _plans() -> None:
    from packwise.optimise.kernels.insertion import insert_in_order

    nothing, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    insert_in_order(nothing, one, one, nothing, one)


def _bounds() -> None:
    from packwise.optimise.bounds import bound_of_metric
    from packwise.optimise.round import Round

    nothing, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    round = Round(0, 2, nothing, nothing, one, one, nothing, 2 * one)
    bound_of_metric("P2SF", round)


def _offline() -> None:
    from packwise.optimise.offline import Budget, Log, solve

    submit, demand, runtime = np.array([[0, 1], [2, 2], [9, 5]])
    solve(Log(submit, demand, runtime, 2, "AF"), Budget(evaluations=10))


def _trees() -> None:
    from packwise.predict.kernels.trees import forest

    forest([{"tree_structure": {"leaf_value": 0.0}}]).value(np.zeros(1))


def _estimates(name: str) -> Callable[[], object]:
    def make() -> object:
        from packwise.model.workload import Workload
        from packwise.predict.catalogue import predictor
        from packwise.predict.predictor import expectation

        jobs = Workload.of([(0, 2, 9, 9), (1, 2, 5, 5)])
        return expectation(predictor(name), jobs)

    return make


def parts() -> dict[str, Part]:
    """All parts by name, those that take longest first."""
    from packwise.predict.catalogue import COMPILED

    known = {
        "search": Part("Order search", _search),
        "lists": Part("List scheduling", _lists),
        "offline": Part("Off-line search", _offline),
        "deadlines": Part("Deadline-based backfilling", _deadlines),
        "loop": Part("Event loop", _loop),
        "bounds": Part("Bounds", _bounds),
        "reader": Part("Reader of workload logs", _reader),
        "promises": Part("Conservative backfilling", _promises),
        "fair-starts": Part("Fair start times", _fair_starts),
        "plans": Part("Plans of a round", _plans),
        "trees": Part("Trees of gbm", _trees),
    }
    for name in COMPILED:
        known[name] = Part(f"Estimates: {name}", _estimates(name))
    known["corrections"] = Part("Corrections", _estimates("last2(corrector=conditional)"))
    return known


def make(name: str) -> Made:
    """Compile a part in this process, or load it."""
    begin, cpu = time.perf_counter(), time.process_time()
    parts()[name].make()
    return Made(name, time.perf_counter() - begin, time.process_time() - cpu)


def make_all(names: Iterable[str], processes: int | None = None) -> Iterator[Made]:
    """Compile parts in processes side by side, as many as there are cores; each as it is done."""
    wanted = [name for name in parts() if name in set(names)]
    count = min(processes or _cores(), len(wanted))
    if count <= 1:
        yield from map(make, wanted)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(make, name) for name in wanted]):
            yield done.result()


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
