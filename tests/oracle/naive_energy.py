"""Energy accounted second by second: slow, and nothing but the definitions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from packwise.model import Cluster, Schedule, Workload


def value_at(series: Any, time: int) -> float:
    """A series' value, by walking along it."""
    found = None
    for when, value in zip(series.times.tolist(), series.values.tolist(), strict=True):
        if when <= time:
            found = value
    assert found is not None
    return found


def naive_account(workload: Workload, cluster: Cluster, schedule: Schedule) -> dict[str, Any]:
    """Joules of work, idle cores and cooling, cost, kg of CO2, peak, seconds above the cap; costs of jobs."""
    scenario = cluster.energy
    ran = [i for i in range(len(workload)) if schedule.start[i] >= 0]
    begin = min(int(workload.submit[i]) for i in ran)
    end = max(int(schedule.end[i]) for i in ran)
    held = scenario.over(workload, begin, end)
    watts = scenario.jobs.of(workload)
    seconds = list(range(begin, end))
    running = {t: [i for i in ran if schedule.start[i] <= t < schedule.end[i]] for t in seconds}
    work = {t: sum(watts[i] for i in running[t]) for t in seconds}
    free = {t: cluster.procs - sum(int(workload.demand[i]) for i in running[t]) for t in seconds}
    idle = {t: scenario.idle_watts * max(free[t], 0) for t in seconds}
    if scenario.sleep is not None:
        _sleep(idle, free, cluster.procs, seconds, scenario)
    pue = _pue(seconds, work, idle, held, scenario, workload, cluster)
    price = {t: 0.0 if held.price is None else value_at(held.price, t) for t in seconds}
    carbon = {t: 0.0 if held.carbon is None else value_at(held.carbon, t) for t in seconds}
    machine = {t: work[t] + idle[t] for t in seconds}
    over = 0
    if held.cap is not None:
        over = sum(machine[t] > value_at(held.cap, t) + 1e-6 for t in seconds)
    return {
        "work": sum(work.values()),
        "idle": sum(idle.values()),
        "cooling": sum(machine[t] * (pue[t] - 1) for t in seconds),
        "cost": sum(machine[t] * pue[t] * price[t] for t in seconds) / 3.6e9,
        "co2": sum(machine[t] * pue[t] * carbon[t] for t in seconds) / 3.6e9,
        "peak": max(machine[t] * pue[t] for t in seconds),
        "over_cap": over,
        "job_cost": [
            sum(watts[i] * pue[t] * price[t] for t in seconds if i in running[t]) / 3.6e9
            for i in ran
        ],
    }


def _sleep(idle: dict, free: dict, procs: int, seconds: list[int], scenario: Any) -> None:
    """Change what idle cores draw: a stack of idle nodes, from which the last one is taken first."""
    sleep = scenario.sleep
    size = sleep.cores_per_node
    stack: list[int] = []
    gaps = []
    for t in seconds:
        nodes = max(free[t], 0) // size
        while len(stack) < nodes:
            stack.append(t)
        while len(stack) > nodes:
            gaps.append((stack.pop(), t, True))
    gaps += [(since, seconds[-1] + 1, False) for since in stack]
    for since, until, needed in gaps:
        woken = until - sleep.boot_time if needed else until
        if woken <= since + sleep.after:
            continue
        for t in range(since + sleep.after, until):
            watts = sleep.watts if t < woken else sleep.boot_watts
            idle[t] += size * (watts - scenario.idle_watts)


def _pue(seconds: list[int], work: dict, idle: dict, held: Any, scenario: Any, *parts: Any) -> dict:
    if scenario.cooling is None:
        return dict.fromkeys(seconds, 1.0)
    workload, cluster = parts
    segments: list[list[int]] = []
    lows = highs = 0.0
    day = None
    for t in seconds:
        warm = 0.0 if held.temperature is None else value_at(held.temperature, t)
        today = datetime.fromtimestamp(t + held.clock.offset, held.clock.zone).date()
        wide = (
            scenario.climate is not None
            and max(highs, warm) - min(lows, warm) > scenario.climate.degrees
        )
        new_day = scenario.climate is not None and today != day
        if not segments or new_day or wide:
            segments.append([])
            lows = highs = warm
        lows, highs, day = min(lows, warm), max(highs, warm), today
        segments[-1].append(t)
    found = {}
    rated = scenario.rated(workload, cluster.totals())
    for segment in segments:
        power = sum(work[t] + idle[t] for t in segment) / len(segment)
        warm = 0.0
        if held.temperature is not None:
            warm = sum(value_at(held.temperature, t) for t in segment) / len(segment)
        found |= dict.fromkeys(segment, _looked_up(scenario.cooling, power, warm, rated))
    return found


def _looked_up(cooling: Any, power: float, warm: float, rated: float) -> float:
    """Bilinear in the table, at the rounded power, the edges held."""
    scale = rated if cooling.relative else 1.0
    powers = [p * scale for p in cooling.powers.tolist()]
    if cooling.round_to:
        rounded = round(power / cooling.round_to) * cooling.round_to
        if powers[0] <= power <= powers[-1]:
            rounded = min(max(rounded, powers[0]), powers[-1])
        power = rounded
    rows = [_along(powers, row, power) for row in cooling.pue.tolist()]
    return _along(cooling.temperatures.tolist(), rows, warm)


def _along(axis: list[float], values: list[float], at: float) -> float:
    if at <= axis[0]:
        return values[0]
    for k in range(1, len(axis)):
        if at <= axis[k]:
            share = (at - axis[k - 1]) / (axis[k] - axis[k - 1])
            return values[k - 1] * (1 - share) + values[k] * share
    return values[-1]
