"""Schedules for the off-line optimiser to begin with: by policies that know run times, not who will come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from packwise.model.errors import InputError
from packwise.optimise.offline import Budget, Spent, evaluations_of_a_pass
from packwise.predict import Exact
from packwise.registry import policy
from packwise.simulation import simulate

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.model.decision import Policy
    from packwise.model.run import Run
    from packwise.model.workload import Ints, Workload
    from packwise.predict import Predictor

#: List policies. The first is what others are compared with.
LISTS = ("list-reg", "list-sjf", "list-saf", "list-spf", "list-laf", "easy")
#: The share of a budget that list policies may take, but for the first; and the search of every round.
_LISTS_SHARE, _ROUNDS_SHARE = 0.4, 0.25
#: Orders tried in a round, if the budget allows; and those that a round begins with.
_MOST_ORDERS, _BEGUN_WITH = 100, 8


class _OutOfTime(Exception):
    """A replay takes longer than it may."""


class _Seeds:
    """The schedules so far, and what they have taken of a budget. Compiling does not count."""

    def __init__(self, jobs: Workload, cluster: Cluster, budget: Budget) -> None:
        self._jobs, self._cluster, self._budget = jobs, cluster, budget
        self.starts: dict[str, Ints] = {}
        self.evaluations = 0
        self._began = time.monotonic()

    @property
    def spent(self) -> Spent:
        return Spent(time.monotonic() - self._began, self.evaluations)

    def used(self) -> float:
        """The share of the budget that is gone."""
        if self._budget.seconds is not None:
            return self.spent.seconds / self._budget.seconds
        assert self._budget.evaluations is not None
        return self.evaluations / self._budget.evaluations

    def lists(self) -> None:
        """A pass over the log each. The first is made in any case."""
        for name in LISTS:
            if self.starts and self.used() >= _LISTS_SHARE:
                return
            if self._replay(name, _LISTS_SHARE if self.starts else None) is not None:
                self.evaluations += evaluations_of_a_pass(len(self._jobs))

    def rounds(self, metric: str) -> None:
        """The search of every round, with as many orders as its share allows; with less than one, none."""
        orders = _MOST_ORDERS
        if self._budget.evaluations is not None:
            rounds = 2 * len(self._jobs) + 2
            allowed = int(_ROUNDS_SHARE * self._budget.evaluations / rounds) - _BEGUN_WITH
            orders = min(orders, allowed)
        if orders < 1:
            return
        told = "" if orders == _MOST_ORDERS else f",budget={orders}"
        run = self._replay(f"packwise(objective={metric}{told})", self.used() + _ROUNDS_SHARE)
        if run is not None and run.rounds.notes:
            self.evaluations += int(np.nansum(run.rounds.notes["evaluations"]))

    def _replay(self, name: str, until: float | None) -> Run | None:
        """A schedule; None if it takes more of the time than ``until``, a share of the budget."""
        from packwise.cli.terminal.progress import job_bar

        with job_bar(name, len(self._jobs)) as bar:
            try:
                watch = self._watch(until, bar)
                run = simulate(self._jobs, self._cluster, policy(name), Exact(), progress=watch)
            except _OutOfTime:
                return None
        self.starts[name] = run.schedule.start
        return run

    def _watch(
        self, until: float | None, bar: Callable[[int], None] | None
    ) -> Callable[[int], None]:
        def report(submitted: int) -> None:
            timed = until is not None and self._budget.seconds is not None
            if timed and until is not None and self.used() > until:
                raise _OutOfTime
            if bar is not None:
                bar(submitted)

        return report


def seeding(metric: str) -> list[tuple[Policy, Predictor]]:
    """A policy of each kind that makes seeds, and the estimate that all of them have."""
    return [(policy(name), Exact()) for name in (LISTS[0], f"packwise(objective={metric})")]


def off_line_seeds(
    jobs: Workload, cluster: Cluster, metric: str, budget: Budget
) -> tuple[dict[str, Ints], Spent]:
    """Schedules by name, and what they have taken of the budget."""
    if not len(jobs):
        raise InputError("expected a log with jobs, found none.")
    few = jobs.select(np.arange(len(jobs)) < 2)
    # Has what follows compiled and loaded, before the clock runs.
    for one, exact in seeding(metric):
        simulate(few, cluster, one, exact)
    seeds = _Seeds(jobs, cluster, budget)
    seeds.lists()
    seeds.rounds(metric)
    return seeds.starts, seeds.spent
