"""Day by day: at each local midnight the jobs of that day are known, and planned with those that still wait.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', section 8. What starts before the next midnight
stays; what does not is planned again then, and what runs across midnight holds its cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.model.allocation import Allocation
from packwise.model.demands import demands
from packwise.model.energy.daily import midnights_around
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.offline.budget import Budget
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.methods import Method
from packwise.optimise.profit.multi import PLAIN, Found, multi
from packwise.optimise.profit.nodes import OnNodes
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.problem import Problem
from packwise.optimise.profit.rates import Span, Usage
from packwise.optimise.profit.setting import Setting
from packwise.optimise.profit.watch import Watch

_WEEK = 7 * 86400


class Day(NamedTuple):
    """How a day was planned: jobs that waited or came, and those that start; what the plan gains in the day
    (the energy of those that run already is in it, their revenue is not), whether a search improved the plan
    that it began with, and that plan's order; whether the method ``gave_up``, so that the job-based heuristic
    planned instead; and seconds: in all, and of the search until the best plan.
    """

    begin: int
    jobs: int
    started: int
    gain: float
    improved: bool
    order: str
    gave_up: bool
    seconds: float
    seconds_to_best: float


@dataclass(frozen=True, eq=False)
class Planned:
    """The schedule of a log that was planned day by day."""

    schedule: Schedule
    days: tuple[Day, ...]


def plan_days(
    setting: Setting,
    method: Method,
    budget: Budget,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Planned:
    """Plan a whole log day by day; ``budget`` is that of a day. ``progress`` is told how many jobs have a
    start.
    """
    log = setting.log
    start = np.full(len(log), LATER)
    places: list[dict[int, int]] = [{} for _ in range(len(log))]
    days: list[Day] = []
    bounds = _Midnights(setting)
    begin = bounds.first
    while (start == LATER).any():
        end = bounds.after(begin)
        picked = np.flatnonzero((start == LATER) & (log.submit < end))
        if len(picked):
            running = _running(setting, start, places, begin)
            problem = Problem(
                setting, picked, Span(begin, end, True), running, np.zeros(len(picked))
            )
            began = time.perf_counter()
            floor = floor_of(problem)
            watch = Watch(budget, len(picked))
            found = method.plan(floor, watch, seed + len(days))
            gave_up = not found.anybody and not (running.end > end).any()
            if gave_up:  # nothing is worth it, or the search had no luck: somebody has to begin
                found = multi(floor, watch, PLAIN)
            start[picked] = found.plan.start
            _note_places(floor, found, places, picked)
            days.append(_day(problem, found, gave_up, time.perf_counter() - began))
        if progress is not None:
            progress(int((start != LATER).sum()))
        begin = end if len(picked) else bounds.before(int(log.submit[start == LATER].min()))
    return Planned(_schedule(setting, start, places), tuple(days))


def _day(problem: Problem, found: Found, gave_up: bool, seconds: float) -> Day:
    return Day(
        problem.span.begin,
        len(problem),
        int((found.plan.start != LATER).sum()),
        -found.cost,
        found.improved,
        found.name,
        gave_up,
        seconds,
        found.seconds,
    )


class _Midnights:
    """Local midnights, as far as they are asked for."""

    def __init__(self, setting: Setting) -> None:
        self._clock = setting.scenario.clock(setting.log)
        self.first = self.before(int(setting.log.submit.min()))
        self._known = self._around(self.first)

    def _around(self, begin: int) -> Ints:
        offset, zone = self._clock
        marks, _ = midnights_around(begin + offset, begin + offset + _WEEK, zone)
        return marks - offset

    def before(self, time: int) -> int:
        """The last midnight that is no later."""
        return int(self._around(time)[0])

    def after(self, time: int) -> int:
        """The next midnight."""
        if time >= self._known[-1]:
            self._known = self._around(time)
        return int(self._known[np.searchsorted(self._known, time, "right")])


def _running(setting: Setting, start: Ints, places: list[dict[int, int]], begin: int) -> Usage:
    log = setting.log
    end = np.where(start == LATER, begin, start) + log.runtime
    job = np.flatnonzero((start != LATER) & (end > begin))
    return Usage(
        job,
        end[job],
        log.demand[job].astype(np.int64),
        setting.watts[job],
        Allocation.from_parts([places[j] for j in job.tolist()]),
    )


def _note_places(floor: Pool, found: Found, places: list[dict[int, int]], picked: Ints) -> None:
    if not isinstance(floor, OnNodes):
        return
    allocation = floor.allocation(found.plan)
    for i in np.flatnonzero(found.plan.start != LATER).tolist():
        places[int(picked[i])] = allocation.of(i)


def schedule_of(floor: Pool, found: Found) -> Schedule:
    """The schedule of a plan for a whole log."""
    setting = floor.problem.setting
    places: list[dict[int, int]] = [{} for _ in range(len(setting.log))]
    _note_places(floor, found, places, floor.problem.picked)
    return _schedule(setting, found.plan.start, places)


def _schedule(setting: Setting, start: Ints, places: list[dict[int, int]]) -> Schedule:
    start = np.where(start == LATER, NEVER, start)
    end = np.where(start == NEVER, NEVER, start + setting.log.runtime)
    return Schedule(start, end, allocation=_allocation(setting, start, end, places))


def _allocation(
    setting: Setting, start: Ints, end: Ints, places: list[dict[int, int]]
) -> Allocation | None:
    """The nodes of all jobs: as planned or, where nodes do not matter, the first that have room."""
    if setting.cluster.is_pool:
        return None
    if setting.wanted is not None:
        return Allocation.from_parts(places)
    from packwise.engine.nodes.placing import place
    from packwise.engine.nodes.replay import OnNodes as Machine

    wanted = demands(setting.log, setting.cluster)
    begun = np.lexsort((np.arange(len(start)), start))
    return place(setting.cluster, Machine(wanted, "first-fit", False), begun, start, end)
