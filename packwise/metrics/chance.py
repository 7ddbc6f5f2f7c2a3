"""How far a change of a mean could be chance: what it would be had other days of the log come.

Jobs of one day have much in common, so days are drawn anew, not jobs (a block bootstrap: Künsch, Annals of
Statistics 1989); of a short log, twentieths of it.

Only days with jobs are drawn. The change of a mean is a sum over days by a number of jobs; how far it varies
follows from what each day adds to the sum beyond its share of the jobs, and a day without jobs adds nothing.
With such days in the lot every draw would have another number of days that count, and the lot would be as long
as the calendar.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from packwise.model.workload import Floats, Ints

DAY = 86400
_FEWEST_BLOCKS = 20
_DRAWS = 1000
#: Days that are drawn in one go: all draws at once of a log of centuries would take gigabytes.
_AT_ONCE = 1 << 21
#: What is between is no surprise: 95 of 100 draws.
_LOW, _HIGH = 2.5, 97.5
#: Where fewer days have made a difference, nothing is sure.
_FEWEST_MOVED = 4


class Change(NamedTuple):
    """Two means of the same jobs, and between which per cents of the first the change is in 95 of 100 draws
    (not a number where the first is nothing, or nothing was drawn). ``sure``: chance alone would hardly turn it
    round.
    """

    jobs: int
    before: float
    after: float
    low: float
    high: float
    sure: bool

    @property
    def percent(self) -> float | None:
        """Per cent against before; None where that is nothing, and the other is not."""
        if self.before == 0:
            return 0.0 if self.after == 0 else None
        return 100.0 * (self.after / self.before - 1.0)


def change_of_mean(before: Floats, after: Floats, submit: Ints, seed: int = 0) -> Change:
    """The change of the mean of a measure of jobs, submitted then."""
    first, last = int(submit.min()), int(submit.max())
    length = min(DAY, max((last - first) // _FEWEST_BLOCKS, 1))
    _, block = np.unique((submit - first) // length, return_inverse=True)
    moved = np.bincount(block, weights=after - before).astype(np.float64)
    jobs = np.bincount(block)
    changes = _drawn_changes(moved, jobs, seed)
    middle = float((after - before).mean())
    wider = _few_days(len(jobs))
    low, high = (
        middle + wider * (float(np.percentile(changes, part)) - middle) for part in (_LOW, _HIGH)
    )
    several = int((moved != 0).sum()) >= _FEWEST_MOVED
    mean = float(before.mean())
    share = 100.0 / mean if mean > 0 else math.nan
    return Change(
        len(before),
        mean,
        float(after.mean()),
        max(low * share, -100.0),  # no mean is below nothing
        max(high * share, -100.0),
        several and (low > 0 or high < 0),
    )


def _drawn_changes(moved: Floats, jobs: Ints, seed: int) -> Floats:
    """The change of the mean in each draw of so many days as there are: of what they moved, and their jobs."""
    rng = np.random.default_rng(seed)
    days, changes = len(jobs), np.empty(_DRAWS)
    rows = max(_AT_ONCE // days, 1)
    for first in range(0, _DRAWS, rows):
        drawn = rng.integers(0, days, (min(rows, _DRAWS - first), days))
        # All that is drawn is a day: clipping, which changes nothing, is faster than to look for what is none.
        sums = (each.take(drawn, mode="clip").sum(axis=1) for each in (moved, jobs))
        changes[first : first + rows] = np.divide(*sums)
    return changes


def untold_change(before: Floats, after: Floats) -> Change:
    """The same without the draws: of a few jobs they would say nothing."""
    return Change(
        len(before), float(before.mean()), float(after.mean()), math.nan, math.nan, sure=False
    )


def _few_days(days: int) -> float:
    """How much wider an interval of so many days has to be than their draws are: by Student's t, and since
    draws of few days vary less than days do.
    """
    from scipy.special import stdtrit

    if days < 2:
        return 1.0
    return float(stdtrit(days - 1, _HIGH / 100) / stdtrit(math.inf, _HIGH / 100)) * math.sqrt(
        days / (days - 1)
    )
