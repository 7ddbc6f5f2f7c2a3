"""Jobs that are alike: without an order among them, a solver visits every plan many times over."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats, Ints
from packwise.optimise.cp.problem import Problem


class Ranked(Protocol):
    """What costs say of jobs that are alike otherwise."""

    @property
    def rank(self) -> Floats:
        """A lower one goes first."""
        ...

    def may_go_first(self, before: Ints, after: Ints) -> NDArray[np.bool_]:
        """For pairs of alike jobs: whether letting the first go first never costs more."""
        ...


def chains(problem: Problem, costs: Ranked) -> list[Ints]:
    """Groups of jobs of equal demand and estimate that may be taken to start in this order.

    Two neighbours are tied only where swapping their starts, so that the first comes first, never
    makes a plan worse (``may_go_first``) or infeasible (the first is ready and due first).
    """
    round = problem.round
    keys = [costs.rank, problem.due, problem.earliest, round.estimate, round.demand]
    order = np.lexsort([np.arange(len(round)), *keys]).astype(np.int64)
    before, after = order[:-1], order[1:]
    tied = (
        (round.demand[before] == round.demand[after])
        & (round.estimate[before] == round.estimate[after])
        & (problem.due[before] <= problem.due[after])
        & costs.may_go_first(before, after)
    )
    groups = np.split(order, np.flatnonzero(~tied) + 1)
    return [group for group in groups if len(group) > 1]


def in_chain_order(start: Ints, groups: list[Ints]) -> Ints:
    """The same plan with the starts inside each chain handed out in its order.

    A hint that breaks the symmetry breaking would be thrown away by the solver.
    """
    sorted_start = start.copy()
    for group in groups:
        sorted_start[group] = np.sort(start[group])
    return sorted_start
