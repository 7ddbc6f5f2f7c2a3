"""A power cap as plans see it: what jobs may draw together, over time.

Idle cores draw power, too. So a plan counts what a job adds to them, and the cap less what the machine draws
with no job on it is the budget of all jobs. Both are whole milliwatts, rounded to the safe side.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

import numpy as np

from packwise.model.energy.scenario import Clock, EnergyScenario
from packwise.model.energy.series import Constant, Series
from packwise.model.energy.units import conversion
from packwise.model.errors import InputError, shortened
from packwise.model.moments import merged
from packwise.model.workload import LARGEST, Floats, Ints, Workload

#: Where a policy takes its cap from: the scenario, or so many watts at all times.
PowerCap = float | Literal["scenario"]
SCENARIO: Final = "scenario"
#: What a policy's parameter of that name means.
MEANING = (
    "keep to a power cap: on is what the energy scenario's [cap] says, or so many watts at all times, such as "
    "250kW"
)

#: How far beyond the last submission a cap is looked up, in seconds.
AHEAD = 400 * 86400
_PARTS = 1000
#: More than any machine draws, in these.
_MOST = 2.0**60


class PowerLimit(NamedTuple):
    """All jobs together may draw ``budget[i]`` from ``times[i]`` until the next time; the last holds for ever.
    ``draw`` is what each job adds, by its number.

    From the last time on nothing is known of a cap that changes: there the budget is the highest of all, so
    that every job has a place in a plan, and nobody should come to run. ``goes_on``: there it is just not
    told.
    """

    times: Ints
    budget: Ints
    draw: Ints
    goes_on: bool = False

    def budget_at(self, time: int) -> int:
        """What jobs may draw at a moment that is not before the first."""
        return int(self.budget[np.searchsorted(self.times, time, "right") - 1])

    def lowest(self, begin: int, length: int) -> int:
        """The least that may be drawn at any time in so many seconds."""
        first = int(np.searchsorted(self.times, begin, "right")) - 1
        last = int(np.searchsorted(self.times, begin + length, "left"))
        return int(self.budget[first : max(last, first + 1)].min())

    def seen_at(self, now: int, jobs: int) -> PowerLimit:
        """What holds now and just before, and all that follows, for the first so many jobs."""
        first = max(int(np.searchsorted(self.times, now, "left")) - 1, 0)
        return self._replace(
            times=self.times[first:], budget=self.budget[first:], draw=self.draw[:jobs]
        )

    def left(self, now: int, running: Ints) -> int:
        """What may still be drawn now, beside the jobs that run; less than nothing if they are above the
        cap.
        """
        return self.budget_at(now) - int(self.draw[running].sum())

    @property
    def rises(self) -> Ints:
        """When more may be drawn than just before."""
        return self.times[1:][np.diff(self.budget) > 0]

    def next_rise(self, now: int) -> int | None:
        """When the budget rises next."""
        later = self.rises[self.rises > now]
        return int(later[0]) if later.size else None

    def longest(self, draw: Ints) -> Ints:
        """For how many seconds at a stretch so much may be drawn at most, as far as anything is known."""
        if self.unknown_from is None:
            return np.where(draw <= self.budget[0], LARGEST, 0)
        # By level: how long there is no less. And levels that still last, and since when there was no less.
        found: dict[int, int] = {}
        rising: list[tuple[int, int]] = []
        known = zip(self.times[:-1].tolist(), self.budget[:-1].tolist(), strict=True)
        end = LARGEST if self.goes_on else self.unknown_from
        for time, level in [*known, (end, -1)]:
            since = time
            while rising and rising[-1][0] >= level:
                ended, since = rising.pop()
                found[ended] = max(found.get(ended, 0), time - since)
            rising.append((level, since))
        levels = np.array(sorted(found))
        lengths = np.array([found[level] for level in levels.tolist()])
        at_least = np.append(np.maximum.accumulate(lengths[::-1])[::-1], 0)
        longest: Ints = at_least[np.searchsorted(levels, draw)]
        return longest

    @property
    def unknown_from(self) -> int | None:
        """From when on nothing is known; None for a cap that is the same at all times."""
        return int(self.times[-1]) if len(self.times) > 1 else None


def power_limit(
    scenario: EnergyScenario, cap: PowerCap, workload: Workload, procs: int, woken: Ints
) -> PowerLimit:
    """What the jobs of a workload may draw on a machine of so many processors; ``woken``: how many, at most, of
    nodes that boot for a job.
    """
    clock = scenario.clock(workload)
    begin, last = int(workload.submit[0]), int(workload.submit[-1])
    series = _series(scenario, cap, clock, begin, last)
    idle = scenario.idle_watts * procs
    refuse_cap_below(scenario, series, idle, clock)
    budget = np.floor(np.minimum((series.values - idle) * _PARTS + 1e-6, _MOST)).astype(np.int64)
    times = series.times
    if scenario.sleep is not None:
        times, budget = _ahead(times, budget, scenario.sleep.boot_time)
    new = np.append(True, np.diff(budget) != 0)
    times, budget = times[new], budget[new]
    goes_on = series.end < last + AHEAD  # it is a series that ends
    if len(times) > 1 or goes_on:
        times, budget = np.append(times, series.end), np.append(budget, budget.max())
    return PowerLimit(times, budget, _added(scenario, workload, woken), goes_on)


def _ahead(times: Ints, budget: Ints, seconds: int) -> tuple[Ints, Ints]:
    """The least that may be drawn within so many seconds: who has to wait for nodes to boot ends so much later
    than planned.
    """
    moments = merged(times, times - seconds)
    moments = moments[moments >= times[0]]
    first = np.searchsorted(times, moments, "right") - 1
    last = np.searchsorted(times, moments + seconds, "right")
    spans = zip(first.tolist(), last.tolist(), strict=True)
    return moments, np.array([budget[i:j].min() for i, j in spans])


def parse_cap(policy: str, text: str | None) -> PowerCap | None:
    """The cap that a policy is given as text: on, or 250kW; None if it is given none."""
    if text is None:
        return None
    if text.lower() in ("on", SCENARIO):
        return SCENARIO
    found = re.fullmatch(r"([0-9.]+)\s*([a-zA-Z]+)", text.strip())
    try:
        number, unit = (0.0, "W") if found is None else (float(found[1]), found[2])
        value = number * conversion("power", unit, "power_cap").factor
    except (ValueError, InputError):
        value = 0.0
    if not value > 0:
        raise InputError(
            f"policy '{policy}': power_cap should be on (the scenario's cap) or watts such as 250kW, found "
            f"'{shortened(text)}'."
        )
    return value


def refuse_cap_below(scenario: EnergyScenario, series: Series, least: float, clock: Clock) -> None:
    """Refuse a cap that a machine exceeds which draws ``least`` watts with no job on it."""
    below = series.values < least
    if below.any():
        i = int(np.argmax(below))
        raise InputError(
            f"energy scenario '{scenario.name}': the cap should be above what the machine draws with no job "
            f"on it, {least:,.0f} W; found {series.values[i]:,.0f} W at {clock.words(int(series.times[i]))}."
        )


def watts(amount: int) -> str:
    """An amount of a limit for people."""
    return f"{as_watts(amount):,.0f} W"


def as_watts(amount: int) -> float:
    """An amount of a limit in watts."""
    return amount / _PARTS


def _series(scenario: EnergyScenario, cap: PowerCap, clock: Clock, begin: int, last: int) -> Series:
    """The cap from the first submission on, as far as it is known, and at least until the last one."""
    signal = Constant(cap, "W", "power_cap") if isinstance(cap, float) else scenario.cap
    if signal is None:
        raise InputError(
            f"energy scenario '{scenario.name}' has no [cap], which jobs are to keep to. Add it, or write the "
            "watts: power_cap=250kW."
        )
    end = last + AHEAD
    if signal.reach is not None:
        end = max(min(end, signal.reach[1] - clock.offset), last + 1)
    found = signal.over(begin + clock.offset, end + clock.offset, clock.zone)
    return found.moved(-clock.offset)


def _added(scenario: EnergyScenario, workload: Workload, woken: Ints) -> Ints:
    """What each job draws more than its cores would without it; or the nodes, while they boot for it."""
    more: Floats = scenario.jobs.of(workload) - scenario.idle_watts * workload.demand
    sleep = scenario.sleep
    if sleep is not None and sleep.boot_time > 0:
        more = np.maximum(more, woken * (sleep.boot_watts - scenario.idle_watts))
    found: Ints = np.ceil(np.maximum(more, 0.0) * _PARTS - 1e-6).astype(np.int64)
    return found
