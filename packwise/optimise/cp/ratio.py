"""Costs of a ratio at a guess of its value: P2SF after Dinkelbach, in steps.

P<alpha>SF is a ratio of two sums N / D. A plan beats a ratio r if its N - r * D is negative, and that is a sum
over the jobs. The cost of a job falls at first, since computation of an age below the ratio pulls it down, and
rises from some wait on.

The cost is taken to stay at its least from one step to the next, so that what is least in steps is no more than
the least there is. Steps lie closest where the cost is lowest, and at the starts of known plans, whose cost is
exact so: what the solver finds is a known plan in the next search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats, Ints
from packwise.optimise.cp.model import Model
from packwise.optimise.cp.problem import Problem

#: Steps of a cost where it falls and where it rises, besides those at known plans.
FALLING, RISING = 6, 24

#: Sums of whole costs stay below this.
LARGEST_SUM = 2.0**40


@dataclass(frozen=True, eq=False)
class RatioCosts:
    """N - ``ratio`` * D of P<alpha>SF. ``known``: plans at whose starts the steps have the exact cost."""

    problem: Problem
    alpha: float
    ratio: float
    known: Sequence[Ints]

    @cached_property
    def _wait(self) -> Floats:
        """What each job has waited so far."""
        return (self.problem.round.now - self.problem.round.submit).astype(float)

    @cached_property
    def _counted(self) -> Ints:
        """The demand of regular jobs; 0 for those of which only the deadline counts."""
        round = self.problem.round
        return np.where(round.regular, round.demand, 0)

    def _power(self, start: Floats | Ints, exponent: float) -> Floats:
        """Demand times the difference of powers of response and wait, for one start per job."""
        wait = np.maximum(0.0, start + self._wait)
        estimate = self.problem.round.estimate
        powers: Floats = self._counted * ((wait + estimate) ** exponent - wait**exponent)
        return powers

    def below(self, start: Ints) -> float:
        """The denominator of the ratio."""
        return float(self._power(start, self.alpha + 1).sum())

    def cost(self, start: Floats | Ints) -> Floats:
        """What each job adds to N - ratio * D."""
        return self._power(start, self.alpha + 2) - self.ratio * self._power(start, self.alpha + 1)

    def _steepness(self, start: Floats | Ints) -> Floats:
        a = self.alpha
        rise: Floats = (a + 2) * self._power(start, a + 1) - self.ratio * (a + 1) * self._power(
            start, a
        )
        return rise

    def _curvature(self, start: Floats | Ints) -> Floats:
        a = self.alpha
        bend: Floats = (a + 1) * (
            (a + 2) * self._power(start, a) - self.ratio * a * self._power(start, a - 1)
        )
        return bend

    def _first(self, holds: Callable[[Floats], NDArray[np.bool_]], low: Ints, high: Ints) -> Ints:
        """The first whole start of each job at which something holds that goes on holding."""
        first = low
        low, high = low - 1, high.copy()
        while (high - low > 1).any():
            middle = (low + high) // 2
            yes = holds(middle.astype(float))
            low, high = np.where(yes, low, middle), np.where(yes, middle, high)
        return np.maximum(high, first)  # a job that is done early goes on asking below

    @cached_property
    def _far(self) -> Ints:
        """Long after any cost has begun to rise: both turns come before a wait of the ratio."""
        return np.maximum(self.problem.earliest, (self.ratio - self._wait).astype(np.int64)) + 1

    @cached_property
    def _convex_from(self) -> Ints:
        return self._first(lambda x: self._curvature(x) >= 0, self.problem.earliest, self._far)

    @cached_property
    def _best_start(self) -> Ints:
        return self._first(lambda x: self._steepness(x) >= 0, self.problem.earliest, self._far)

    @cached_property
    def _least(self) -> Floats:
        """Not more than each job must add."""
        before = np.maximum(self.problem.earliest, self._best_start - 1)
        return np.minimum(self.cost(self._best_start), self.cost(before))

    @property
    def rank(self) -> Floats:
        return np.zeros(len(self.problem.round))

    def may_go_first(self, before: Ints, after: Ints) -> NDArray[np.bool_]:
        # In the convex part, the one that has waited longer loses more by a delay.
        convex = self._convex_from[after] <= self.problem.earliest[after]
        longer = self._wait[before] >= self._wait[after]
        may: NDArray[np.bool_] = (longer & convex) | (self._wait[before] == self._wait[after])
        return may

    def latest(self, reference: Ints) -> Ints:
        wanted = int(self._best_start.max(initial=0))
        horizon = np.full(len(reference), self.problem.horizon(wanted), np.int64)
        allowed = max(0.0, float(self.cost(reference).sum())) - (self._least.sum() - self._least)
        beyond = self._first(lambda x: self.cost(x) > allowed, self._best_start + 1, horizon + 1)
        return np.maximum(beyond, reference)

    def minimise(self, model: Model) -> float:
        points, values = self._steps(model.latest)
        factor = LARGEST_SUM / max(1.0, float(np.abs(values).max(axis=0).sum()))
        whole = np.floor(values * factor).astype(np.int64)
        literals, rises, at_first = [], [], 0
        for j, start in enumerate(model.starts):
            hinted = None if model.hint is None else int(model.hint[j])
            last_of_equal = np.append(np.diff(points[:, j]) > 0, True)
            at, cost = points[last_of_equal, j].tolist(), whole[last_of_equal, j].tolist()
            at_first += cost[0]
            for moment, before, after in zip(at[1:], cost, cost[1:], strict=False):
                if before != after:
                    reached = model.literal(None if hinted is None else hinted >= moment)
                    model.cp.add(start >= moment).only_enforce_if(reached)
                    model.cp.add(start < moment).only_enforce_if(~reached)
                    literals.append(reached)
                    rises.append(after - before)
        model.minimise(literals, np.array(rises, np.int64), at_first)
        return factor

    def _steps(self, latest: Ints) -> tuple[Ints, Floats]:
        """For each job moments in their order, and its least cost from each to the next."""
        earliest = self.problem.earliest
        turn = np.clip(self._best_start, earliest, latest)
        falling = [earliest + (turn - earliest) * k // FALLING for k in range(FALLING)]
        lowest, highest = self.cost(turn), self.cost(latest)
        wanted = lowest + np.linspace(0.0, 1.0, RISING)[:, None] ** 2 * (highest - lowest)
        since, until = (np.broadcast_to(at, wanted.shape) for at in (turn, latest + 1))
        rising = np.minimum(self._first(lambda x: self.cost(x) >= wanted, since, until), latest)
        exact = [np.clip(plan + more, earliest, latest) for plan in self.known for more in (0, 1)]
        points = np.sort([*falling, *rising, *exact], axis=0)
        last = np.maximum(points, np.vstack([points[1:] - 1, latest]))
        # It falls and then rises, and where it turns is a step: the least is at one of the ends.
        return points, np.minimum(self.cost(points), self.cost(last))

    def bound(self, cost: float) -> float:
        least_below = self.below(self.problem.earliest)
        return (self.alpha + 1) / (self.alpha + 2) * (self.ratio + min(0.0, cost) / least_below)
