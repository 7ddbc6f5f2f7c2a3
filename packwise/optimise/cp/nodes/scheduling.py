"""The scheduling model that all dispatchers share: a start per job, pools of resources, total slowdown.

Galleguillos, Kiziltan and Soto, CP 2021, section 2.2. What runs is no variable here: it is merged into what is
taken of the pool over time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.hinted import HintedModel
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.linear import whole_weights
from packwise.optimise.cp.nodes.instance import Instance, Plan


class SchedulingModel(HintedModel):
    """When the jobs of an instance start, as if all nodes were one.

    ``reference``: a plan that can be followed; starts that cannot be part of one as good are left out.
    ``hinted``: whether the solver begins with it. ``factor``: how many units of the solver's objective make one
    of total slowdown. ``twins``: groups of jobs that are alike, which start in the order of their numbers.
    """

    def __init__(self, instance: Instance, reference: Plan, *, hinted: bool) -> None:
        super().__init__(hinted=hinted)
        self.instance = instance
        self.twins = twins(instance)
        inner = instance.inner(reference)
        source = in_twin_order(inner.start, self.twins)
        self.reference = Plan(inner.start[source], tuple(inner.where[i] for i in source.tolist()))
        self.latest = self._latest()
        self.starts = [
            self.variable(low, high, begin)
            for low, high, begin in zip(
                instance.earliest.tolist(),
                self.latest.tolist(),
                self.reference.start.tolist(),
                strict=True,
            )
        ]
        self.intervals = [
            self.cp.new_fixed_size_interval_var(start, size, "")
            for start, size in zip(self.starts, instance.estimate.tolist(), strict=True)
        ]
        for resource in range(len(instance.resources)):
            self._pool(resource)
        for group in self.twins:
            for before, after in zip(group[:-1].tolist(), group[1:].tolist(), strict=True):
                self.cp.add(self.starts[before] <= self.starts[after])
        weights, self.factor = whole_weights(instance.weight, self.latest)
        self.cp.minimize(cp_sat().LinearExpr.weighted_sum(self.starts, weights.tolist()))
        self.allocate()
        self.branch()

    @classmethod
    def size(cls, instance: Instance) -> int:
        """About how many variables the model of an instance has, without making it."""
        return len(instance)

    def allocate(self) -> None:
        """Tell on which nodes units are. Here: nothing."""

    def branch(self) -> None:
        """Section 3, Search: the job that can start first, and of those the one with the highest priority, at
        its earliest start. CP-SAT takes that as one of its strategies; it does not know of postponing, by which
        the paper does not try a start again until the earliest one has changed.
        """
        cp = cp_sat()
        self.cp.add_decision_strategy(self.starts, cp.CHOOSE_LOWEST_MIN, cp.SELECT_MIN_VALUE)

    @property
    def wanted(self) -> list[Any]:
        """The variables that make a plan."""
        return list(self.starts)

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        """The nodes of each job, given the values of what is wanted."""
        return tuple({} for _ in range(len(self.instance)))

    def plan(self, values: Ints) -> Plan:
        """The plan that the values of what is wanted are."""
        found = Plan(values[: len(self.instance)], self.where(values))
        return self.instance.outer(found)

    def bound(self, cost: float) -> float:
        """What a lower bound of the solver's objective says about the total slowdown."""
        return self.instance.least_slowdown + cost / self.factor

    def _latest(self) -> Ints:
        """Starts that no plan as good as the reference goes beyond."""
        instance = self.instance
        if instance.restricted:  # the reference may be a plan that this model does not have
            return np.full(len(instance), instance.horizon)
        cost = float((self.reference.start * instance.weight).sum())
        delay = np.minimum(cost * instance.estimate, float(instance.horizon)).astype(np.int64) + 1
        latest: Ints = np.maximum(np.maximum(delay, self.reference.start), instance.earliest)
        return latest

    def _pool(self, resource: int) -> None:
        """No more of a resource than there is on all nodes together."""
        instance = self.instance
        amounts = instance.units * instance.need[:, resource]
        some = np.flatnonzero(amounts > 0).tolist()
        times, taken = instance.pooled(resource)
        fixed = self.fixed(times, taken)
        self.cp.add_cumulative(
            [self.intervals[i] for i in some] + [interval for interval, _ in fixed],
            amounts[some].tolist() + [amount for _, amount in fixed],
            int(instance.capacity[:, resource].sum()),
        )

    def fixed(self, times: Ints, taken: Ints) -> list[tuple[Any, int]]:
        """Intervals for steps of what is taken: from when on, and how much."""
        sizes = np.diff(np.append(times, max(self.instance.horizon, int(times[-1]) + 1)))
        return [
            (self.cp.new_fixed_size_interval_var(at, size, ""), amount)
            for at, size, amount in zip(times.tolist(), sizes.tolist(), taken.tolist(), strict=True)
            if amount
        ]


def twins(instance: Instance) -> list[Ints]:
    """Groups of jobs of which any two could change places: they ask for the same for as long. The first is who
    has waited longest.
    """
    rows = np.concatenate(
        [
            np.stack([instance.estimate, instance.units, instance.earliest], axis=1),
            instance.need,
            instance.may,
        ],
        axis=1,
    )
    _, kind = np.unique(rows, axis=0, return_inverse=True)
    order = np.lexsort([instance.job, kind.reshape(-1)])
    groups = np.split(order, np.flatnonzero(np.diff(kind.reshape(-1)[order])) + 1)
    return [group for group in groups if len(group) > 1]


def in_twin_order(start: Ints, groups: list[Ints]) -> Ints:
    """For each job the one whose place it is to have, so that those who are alike start in their order."""
    source = np.arange(len(start))
    for group in groups:
        source[group] = group[np.argsort(start[group], kind="stable")]
    return source
