"""The compiled parts of Packwise: what each consists of, and how it is compiled by itself.

A part is what somebody needs as a whole, or not at all. Its functions are named as text, so that whoever needs
a part can ask for it, wherever he stands in the order of imports.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np


class Part(NamedTuple):
    """What it is called; about how long it takes alone, in seconds of a processor; its family, whose parts
    have inner functions in common; its functions, as ``module:name``, those that are called from Python with
    the types of their arguments; and what has them compiled, if these do not tell.
    """

    label: str
    seconds: float
    family: str
    functions: tuple[str, ...]
    sample: Callable[[], object] | None = None

    @property
    def is_there(self) -> bool:
        """Whether it needs no compiling."""
        from packwise.compiled import is_on_disk

        return all(is_on_disk(_named(text)[0]) for text in self.functions)

    def make(self) -> None:
        """Compile it, or load what is compiled already."""
        if self.sample is not None:
            self.sample()
            return
        for text in self.functions:
            function, types = _named(text)
            if types:
                function.compile(types)
            else:
                assert function.address


class Made(NamedTuple):
    """A part that is there, and how long it took, by the clock and by the processor."""

    part: str
    seconds: float
    cpu_seconds: float


def _named(text: str) -> tuple[Any, tuple[Any, ...]]:
    """A function, and the types of its arguments; none for those that are called by their address."""
    from numba import types

    place, bracket, arguments = text.partition("(")
    module, _, name = place.partition(":")
    written = eval(bracket + arguments, vars(types)) if arguments else ()
    return getattr(import_module(f"packwise.{module}"), name), written


def _bounds() -> None:
    from packwise.optimise.bounds import bound_of_metric
    from packwise.optimise.round import Round

    nothing, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    bound_of_metric("P2SF", Round(0, 2, nothing, nothing, one, one, nothing, 2 * one))


def _offline() -> None:
    from packwise.optimise.offline import Budget, Log, solve

    submit, demand, runtime = np.array([[0, 1], [2, 2], [9, 5]])
    solve(Log(submit, demand, runtime, 2, "AF"), Budget(evaluations=10))


def _profit() -> None:
    from packwise.optimise.profit.compiling import compile_profit

    compile_profit(on_nodes=False)


def _node_profit() -> None:
    from packwise.optimise.profit.compiling import compile_profit

    compile_profit(on_nodes=True)


_READ_BYTES = "Array(uint8, 1, 'C', readonly=True)"
_READ_INTS = "Array(int64, 1, 'C', readonly=True)"

#: All parts by name, families together, in each the parts that take longest first.
PARTS = {
    "node-search": Part(
        "Order search on nodes",
        15.6,
        "nodes",
        ("optimise.kernels.nodes_search_round:nodes_search_round",),
    ),
    "search": Part("Order search", 12.4, "nodes", ("optimise.kernels.search_round:search_round",)),
    "node-slurm": Part(
        "Slurm on nodes",
        8.9,
        "nodes",
        (
            "engine.slurm.on_nodes:nodes_slurm_round",
            "engine.slurm.priority:account_for_ends(int64, int64[::1], int64[::1], int64[::1], int64)",
        ),
    ),
    "slurm": Part(
        "Slurm",
        4.2,
        "nodes",
        (
            "engine.slurm.on_pool:slurm_round",
            "engine.slurm.priority:account_for_ends(int64, int64[::1], int64[::1], int64[::1], int64)",
        ),
    ),
    "node-lists": Part(
        "List scheduling on nodes", 8.5, "nodes", ("engine.nodes.list_round:nodes_list_round",)
    ),
    "lists": Part("List scheduling", 5.7, "nodes", ("engine.pool.list_round:list_round",)),
    "node-promises": Part(
        "Conservative backfilling on nodes",
        5.9,
        "nodes",
        ("engine.nodes.conservative:nodes_conservative_round",),
    ),
    "nodes": Part(
        "Nodes",
        2.9,
        "nodes",
        ("engine.nodes.room:nodes_room", "engine.nodes.room:nodes_and_pool_room"),
    ),
    "node-steps": Part(
        "Nodes, step by step",
        2.9,
        "nodes",
        (
            "engine.nodes.host:free_now(int64, int64[:, ::1])",
            "engine.nodes.host:place_now(int64, int64[::1])",
        ),
    ),
    "placing": Part(
        "Nodes for a schedule",
        2.0,
        "nodes",
        ("engine.nodes.placing:place_in_turn(int64, int64[::1], int64[::1], int64[::1])",),
    ),
    "deadlines": Part(
        "Deadline-based backfilling",
        6.3,
        "pool",
        ("engine.pool.deadline_backfilling:deadline_round",),
    ),
    "promises": Part(
        "Conservative backfilling", 3.0, "pool", ("engine.pool.conservative:conservative_round",)
    ),
    "loop": Part(
        "Event loop", 2.7, "pool", ("engine.pool.room:pool_room", "engine.loop:run(int64, int64)")
    ),
    "steps": Part(
        "Event loop, step by step",
        2.0,
        "pool",
        (
            "engine.step:step_events(int64,)",
            "engine.step:step_sets(int64,)",
            "engine.step:step_start(int64, int64, int64)",
        ),
    ),
    "sleep": Part("Nodes that sleep", 2.3, "pool", ("engine.sleep:sleeping",)),
    "profit": Part(
        "Plans for profit",
        7.3,
        "profit",
        (
            "optimise.kernels.profit_insertion:insert_in_order",
            "optimise.kernels.profit_value:cost_of_plan",
            "optimise.kernels.profit_search:follow",
            "optimise.kernels.profit_search:improve",
            "optimise.kernels.profit_bound:relaxed",
        ),
        _profit,
    ),
    "offline": Part(
        "Off-line search",
        4.8,
        "profit",
        (
            "optimise.kernels.offline:follow",
            "optimise.kernels.offline:improve",
            "optimise.kernels.offline:insert_in_order",
            "optimise.kernels.offline:sums_of",
            "optimise.kernels.offline_bound:relaxed",
        ),
        _offline,
    ),
    "node-profit": Part(
        "Plans for profit on nodes",
        5.9,
        "profit",
        (
            "optimise.kernels.profit_nodes:insert_on_nodes",
            "optimise.kernels.profit_nodes:hold_running",
        ),
        _node_profit,
    ),
    "bounds": Part(
        "Bounds",
        2.5,
        "bounds",
        (
            "optimise.kernels.fluid:pour_or_place",
            "optimise.kernels.fluid:prices_alone",
            "optimise.kernels.fluid:starts_alone",
        ),
        _bounds,
    ),
    "reader": Part(
        "Reader of workload logs",
        1.3,
        "reader",
        (
            f"workloads.swf.scan:count_lines({_READ_BYTES},)",
            f"workloads.swf.scan:scan({_READ_BYTES}, int64[:, ::1], float64[:, ::1], int64[::1], "
            "int64[:, ::1], int64[:, ::1])",
        ),
    ),
    "decide": Part(
        "Rounds that are asked for",
        1.0,
        "small",
        (
            "engine.decide:call(int64, int64)",
            f"engine.nodes.shown:hold_until(int64, int64, {_READ_INTS}, int64[::1], {_READ_INTS}, int64[::1])",
            "engine.nodes.shown:block_until(int64, int64, int64[::1], int64[::1])",
            "engine.nodes.shown:draw_until(int64, int64, int64[::1], int64[::1])",
            "engine.nodes.outages:tell_interrupted(int64, int64[::1])",
        ),
    ),
    "experience": Part(
        "What the order search learns",
        1.0,
        "small",
        (
            "optimise.kernels.trust:judge_all(int64[::1], int64[::1], int64[::1])",
            "optimise.kernels.standing:note_all(float64[::1], float64, float64[::1], float64[::1], "
            "float64[::1])",
            "optimise.kernels.sorts:learn_all(float64[::1], float64[::1], int64[::1], int64[:, ::1], "
            "int64[::1], float64, int64[::1], int64[::1], int64[::1], int64)",
        ),
    ),
    "fair-starts": Part(
        "Fair start times",
        0.8,
        "small",
        ("engine.fair_start:fair_starts(int64[::1], int64[::1], int64[::1], int64[::1], int64)",),
    ),
    "plans": Part(
        "Plans of a round",
        0.5,
        "small",
        (
            "optimise.kernels.insertion:insert_in_order(int64[::1], int64[::1], int64[::1], int64[::1], "
            "int64[::1])",
        ),
    ),
    "cvh": Part("Estimates: cvh", 0.9, "small", ("predict.kernels.regression:regression",)),
    "knn": Part("Estimates: knn", 0.7, "small", ("predict.kernels.knn:knn",)),
    "sp": Part("Estimates: sp", 0.3, "small", ("predict.kernels.survival:survival",)),
    "ceiling": Part("Estimates: ceiling", 0.2, "small", ("predict.kernels.ceiling:ceiling",)),
    "hierarchy": Part(
        "Estimates: hierarchy", 0.1, "small", ("predict.kernels.hierarchy:hierarchy",)
    ),
    "last2": Part("Estimates: last2", 0.1, "small", ("predict.kernels.last2:last2",)),
    "data-driven": Part(
        "Estimates: data-driven", 0.1, "small", ("predict.kernels.data_driven:data_driven",)
    ),
    "trees": Part(
        "Trees of gbm",
        0.1,
        "small",
        (
            "predict.kernels.trees:sum_of_leaves(int64[::1], int64[::1], float64[::1], int64[::1], "
            "int64[::1], float64[::1])",
        ),
    ),
    "corrections": Part("Corrections", 0.1, "small", ("predict.kernels.conditional:conditional",)),
}

_there: set[str] = set()


def missing(names: Iterable[str]) -> list[str]:
    """Those of the named parts that are not compiled yet, each once, in their order."""
    wanted = [name for name in dict.fromkeys(names) if name not in _there]
    _there.update(name for name in wanted if PARTS[name].is_there)
    return [name for name in wanted if name not in _there]


def make(name: str) -> Made:
    """Compile a part in this process, or load it."""
    begin, cpu = time.perf_counter(), time.process_time()
    with _no_collecting():
        PARTS[name].make()
    _there.add(name)
    return Made(name, time.perf_counter() - begin, time.process_time() - cpu)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Compiling makes millions of objects that live on: looking through them for garbage is a tenth of the
    work, and finds little.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
