"""solve_round: the best plan of a round that CP-SAT finds, and how far from the best it can be."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from packwise.model.errors import InputError, SolverFailed
from packwise.model.workload import Floats, Ints
from packwise.optimise.bounds import bound_of_metric, relative_gap
from packwise.optimise.cp.limits import Limits
from packwise.optimise.cp.linear import LinearCosts
from packwise.optimise.cp.model import Costs, Model
from packwise.optimise.cp.problem import Problem
from packwise.optimise.cp.ratio import RatioCosts
from packwise.optimise.cp.search import FEASIBLE, OPTIMAL, UNKNOWN, search
from packwise.optimise.metrics_of_plan import alpha_of, metric_of_plan
from packwise.optimise.round import Round

#: Dinkelbach's method, for ratios: so many searches share the limit at most, each with this part of it or more.
SEARCHES, LEAST_PART = 10, 0.125
#: A ratio so near to its bound is the best: CP Optimizer's tolerance, too. Costs in steps come no nearer soon.
NEAR = 1e-4
#: A gap below this is rounding.
NO_GAP = 1e-6


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan and what is known about it.

    ``start``: None where no plan was found and none was given. ``objective``: the exact metric of the plan.
    ``bound``: no plan has a lower metric; NaN where unknown. ``status``: CP-SAT's code (0 unknown,
    1 model invalid, 2 feasible, 3 infeasible, 4 optimal). ``found``: whether the solver found a plan, be
    it better than the hints or not, or none was needed, as one of them is proven to be the best.
    """

    start: Ints | None
    objective: float
    bound: float
    status: int
    found: bool
    variables: int
    constraints: int
    build_seconds: float
    solve_seconds: float

    @property
    def gap(self) -> float:
        """How far from the best the plan can be, as a share of its objective."""
        return relative_gap(self.objective, self.bound)


def solve_round(
    round: Round,
    metric: str | None = None,
    *,
    weights: Floats | None = None,
    ready: Ints | None = None,
    due: Ints | None = None,
    hints: Sequence[Ints] = (),
    limit: float = 20.0,
    deterministic: float | None = None,
    workers: int | None = None,
    seed: int = 0,
) -> Solution:
    """Minimise a metric of the waiting jobs (AF, AWF, BSLD, P2SF), or a weighted sum of their delays.

    ``weights``: instead of a metric, what a second of delay from now on costs for each job. ``ready``:
    times before which the jobs must not start. ``due``: times after which they must not; then a hint that
    keeps to them is needed. ``hints``: plans to begin with; the answer is never worse
    than the best of them. ``limit``: seconds; ``deterministic``: a limit in CP-SAT's own measure instead,
    which makes the answer reproducible. Raises SolverFailed if CP-SAT does not do its part.
    """
    if (metric is None) == (weights is None):
        raise InputError("expected either a metric or weights to minimise.")
    if not len(round):
        raise InputError("expected a round with waiting jobs, found none.")
    limits = Limits(limit, deterministic, workers, seed)
    if due is not None and not hints:
        raise InputError("'due' needs a plan in 'hints' that keeps to it.")
    task = _Task(Problem.of(round, ready, due), metric, weights, limits, shiftable=ready is None)
    for hint in hints:
        task.problem.check(hint)
        task.offer(hint)
    alpha = alpha_of(metric) if metric else None
    if alpha is None:
        task.solve_linear()
    elif alpha >= 1:
        task.solve_ratio(alpha)
    else:
        raise InputError(f"metric '{metric}': expected a level of 1 or more. Try P2SF.")
    return task.solution()


