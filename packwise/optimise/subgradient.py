"""The subgradient method: fees that make a relaxed problem as dear as possible.

A fee rises where more is used than there is, and falls where less is. Steps are Polyak's, by how far the value
is from one that is known to be reached, and shorter after some steps without progress.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from packwise.model.workload import Floats

#: Steps without progress after which they are made shorter, and by how much.
_PATIENCE, _SHORTER = 5, 0.7
#: How much of the last direction is kept, which dampens zigzagging.
_MOMENTUM = 0.5


class Climb:
    """Fees on the way up. ``value`` is what fees show, and sets ``usage``; ``capacity`` is what there is."""

    def __init__(
        self,
        value: Callable[[Floats], float],
        usage: Floats,
        capacity: Floats | float,
        fee: Floats,
    ) -> None:
        self._value = value
        self._usage = usage
        self._capacity = capacity
        self._fee = fee
        self.best = fee
        self.highest = -np.inf

    def forget(self) -> None:
        """Values so far are no longer comparable."""
        self.highest = -np.inf

    def steps(self, target: Callable[[], float], most: int) -> Iterator[float]:
        """Steps uphill; the value of the best fees after each. ``target``: no fees can show more."""
        direction = np.zeros(len(self._fee))
        length, since = 1.0, 0
        for _ in range(most):
            value = self._value(self._fee)
            if value > self.highest:
                self.highest, self.best, since = value, self._fee, 0
            else:
                since += 1
            if since >= _PATIENCE:
                length, since = length * _SHORTER, 0
                self._fee = self.best
                direction = np.zeros(len(self._fee))
                value = self._value(self._fee)
            direction = self._usage - self._capacity + _MOMENTUM * direction
            size = float((direction * direction).sum())
            gap = max(target() - value, 0.0)
            if gap == 0.0 or size == 0.0:
                yield self.highest
                return
            self._fee = np.maximum(0.0, self._fee + length * gap / size * direction)
            yield self.highest
