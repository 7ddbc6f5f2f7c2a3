"""Costs that rise in a line, perhaps after a time of grace: AF, AWF, BSLD, and weights of one's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.workload import Floats, Ints
from packwise.optimise.cp.model import Model
from packwise.optimise.cp.problem import Problem
from packwise.optimise.kernels.columns import LATE
from packwise.optimise.metrics_of_plan import BOUND, delay_weights, metric_of_plan

#: Sums of integer costs stay below this, a factor of 32 from where CP-SAT refuses a model.
LARGEST_SUM = 2.0**58
#: The smallest weight as an integer, where there is room: the error of rounding is below a millionth.
FINE = 2.0**20


@dataclass(frozen=True, eq=False)
class LinearCosts:
    """``base`` plus the sum of ``slope * max(0, start - grace)``, in units of the metric times ``unit``.

    ``grace`` is ``earliest`` where a job has none: ``base`` is the metric if all started at the earliest.
    """

    problem: Problem
    slope: Floats
    grace: Ints
    base: float
    unit: float

    @classmethod
    def of_metric(cls, metric: str, problem: Problem) -> LinearCosts:
        """AF, AWF or BSLD. A job shorter than the bound of BSLD may wait a while for nothing, one with a
        deadline until it is late.
        """
        round = problem.round
        grace = problem.earliest
        slope, total = delay_weights(metric, round)
        if metric.upper() == "BSLD":
            free_of_charge = np.maximum(0, int(BOUND) - round.estimate)
            grace = np.maximum(grace, round.submit - round.now + free_of_charge)
        if round.deadline is not None:
            slope = np.where(round.regular, slope, LATE * slope * round.soft)
            due = np.maximum(problem.earliest, round.latest - round.now)
            grace = np.where(round.regular, grace, due)
        base = metric_of_plan(metric, round, round.now + problem.earliest)
        return cls(problem, slope, grace, base, 1 / total)

    @classmethod
    def of_weights(cls, weights: Floats, problem: Problem) -> LinearCosts:
        """The sum of weight times delay, where the delay is what a job waits from now on."""
        if len(weights) != len(problem.round) or not (np.isfinite(weights) & (weights >= 0)).all():
            raise InputError("'weights' should be one finite number of 0 or more per waiting job.")
        base = float((weights * problem.earliest).sum())
        return cls(problem, weights.astype(float), problem.earliest, base, 1.0)

    @property
    def rank(self) -> Floats:
        return -self.slope

    def may_go_first(self, before: Ints, after: Ints) -> NDArray[np.bool_]:
        # Then the first loses at least as much as the second by any delay.
        return (self.slope[before] >= self.slope[after]) & (self.grace[before] <= self.grace[after])

    def latest(self, reference: Ints) -> Ints:
        horizon = self.problem.horizon()
        cost = float((self.slope * np.maximum(0, reference - self.grace)).sum())
        for_ever = np.full(len(self.slope), float(horizon))
        delay = np.divide(cost, self.slope, out=for_ever, where=self.slope > 0)
        # A second more than the quotient, for what rounding may have cut off.
        affordable = self.grace + np.minimum(delay, horizon).astype(np.int64) + 1
        latest: Ints = np.maximum(np.minimum(affordable, horizon), reference)
        return latest

    def minimise(self, model: Model) -> float:
        weights, factor = whole_weights(self.slope, model.latest)
        terms = []
        for j, start in enumerate(model.starts):
            grace = int(self.grace[j])
            if grace <= self.problem.earliest[j]:
                terms.append(start - grace)
                continue
            hinted = None if model.hint is None else max(0, int(model.hint[j]) - grace)
            delay = model.variable(0, max(0, int(model.latest[j]) - grace), hinted)
            model.cp.add(delay >= start - grace)
            terms.append(delay)
        model.minimise(terms, weights)
        return factor

    def bound(self, cost: float) -> float:
        return self.base + cost * self.unit


def whole_weights(weights: Floats, latest: Ints) -> tuple[Ints, float]:
    """Weights as integers whose sums CP-SAT can hold, and how many of them make one.

    Rounded down, so that a bound with them is a bound. Whole weights stay exact where there is room.
    """
    room = LARGEST_SUM / max(1.0, float((weights * (latest + 1)).sum()))
    if (weights == np.floor(weights)).all() and weights.max(initial=0) < 2.0**53:
        divisor = max(1, int(np.gcd.reduce(weights.astype(np.int64), initial=0)))
        if room * divisor >= 1:
            return weights.astype(np.int64) // divisor, 1 / divisor
    least = float(weights[weights > 0].min(initial=np.inf))
    factor = min(room, FINE / least)
    return np.floor(weights * factor).astype(np.int64), factor
