"""The ways to make a plan, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from packwise.optimise.profit.cp import plain, relaxation
from packwise.optimise.profit.delay import delay
from packwise.optimise.profit.multi import PLAIN, Found, multi
from packwise.optimise.profit.ours import ours
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.watch import Watch

_PAPER = "Optimizing Profit and Cooling Costs in HPC Cluster Scheduling"


class Method(NamedTuple):
    """``plan`` makes one on a floor, within a budget, from a seed. ``searches``: whether it uses all of it."""

    name: str
    meaning: str
    source: str
    searches: bool
    plan: Callable[[Pool, Watch, int], Found]


METHODS = {
    method.name: method
    for method in (
        Method(
            "heuristic",
            "each job, first come first served, at its earliest feasible time",
            f"{_PAPER}, algorithm 1",
            False,
            lambda floor, watch, seed: multi(floor, watch, PLAIN),
        ),
        Method(
            "multi",
            "MultiSearch: the same in 11 orders and both directions, the best",
            f"{_PAPER}, algorithm 2",
            False,
            lambda floor, watch, seed: multi(floor, watch),
        ),
        Method(
            "delay",
            "DelaySearch: MultiSearch, then one job after the other is held back for longer and longer",
            f"{_PAPER}, algorithm 3",
            True,
            lambda floor, watch, seed: delay(floor, watch),
        ),
        Method(
            "relaxation",
            "RelaxationSearch: MultiSearch, then CP-SAT, with jobs of several units kept on their nodes",
            f"{_PAPER}, section 7.2",
            True,
            relaxation,
        ),
        Method(
            "cp",
            "constraint programming alone: CP-SAT from scratch; often it finds nothing",
            f"{_PAPER}, section 5",
            True,
            plain,
        ),
        Method(
            "ours",
            "MultiSearch, then better orders and large neighbourhoods of the plan",
            "Packwise",
            True,
            ours,
        ),
    )
}
