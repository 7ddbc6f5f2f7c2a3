"""How little could any plan cost? A lower bound by Lagrangian relaxation, as for whole logs.

Only the capacity, and through cooling the power of a segment, bind jobs together. Processors may be overbooked
for a fee (``kernels.profit_bound``), and energy costs what a straight line below its cost says (``tangents``).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.profit_bound import relaxed
from packwise.optimise.profit.problem import Problem
from packwise.optimise.profit.rates import sums_until
from packwise.optimise.profit.tangents import Lines, lines_below
from packwise.optimise.subgradient import Climb

#: Cells of fees are no longer than this, first and last, and each time half as long; steps on each.
_FIRST, _LAST = 4 * 3600, 900
_STEPS = 150


def bounds(problem: Problem, known: Ints) -> Iterator[float]:
    """Higher and higher bounds on what a plan costs. ``known``: the starts of a good one."""
    best = -np.inf
    cost = problem.cost(known)
    lines = lines_below(problem, known)
    length: int = _FIRST
    fee, edges = np.zeros(1), np.array([problem.rates.edges[0]])
    while length >= _LAST:
        fees = _Fees(problem, lines, length)
        fee = fee[np.searchsorted(edges, fees.edges[:-1], "right") - 1]
        climb = Climb(fees.value, fees.usage, fees.capacity, fee)
        for value in climb.steps(lambda: cost, _STEPS):
            best = max(best, value)
            yield best
        fee, edges = climb.best, fees.edges[:-1]
        length //= 2


def bound(problem: Problem, known: Ints, seconds: float | None = None) -> float:
    """The bound after so many seconds, or after all steps."""
    end = None if seconds is None else time.monotonic() + seconds
    best = -np.inf
    for value in bounds(problem, known):
        best = value
        if end is not None and time.monotonic() >= end:
            break
    return best


class _Fees:
    """Fees on cells of a length at most, and the bound that they give."""

    def __init__(self, problem: Problem, lines: Lines, length: int) -> None:
        rates = problem.rates
        self._problem = problem
        self.edges = _finer(rates.edges, length)
        cell = np.searchsorted(rates.edges, self.edges, "right") - 1
        self._least = lines.each[cell]
        self._leasts = sums_until(self.edges, self._least)
        self._gain = rates.gain[cell]
        widths = np.diff(self.edges)
        busy = np.clip(problem.running.end[:, None] - self.edges[None, :-1], 0, widths[None, :])
        held = (problem.running.demand[:, None] * busy).sum(axis=0)
        self.capacity = problem.setting.cluster.procs * widths.astype(float) - held
        self.usage = np.zeros(len(widths))
        share = np.append(widths / np.diff(rates.edges)[cell[:-1]], 1.0)
        base = float((rates.base[cell] * share * self._least).sum())
        self._known = base + lines.fixed

    def value(self, fee: Floats) -> float:
        """What these fees show; ``usage`` is set."""
        paid = np.append(fee, 0.0) - self._gain
        found = relaxed(
            self._problem.jobs,
            self.edges,
            self._least,
            self._leasts,
            paid,
            sums_until(self.edges, paid),
            self.usage,
            self._problem.day_end,
        )
        return float(found) + self._known - float((fee * self.capacity).sum())


def _finer(edges: Ints, length: int) -> Ints:
    """The same edges, and others between them, so that no cell is longer."""
    parts = [np.arange(a, b, length) for a, b in pairwise(edges.tolist())]
    return np.append(np.concatenate(parts), edges[-1])
