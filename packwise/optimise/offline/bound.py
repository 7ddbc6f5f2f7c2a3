"""How good could any schedule of a log be? A lower bound by Lagrangian relaxation.

Nothing but the capacity binds the jobs together. If it may be exceeded for a fee, every job can choose its
start for itself; what all pay, less what the whole machine would earn, is no more than the cost of any schedule
(``kernels.offline_bound``). Fees rise where too much is used and fall where too little is: the subgradient
method with Polyak's steps, on finer and finer cells of time. Its limit is the bound of the time-indexed linear
program, which is at least that of the fluid machine in ``packwise.optimise.bounds``.

For P^alpha SF: the ratio is at least L if (alpha+1)/(alpha+2) N - L D is never negative, so fees are sought
that show it for an L as large as possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from packwise.model.workload import Floats, Ints
from packwise.optimise.offline.log import Log
from packwise.optimise.subgradient import Climb

#: Cells of time, coarse to fine (no more than jobs), and the steps taken on each.
_CELLS = (128, 512, 2048, 8192)
_STEPS = 200
#: So many of them, the finest.
_LEVELS = 3
#: How often what is shown of a ratio is looked up, in steps, and with how many halvings.
_LOOK, _HALVINGS = 25, 12
_HOUR = 3600.0


def bounds(log: Log, known: Ints) -> Iterator[float]:
    """Better and better bounds on the metric: stop when it is enough.

    ``known``: a good schedule, which tells how far a bound may go.
    """
    return _ratio_bounds(log, known) if log.alpha is not None else _sum_bounds(log, known)


def bound(log: Log, known: Ints, seconds: float | None = None) -> float:
    """The bound after so many seconds, or after all steps."""
    end = None if seconds is None else time.monotonic() + seconds
    best = 0.0
    for value in bounds(log, known):
        best = value
        if end is not None and time.monotonic() >= end:
            break
    return best


def _sum_bounds(log: Log, known: Ints) -> Iterator[float]:
    target = log.cost_of_metric(log.value(known))
    best = 0.0
    for fees in _levels(log):
        for value in fees.climb(lambda: target, log.rule):
            best = max(best, log.metric_of_cost(value))
            yield best


def _ratio_bounds(log: Log, known: Ints) -> Iterator[float]:
    value, below = log.value(known) / _HOUR, log.below(known)
    low = 0.0
    rule = log.rule
    for fees in _levels(log):
        rule[-1] = (low + value) / 2
        for step, _ in enumerate(fees.climb(lambda: (value - rule[-1]) * below, rule)):
            if step % _LOOK == 0:
                for known_so_far in _larger(fees, low, value):
                    low = known_so_far
                    yield low * _HOUR
                rule[-1] = (low + value) / 2
                fees.forget()
            yield low * _HOUR


def _larger(fees: _Fees, low: float, high: float) -> Iterator[float]:
    """Larger and larger ratios up to ``high`` that the fees show; ``low`` is known."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if fees.value_at(middle) >= 0 else (low, middle)
        yield low


def _levels(log: Log) -> Iterator[_Fees]:
    """Fees for as long as the machine should be busy, on coarse cells and then on finer ones."""
    fee = np.zeros(1)
    for cells in [few for few in _CELLS if few <= max(len(log), _CELLS[0])][-_LEVELS:]:
        fee = np.repeat(fee, cells // len(fee))
        fees = _Fees(log, log.span // cells + 1, fee)
        yield fees
        fee = fees.best


class _Fees:
    """Fees for processors over time, and the bound that they give."""

    def __init__(self, log: Log, width: int, fee: Floats) -> None:
        from packwise.optimise.kernels.offline import Jobs

        self._log = log
        self._width = width
        self._jobs = Jobs(log.submit, log.demand, log.runtime, log.weights)
        self._paid = np.zeros(len(fee) + 1)
        self._usage = np.zeros(len(fee))
        self._rule = log.rule
        self._climb = Climb(self._value, self._usage, float(log.procs * width), fee)

    def _value(self, fee: Floats) -> float:
        from packwise.optimise.kernels.offline_bound import relaxed

        log = self._log
        where = (log.procs, log.origin, self._width)
        return float(relaxed(self._rule, self._jobs, *where, fee, self._paid, self._usage))

    @property
    def best(self) -> Floats:
        return self._climb.best

    def value_at(self, ratio: float) -> float:
        """What the best fees show for another ratio."""
        kept = self._rule
        self._rule = self._log.rule
        self._rule[-1] = ratio
        value = self._value(self.best)
        self._rule = kept
        return value

    def forget(self) -> None:
        """Values so far are no longer comparable: the ratio has changed."""
        self._climb.forget()

    def climb(self, target: Callable[[], float], rule: Floats) -> Iterator[float]:
        """Steps uphill; the value of the best fees after each."""
        self._rule = rule
        return self._climb.steps(target, _STEPS)
