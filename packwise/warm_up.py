"""The compiled parts of Packwise, each compiled by itself: now, in processes side by side, or when first used.

Compiled code is kept on disk beside its source. Whoever starts several processes compiles first what they will
need, so that they find it there instead of all compiling the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from packwise.compiled import is_on_disk

#: Two jobs that meet in a queue.
_LOG = "; MaxProcs: 2\n" + "\n".join(
    f"{job} {submit} 0 {runtime} 2 -1 -1 2 {runtime} -1 1 1 1 1 1 -1 -1 -1"
    for job, submit, runtime in ((1, 0, 9), (2, 1, 5))
)


class Part(NamedTuple):
    """Something compiled: what it is called, the functions that it consists of, and something that has them
    compiled.
    """

    label: str
    functions: Callable[[], tuple[Any, ...]]
    make: Callable[..., object]

    @property
    def is_there(self) -> bool:
        """Whether it needs no compiling."""
        return all(map(is_on_disk, self.functions()))


class Made(NamedTuple):
    """A part that is there, and how long it took, by the clock and by the processor."""

    part: str
    seconds: float
    cpu_seconds: float


_NOTHING, _ONE = np.zeros(1, np.int64), np.ones(1, np.int64)


def _kernel(kernel: Any) -> None:
    """Compile a kernel: it is, once it has an address."""
    assert kernel.address


def _reader() -> tuple[Any, ...]:
    from packwise.workloads.swf.scan import count_lines, scan

    return count_lines, scan


def _read(*_: Any) -> None:
    from packwise.workloads.swf import read_swf

    with TemporaryDirectory() as folder:
        log = Path(folder) / "two.swf"
        log.write_text(_LOG + "\n")
        read_swf(log)


def _loop() -> tuple[Any, ...]:
    from packwise.engine.decide import call
    from packwise.engine.loop import run
    from packwise.engine.pool.room import pool_room
    from packwise.engine.step import step_events, step_start

    return pool_room, run, call, step_events, step_start


def _make_loop(room: Any, run: Any, call: Any, events: Any, start: Any) -> None:
    from numba import int64

    _kernel(room)
    for function, arguments in ((run, 2), (call, 2), (events, 1), (start, 3)):
        function.compile((int64,) * arguments)


def _lists() -> tuple[Any, ...]:
    from packwise.engine.pool.list_round import list_round

    return (list_round,)


def _slurm() -> tuple[Any, ...]:
    from packwise.engine.slurm.on_pool import slurm_round

    return (slurm_round,)


def _node_slurm() -> tuple[Any, ...]:
    from packwise.engine.slurm.on_nodes import nodes_slurm_round

    return (nodes_slurm_round,)


def _promises() -> tuple[Any, ...]:
    from packwise.engine.pool.conservative import conservative_round

    return (conservative_round,)


def _deadlines() -> tuple[Any, ...]:
    from packwise.engine.pool.deadline_backfilling import deadline_round

    return (deadline_round,)


def _nodes() -> tuple[Any, ...]:
    from packwise.engine.nodes.host import free_now, place_now
    from packwise.engine.nodes.placing import place_in_turn
    from packwise.engine.nodes.room import nodes_and_pool_room, nodes_room
    from packwise.engine.nodes.shown import hold_until

    return nodes_room, nodes_and_pool_room, free_now, place_now, place_in_turn, hold_until


def _make_nodes(room: Any, both: Any, free: Any, place: Any, turn: Any, until: Any) -> None:
    from numba import int64, types

    _kernel(room)
    _kernel(both)
    row = types.Array(int64, 1, "C")
    free.compile((int64, types.Array(int64, 2, "C")))
    place.compile((int64, row))
    turn.compile((int64, row, row, row))
    read = types.Array(int64, 1, "C", readonly=True)
    until.compile((int64, int64, read, row, read, row))


def _node_lists() -> tuple[Any, ...]:
    from packwise.engine.nodes.list_round import nodes_list_round

    return (nodes_list_round,)


def _node_promises() -> tuple[Any, ...]:
    from packwise.engine.nodes.conservative import nodes_conservative_round

    return (nodes_conservative_round,)


def _node_search() -> tuple[Any, ...]:
    from packwise.optimise.kernels.nodes_search_round import nodes_search_round

    return (nodes_search_round,)


def _sleep() -> tuple[Any, ...]:
    from packwise.engine.sleep import sleeping

    return (sleeping,)


def _fair_starts() -> tuple[Any, ...]:
    from packwise.engine.fair_start import fair_starts

    return (fair_starts,)


def _search() -> tuple[Any, ...]:
    from packwise.optimise.kernels.search_round import search_round
    from packwise.optimise.kernels.standing import note_all
    from packwise.optimise.kernels.trust import judge_all

    return search_round, judge_all, note_all


def _make_search(kernel: Any, judge: Any, note: Any) -> None:
    from packwise.optimise.kernels.standing import STANDING
    from packwise.optimise.kernels.workspace import EXPERIENCE

    _kernel(kernel)
    judge(np.zeros(EXPERIENCE, np.int64), _ONE, _ONE)
    none = np.empty(0)
    note(np.zeros(STANDING), 1.0, none, none, none)


def _plans() -> tuple[Any, ...]:
    from packwise.optimise.kernels.insertion import insert_in_order

    return (insert_in_order,)


def _bounds() -> tuple[Any, ...]:
    from packwise.optimise.kernels.fluid import pour_or_place, prices_alone, starts_alone

    return pour_or_place, prices_alone, starts_alone


def _make_bounds(*_: Any) -> None:
    from packwise.optimise.bounds import bound_of_metric
    from packwise.optimise.round import Round

    round = Round(0, 2, _NOTHING, _NOTHING, _ONE, _ONE, _NOTHING, 2 * _ONE)
    bound_of_metric("P2SF", round)


def _offline() -> tuple[Any, ...]:
    from packwise.optimise.kernels.offline import follow, improve, insert_in_order, sums_of
    from packwise.optimise.kernels.offline_bound import relaxed

    return follow, improve, insert_in_order, sums_of, relaxed


def _make_offline(*_: Any) -> None:
    from packwise.optimise.offline import Budget, Log, solve

    submit, demand, runtime = np.array([[0, 1], [2, 2], [9, 5]])
    solve(Log(submit, demand, runtime, 2, "AF"), Budget(evaluations=10))


def _profit() -> tuple[Any, ...]:
    from packwise.optimise.kernels.profit_bound import relaxed
    from packwise.optimise.kernels.profit_insertion import insert_in_order
    from packwise.optimise.kernels.profit_search import follow, improve
    from packwise.optimise.kernels.profit_value import cost_of_plan

    return insert_in_order, cost_of_plan, follow, improve, relaxed


def _node_profit() -> tuple[Any, ...]:
    from packwise.optimise.kernels.profit_nodes import hold_running, insert_on_nodes

    return insert_on_nodes, hold_running


def _make_profit(*_: Any) -> None:
    from packwise.optimise.profit.compiling import compile_profit

    compile_profit(on_nodes=False)


def _make_node_profit(*_: Any) -> None:
    from packwise.optimise.profit.compiling import compile_profit

    compile_profit(on_nodes=True)


def _trees() -> tuple[Any, ...]:
    from packwise.predict.kernels.trees import sum_of_leaves

    return (sum_of_leaves,)


def _make_trees(*_: Any) -> None:
    from packwise.predict.kernels.trees import forest

    forest([{"tree_structure": {"leaf_value": 0.0}}]).value(np.zeros(1))


def _predictor(module: str, name: str) -> Callable[[], tuple[Any, ...]]:
    def functions() -> tuple[Any, ...]:
        return (getattr(import_module(f"packwise.predict.kernels.{module}"), name),)

    return functions


#: The compiled predictors: the module of the kernel, and its name.
_PREDICTORS = {
    "last2": ("last2", "last2"),
    "hierarchy": ("hierarchy", "hierarchy"),
    "sp": ("survival", "survival"),
    "cvh": ("regression", "regression"),
    "data-driven": ("data_driven", "data_driven"),
    "ceiling": ("ceiling", "ceiling"),
    "knn": ("knn", "knn"),
}


def parts() -> dict[str, Part]:
    """All parts by name, those that take longest first."""
    predictors = {
        name: Part(f"Estimates: {name}", _predictor(*kernel), _kernel)
        for name, kernel in _PREDICTORS.items()
    }
    return {
        "search": Part("Order search", _search, _make_search),
        "node-search": Part("Order search on nodes", _node_search, _kernel),
        "lists": Part("List scheduling", _lists, _kernel),
        "offline": Part("Off-line search", _offline, _make_offline),
        "deadlines": Part("Deadline-based backfilling", _deadlines, _kernel),
        "loop": Part("Event loop", _loop, _make_loop),
        "node-promises": Part("Conservative backfilling on nodes", _node_promises, _kernel),
        "node-lists": Part("List scheduling on nodes", _node_lists, _kernel),
        "nodes": Part("Nodes", _nodes, _make_nodes),
        "node-slurm": Part("Slurm on nodes", _node_slurm, _kernel),
        "slurm": Part("Slurm", _slurm, _kernel),
        "sleep": Part("Nodes that sleep", _sleep, _kernel),
        "node-profit": Part("Plans for profit on nodes", _node_profit, _make_node_profit),
        "profit": Part("Plans for profit", _profit, _make_profit),
        "bounds": Part("Bounds", _bounds, _make_bounds),
        "reader": Part("Reader of workload logs", _reader, _read),
        "promises": Part("Conservative backfilling", _promises, _kernel),
        "fair-starts": Part(
            "Fair start times", _fair_starts, lambda f: f(_ONE, _ONE, 2 * _ONE, _ONE, 1)
        ),
        "plans": Part(
            "Plans of a round", _plans, lambda f: f(_NOTHING, _ONE, _ONE, _NOTHING, _ONE)
        ),
        "trees": Part("Trees of gbm", _trees, _make_trees),
        **predictors,
        "corrections": Part("Corrections", _predictor("conditional", "conditional"), _kernel),
    }


def missing(names: Iterable[str]) -> list[str]:
    """Those of the named parts that are not compiled yet."""
    known = parts()
    return [name for name in known if name in set(names) and not known[name].is_there]


def make(name: str) -> Made:
    """Compile a part in this process, or load it."""
    begin, cpu = time.perf_counter(), time.process_time()
    part = parts()[name]
    part.make(*part.functions())
    return Made(name, time.perf_counter() - begin, time.process_time() - cpu)


def make_all(names: Iterable[str], processes: int | None = None) -> Iterator[Made]:
    """Compile what is missing of these parts in processes side by side, as many as there are cores; each as it
    is done.
    """
    wanted = missing(names)
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