class _Task:
    """One call of ``solve_round``: the best plan so far, and what the searches have said."""

    def __init__(
        self,
        problem: Problem,
        metric: str | None,
        weights: Floats | None,
        limits: Limits,
        *,
        shiftable: bool,
    ) -> None:
        self.problem = problem
        self._metric = metric
        self._weights = weights
        self._limits = limits
        self._shiftable = shiftable
        self._left = limits.amount
        self._start: Ints | None = None
        self._objective = math.nan
        self._bound = math.nan
        self._status = UNKNOWN
        self._found = False
        self._variables = 0
        self._constraints = 0
        self._build_seconds = 0.0
        self._solve_seconds = 0.0

    def solution(self) -> Solution:
        return Solution(
            self._start,
            self._objective,
            self._bound,
            self._status,
            self._found,
            self._variables,
            self._constraints,
            self._build_seconds,
            self._solve_seconds,
        )

    def offer(self, start: Ints) -> None:
        """Keep a plan if it is the best so far."""
        value = self._value(start)
        if self._start is None or value < self._objective:
            self._start, self._objective = start, value

    def solve_linear(self) -> None:
        """One search."""
        if self._weights is not None:
            costs = LinearCosts.of_weights(self._weights, self.problem)
        else:
            assert self._metric is not None
            costs = LinearCosts.of_metric(self._metric, self.problem)
        self._search(costs, self._reference(), self._left)

    def solve_ratio(self, alpha: float) -> None:
        """Dinkelbach's method: a plan that beats the ratio of the last one, until there is none.

        Each search gets half of the time that is left, and what it does not need is left to the others. The
        costs are exact at the starts of all plans so far, so that a plan which only looked good is not found
        twice.
        """
        now = self.problem.round.now
        if self.problem.round.deadline is None:
            assert self._metric is not None
            self._bound = bound_of_metric(self._metric, self.problem.round)
        known: list[Ints] = []
        least = LEAST_PART * self._left
        for _ in range(SEARCHES):
            if self._left <= 0 or self.solution().gap <= NEAR:
                break
            reference = self._reference()
            known.append(reference - now)
            ratio = self._value(reference) * (alpha + 2) / (alpha + 1)
            costs = RatioCosts(self.problem, alpha, ratio, tuple(known))
            plan = self._search(costs, reference, min(self._left, max(self._left / 2, least)))
            if plan is None:
                continue
            if self._status == OPTIMAL and any(np.array_equal(plan, seen) for seen in known):
                break
            known.append(plan)
        if proven := self._start is not None and self.solution().gap <= NEAR:
            self._found = True
        if self._found:
            self._status = OPTIMAL if proven else FEASIBLE

    def _value(self, start: Ints) -> float:
        """The exact objective of a plan."""
        round = self.problem.round
        if self._weights is not None:
            return float((self._weights * (start - round.now)).sum())
        assert self._metric is not None
        return metric_of_plan(self._metric, round, start)

    def _reference(self) -> Ints:
        """The best plan so far. Before there is one: the best list plan, or any where jobs come later."""
        if self._start is not None:
            return self._start
        if not self._shiftable:
            return self.problem.one_by_one()
        round = self.problem.round
        plans = [round.insert(order) for order in round.list_orders().values()]
        return min(plans, key=self._value)

    def _search(self, costs: Costs, reference: Ints, amount: float) -> Ints | None:
        """Ask CP-SAT once, and keep what it says. The plan as it came, in seconds from now."""
        round = self.problem.round
        begin = time.perf_counter()
        model = Model(self.problem, costs, reference - round.now, hinted=self._start is not None)
        built = time.perf_counter()
        answer = search(model.cp, model.starts, self._limits, amount)
        self._build_seconds += built - begin
        self._solve_seconds += time.perf_counter() - built
        self._variables, self._constraints = model.variables, model.constraints
        self._left = max(0.0, self._left - answer.used)
        self._status = answer.status
        if answer.values is None:
            return None
        start = answer.values + round.now
        try:
            self.problem.check(start)
        except InputError as error:
            raise SolverFailed(f"CP-SAT gave a plan that no machine can follow: {error}") from error
        self._found = True
        if self._shiftable:  # first: where both cost the same, nobody should wait for nothing
            self.offer(round.insert(round.order_by(start)))
        self.offer(start)
        self._note_bound(costs.bound(answer.bound / model.factor))
        return answer.values

    def _note_bound(self, bound: float) -> None:
        """Keep a bound if it is the best, and believable: one above a plan that exists proves nothing."""
        assert self._start is not None
        value = self._value(self._start)
        if bound > value + NO_GAP * abs(value):
            self._status = FEASIBLE
        else:
            self._bound = float(np.fmax(self._bound, min(bound, value)))
