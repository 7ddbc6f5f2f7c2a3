"""What the machine draws at each moment: its jobs, and its idle cores."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from packwise.metrics.energy.idle_nodes import Nap, naps
from packwise.metrics.outcome import Outcome
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.moments import merged
from packwise.model.workload import Floats, Ints


class Load(NamedTuple):
    """Something that draws ``watts`` from ``begin`` until ``end``; one entry of each column per piece."""

    begin: Ints
    end: Ints
    watts: Floats


class PowerCurve:
    """Step functions over the time of the account: ``work[i]`` and ``idle[i]`` watts hold from ``times[i]`` on,
    as do ``busy[i]`` cores.

    The last time is the end of the account and has no value.
    """

    def __init__(self, outcome: Outcome, watts: Floats, scenario: EnergyScenario) -> None:
        begin, end = outcome.first_submit, outcome.last_end
        moments = [np.array([begin, end]), outcome.start, outcome.end]
        slept = naps(outcome, scenario) if scenario.sleep is not None else Nap.none()
        saved = _saved(slept, scenario)
        moments += [part for load in saved for part in (load.begin, load.end)]
        self.times = merged(*moments)
        work, busy = _levels(
            self.times, outcome.start, outcome.end, watts, outcome.demand.astype(np.float64)
        )
        # What has come and gone leaves rounding behind; nothing runs at a negative power.
        self.work = np.maximum(work, 0.0)
        self.busy = np.round(busy)
        idle = scenario.idle_watts * np.maximum(outcome.procs - self.busy, 0.0)
        for load in saved:
            idle = idle + _levels(self.times, *load)[0]
        self.idle: Floats = idle

    @cached_property
    def machine(self) -> Floats:
        """Watts of jobs and idle cores together."""
        return self.work + self.idle

    def energy(self, watts: Floats, edges: Ints) -> Floats:
        """Joules between one edge and the next of what draws ``watts`` (``work`` or ``idle``); of ``busy``:
        core-seconds.
        """
        sums = np.concatenate(([0.0], np.cumsum(np.diff(self.times) * watts)))
        place = np.clip(np.searchsorted(self.times, edges, "right") - 1, 0, len(watts) - 1)
        until = sums[place] + (edges - self.times[place]) * watts[place]
        return np.diff(until)


def _levels(times: Ints, begin: Ints, end: Ints, *amounts: Floats) -> list[Floats]:
    """For each of the amounts, which last from ``begin`` until ``end``: how much there is from each time on."""
    changes = [np.zeros(len(times)) for _ in amounts]
    for moments, sign in ((begin, 1.0), (end, -1.0)):
        order = np.argsort(moments)
        place = np.searchsorted(times, moments[order])
        for change, amount in zip(changes, amounts, strict=True):
            change += sign * np.bincount(place, weights=amount[order], minlength=len(times))
    return [np.cumsum(change)[:-1] for change in changes]


def _saved(slept: Nap, scenario: EnergyScenario) -> list[Load]:
    """What naps change of the idle power: less asleep, perhaps more while nodes boot."""
    sleep = scenario.sleep
    if sleep is None or not len(slept.cores):
        return []
    asleep = slept.cores * (sleep.watts - scenario.idle_watts)
    booting = slept.cores * (sleep.boot_watts - scenario.idle_watts)
    return [Load(slept.asleep, slept.woken, asleep), Load(slept.woken, slept.until, booting)]
