"""A planning problem: jobs, a machine that may be busy already, and what a plan costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.profit_value import LATER, Jobs, Rates, Sums, cost_of_plan
from packwise.optimise.profit.rates import Span, Usage, rates_of
from packwise.optimise.profit.setting import Setting

#: How long after its release a job's start is asked for, unless there is no room before.
REACH = 24 * 3600


@dataclass(frozen=True, eq=False)
class Problem:
    """Jobs of a log, by their numbers in it, to be planned from ``span.begin`` on.

    A plan is an array of starts, LATER for those of another day. ``worth``: what a second of waiting costs, by
    job. A plan's cost is that of energy and of waiting, for a day less the revenue: the lowest is best.
    """

    setting: Setting
    picked: Ints
    span: Span
    running: Usage
    worth: Floats
    reach: int = REACH

    def __len__(self) -> int:
        return len(self.picked)

    @cached_property
    def jobs(self) -> Jobs:
        log, picked = self.setting.log, self.picked
        release = np.maximum(log.submit[picked], self.span.begin)
        demand = log.demand[picked].astype(np.int64)
        _, rank = np.unique(demand, return_inverse=True)
        return Jobs(
            release,
            demand,
            log.runtime[picked].astype(np.int64),
            release + self.reach,
            rank.astype(np.int64),
            self.setting.watts[picked],
            self.worth,
        )

    @cached_property
    def rates(self) -> Rates:
        return rates_of(self.setting, self.span, self.running)

    @cached_property
    def sums(self) -> Sums:
        """Scratch for what a plan costs."""
        segments, cells = len(self.rates.begins), len(self.rates.edges)
        return Sums(*(np.zeros(size) for size in (segments,) * 3 + (cells,) * 2))

    @property
    def day_end(self) -> int:
        """Starts should be before that."""
        return self.span.end if self.span.closed else LATER

    def cost(self, start: Ints) -> float:
        """What a plan costs."""
        return float(cost_of_plan(self.rates, self.sums, self.jobs, start))


def whole_log(setting: Setting, value: float, reach: int = REACH) -> Problem:
    """The problem of a whole log at once, on an empty machine.

    ``value``: an hour of waiting costs so many times what a job's energy costs in an hour, on average.
    """
    if setting.scenario.price is None:
        raise InputError(
            f"energy scenario '{setting.scenario.name}' has no [price], so there is nothing to hold against "
            "waiting. Add one."
        )
    if not (np.isfinite(value) and value >= 0):
        raise InputError(f"value: expected a number of 0 or more, found {value:g}.")
    log = setting.log
    begin = int(log.submit.min())
    order = np.argsort(log.submit)[::-1]
    work = np.cumsum((log.demand * log.runtime.astype(float))[order]) / setting.cluster.procs
    end = int((log.submit[order] + work).max()) + int(log.runtime.max()) + reach
    worth = value * abs(setting.price) * setting.power
    return Problem(
        setting, np.arange(len(log)), Span(begin, end, False), Usage.none(), worth, reach
    )
