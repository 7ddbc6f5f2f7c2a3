"""How far a change of a mean could be chance: what it would be had other days of the log come.

Jobs of one day have much in common, so days are drawn anew, not jobs (a block bootstrap: Künsch, Annals of
Statistics 1989); of a short log, twentieths of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.workload import Floats, Ints

DAY = 86400
_FEWEST_BLOCKS = 20
_DRAWS = 1000
#: What is between is no surprise: nine of ten draws.
_LOW, _HIGH = 5, 95


class Change(NamedTuple):
    """Two means of the same jobs, and between which per cents the change is in nine of ten draws."""

    jobs: int
    before: float
    after: float
    low: float
    high: float

    @property
    def percent(self) -> float | None:
        """Per cent against before; None where that is nothing, and the other is not."""
        if self.before == 0:
            return 0.0 if self.after == 0 else None
        return 100.0 * (self.after / self.before - 1.0)

    @property
    def sure(self) -> bool:
        """Whether chance alone would not turn it round."""
        return self.low > 0 or self.high < 0


def change_of_mean(before: Floats, after: Floats, submit: Ints, seed: int = 0) -> Change:
    """The change of the mean of a measure of jobs, submitted then."""
    first, last = int(submit.min()), int(submit.max())
    length = min(DAY, max((last - first) // _FEWEST_BLOCKS, 1))
    block = (submit - first) // length
    blocks = int(block.max()) + 1
    sums = [np.bincount(block, weights=each, minlength=blocks) for each in (before, after)]
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, blocks, (_DRAWS, blocks))
    old, new = (each[drawn].sum(axis=1) for each in sums)
    known = old > 0
    low, high = 0.0, 0.0
    if known.any() and blocks > 1:
        changes = 100.0 * (new[known] / old[known] - 1.0)
        low, high = (float(np.percentile(changes, part)) for part in (_LOW, _HIGH))
    return Change(len(before), float(before.mean()), float(after.mean()), low, high)
