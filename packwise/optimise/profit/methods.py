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


class Method(NamedTuple):
    """``plan`` makes one on a floor, within a budget, from a seed."""

    name: str
    plan: Callable[[Pool, Watch, int], Found]


METHODS = {
    method.name: method
    for method in (
        Method("heuristic", lambda floor, watch, seed: multi(floor, watch, PLAIN)),
        Method("multi", lambda floor, watch, seed: multi(floor, watch)),
        Method("delay", lambda floor, watch, seed: delay(floor, watch)),
        Method("relaxation", relaxation),
        Method("cp", plain),
        Method("ours", ours),
    )
}
