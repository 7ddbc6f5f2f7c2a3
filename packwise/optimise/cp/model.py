"""The CP-SAT model of a round: one interval per job, one cumulative, hints for every variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.hinted import HintedModel
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.problem import Problem
from packwise.optimise.cp.symmetry import Ranked, chains, in_chain_order


class Costs(Ranked, Protocol):
    """Costs to be added up over the jobs: what an objective tells the model. Starts are in seconds from now."""

    def latest(self, reference: Ints) -> Ints:
        """Starts that no plan as good as the reference goes beyond."""
        ...

    def minimise(self, model: Model) -> float:
        """Add the objective to a model, in whole numbers; the answer is how many of them make one."""
        ...

    def bound(self, cost: float) -> float:
        """What a lower bound of the sum of costs says about the metric."""
        ...


class Model(HintedModel):
    """Goponenko et al., DEBS 2024, equations 7 to 9, in seconds from now.

    ``reference``: a plan; starts that cannot be part of one as good are left out. ``hinted``: whether the
    solver begins with it. ``factor``: how many units of the solver's objective make one of the costs.
    """

    def __init__(self, problem: Problem, costs: Costs, reference: Ints, *, hinted: bool) -> None:
        super().__init__(hinted=hinted)
        round = problem.round
        groups = chains(problem, costs)
        reference = in_chain_order(reference, groups)
        self.latest = np.minimum(costs.latest(reference), problem.due)
        self.hint = reference if hinted else None
        self.starts = [
            self.variable(low, high, None if self.hint is None else int(self.hint[j]))
            for j, (low, high) in enumerate(
                zip(problem.earliest.tolist(), self.latest.tolist(), strict=True)
            )
        ]
        intervals = [
            self.cp.new_fixed_size_interval_var(start, size, "")
            for start, size in zip(self.starts, round.estimate.tolist(), strict=True)
        ]
        taken, demands = self._taken(problem)
        capacity = int(round.free.max())
        self.cp.add_cumulative(intervals + taken, round.demand.tolist() + demands, capacity)
        for group in groups:
            for before, after in zip(group[:-1].tolist(), group[1:].tolist(), strict=True):
                self.cp.add(self.starts[before] <= self.starts[after])
        self.factor = costs.minimise(self)

    def minimise(self, terms: Sequence[Any], weights: Ints, constant: int = 0) -> None:
        """Set the objective: the weighted sum of the terms, and a constant."""
        expression = cp_sat().LinearExpr.weighted_sum(terms, weights.tolist())
        self.cp.minimize(expression + constant)

    def _taken(self, problem: Problem) -> tuple[list[Any], list[int]]:
        """What is not free, one interval per step: the running jobs, merged by their ends."""
        round = problem.round
        times = (round.times - round.now).tolist()
        for_ever = max(times[-1], int((self.latest + round.estimate).max(initial=0)))
        sizes = np.diff([*times, for_ever]).tolist()
        missing = (round.free.max() - round.free).tolist()
        steps = [
            (self.cp.new_fixed_size_interval_var(at, size, ""), amount)
            for at, size, amount in zip(times, sizes, missing, strict=True)
            if size and amount
        ]
        return [interval for interval, _ in steps], [amount for _, amount in steps]
