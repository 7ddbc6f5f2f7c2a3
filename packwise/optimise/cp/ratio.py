"""Costs of a ratio at a guess of its value: P2SF after Dinkelbach, as lines that CP-SAT can hold.

P<alpha>SF is a ratio of two sums N / D. A plan beats a ratio r if its N - r * D is negative, and that is a sum
over the jobs. The cost of a job falls at first, since computation of an age below the ratio pulls it down:
ever faster, then ever slower. It rises from some wait on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats, Ints
from packwise.optimise.cp.model import Model
from packwise.optimise.cp.problem import Problem

#: Lines that a cost is made of: tangents where it is convex, chords (each with a literal) where not.
TANGENTS = 12
CHORDS = 6

#: Sums of integer costs stay below this. CP-SAT accepts far larger ones, but with lines as steep as these
#: it then calls plans optimal that are not, or finds none (from 2^40 on, OR-Tools 9.15).
LARGEST_SUM = 2.0**34

#: A line as whole numbers: what it rises by per second, and where it is now.
Line = tuple[int, int]


class Piece(NamedTuple):
    """Starts between two times, at which the cost is above some lines."""

    since: int
    until: int
    lines: list[Line]


@dataclass(frozen=True, eq=False)
class RatioCosts:
    """N - ``ratio`` * D of P<alpha>SF. ``known``: plans at whose starts the lines meet the cost exactly."""

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
        ends = np.maximum(self.cost(self.problem.earliest), self.cost(model.latest))
        turn = np.clip(self._convex_from, self.problem.earliest, model.latest)
        # Steepest at one of these: no line is higher or lower than that where it leaves the plans.
        steepest = np.max(
            [np.abs(self._steepness(at)) for at in (self.problem.earliest, turn, model.latest)],
            axis=0,
        )
        largest = np.maximum(np.abs(ends), np.abs(self._least)) + steepest * (model.latest + 1)
        factor = LARGEST_SUM / 4 / max(1.0, float(largest.sum()))
        chords = self._chords(turn, factor)
        tangents = self._tangents(turn, model.latest, factor)
        low = np.floor(self._least * factor).astype(np.int64)
        high = np.ceil(ends * factor).astype(np.int64) + 1
        costs = []
        for j, start in enumerate(model.starts):
            pieces = [piece for piece in chords[j] if piece.until > piece.since]
            if turn[j] < model.latest[j] or not pieces:
                pieces.append(
                    Piece(int(turn[j]), int(model.latest[j]), list(dict.fromkeys(tangents[j])))
                )
            at = None if model.hint is None else int(model.hint[j])
            costs.append(_add_pieces(model, start, pieces, int(low[j]), int(high[j]), at))
        model.minimise(costs, np.ones(len(costs), np.int64))
        return factor

    def _chords(self, turn: Ints, factor: float) -> list[list[Piece]]:
        """Where the cost bends down, it is not below the straight line between two of its points."""
        earliest = self.problem.earliest
        even = [earliest + (turn - earliest) * k // CHORDS for k in range(CHORDS + 1)]
        inside = [np.clip(plan, earliest, turn) for plan in self.known]
        points = np.sort([*even, *inside], axis=0)
        values = np.array([self.cost(point) * factor for point in points])
        length = np.maximum(1, np.diff(points, axis=0))
        lines = _lines(points[:-1], values[:-1], np.diff(values, axis=0) / length)
        return [
            [
                Piece(since, until, [line])
                for since, until, line in zip(at[:-1], at[1:], ls, strict=True)
            ]
            for at, ls in zip(points.T.tolist(), lines, strict=True)
        ]

    def _tangents(self, turn: Ints, latest: Ints, factor: float) -> list[list[Line]]:
        """Where the cost bends up, it is not below any of its tangents. They lie closest at the front."""
        spread = np.linspace(0.0, 1.0, TANGENTS) ** 3
        grid = [turn + ((latest - turn) * share).astype(np.int64) for share in spread]
        points = np.array([*grid, *(np.clip(plan, turn, latest) for plan in self.known)])
        values = np.array([self.cost(point) * factor for point in points])
        return _lines(points, values, np.array([self._steepness(p) * factor for p in points]))

    def bound(self, cost: float) -> float:
        least_below = self.below(self.problem.earliest)
        return (self.alpha + 1) / (self.alpha + 2) * (self.ratio + min(0.0, cost) / least_below)


def _lines(points: Ints, values: Floats, slopes: Floats) -> list[list[Line]]:
    """Lines through points, per job. Rounded down they stay below, since no start is negative."""
    whole = np.floor(slopes).astype(np.int64)
    constant = np.floor(values - slopes * points).astype(np.int64)
    return [
        list(zip(a, b, strict=True))
        for a, b in zip(whole.T.tolist(), constant.T.tolist(), strict=True)
    ]


def _add_pieces(
    model: Model, start: Any, pieces: list[Piece], low: int, high: int, hinted: int | None
) -> Any:
    """A variable that is at least the cost of a start: above all lines of the piece that it lies in."""
    place = None
    cost_hint = None
    if hinted is not None:
        place = next(k for k, p in enumerate(pieces) if hinted <= p.until)
        cost_hint = max(low, *(a * hinted + b for a, b in pieces[place].lines))
    cost = model.variable(low, high, cost_hint)
    if len(pieces) == 1:
        for a, b in pieces[0].lines:
            model.cp.add(cost >= a * start + b)
        return cost
    chosen = [model.literal(None if place is None else k == place) for k in range(len(pieces))]
    model.cp.add_exactly_one(chosen)
    for literal, piece in zip(chosen, pieces, strict=True):
        model.cp.add(start >= piece.since).only_enforce_if(literal)
        model.cp.add(start <= piece.until).only_enforce_if(literal)
        for a, b in piece.lines:
            model.cp.add(cost >= a * start + b).only_enforce_if(literal)
    return cost
