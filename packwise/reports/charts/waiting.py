"""How long jobs wait: the distributions of wait and of bounded slowdown."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from packwise.metrics.outcome import Outcome
from packwise.metrics.response_time import TAU
from packwise.reports.charts.chart import DURATION_TICKS, Axis, Chart, Panel, Series
from packwise.reports.charts.staircase import Staircase, distribution

_SHORTEST = 10.0


def wait_distribution(outcome: Outcome) -> Staircase:
    return distribution(outcome.wait)


def slowdown_distribution(outcome: Outcome) -> Staircase:
    return distribution(outcome.bounded_slowdown(TAU))


def wait_axis(found: Iterable[Staircase]) -> Axis:
    """For distributions of waits: its left end stands for everything shorter as well."""
    longest = max([600.0, *(float(one.x[-1]) for one in found)])
    ticks = tuple(tick for tick in DURATION_TICKS if _SHORTEST <= tick[0] <= 1.3 * longest)
    return Axis("wait", "log", (_SHORTEST, 1.25 * longest), ticks, seconds=True)


def wait_chart(found: dict[str, Staircase]) -> Chart:
    x = wait_axis(found.values())
    caption = (
        "The share of jobs that started within so long. A higher line is better; where lines cross, "
        "one policy serves the many and another the few that wait longest."
    )
    return _chart("waits", "Jobs started within", caption, x, found, _SHORTEST)


def slowdown_chart(found: dict[str, Staircase]) -> Chart:
    worst = max([10.0, *(float(one.x[-1]) for one in found.values())])
    ticks = tuple((10.0**k, f"{10**k:,}") for k in range(math.ceil(math.log10(worst)) + 1))
    x = Axis("bounded slowdown", "log", (1.0, 1.25 * worst), ticks)
    caption = (
        "Bounded slowdown is the time in the system over the run time (taken as 10 s or more): 1 "
        "means no wait at all, 10 means ten times as long as on an empty machine."
    )
    return _chart("slowdowns", "Jobs with a slowdown up to", caption, x, found, 1.0)


def _chart(
    name: str, title: str, caption: str, x: Axis, found: dict[str, Staircase], left: float
) -> Chart:
    y = share_axis(found.values(), left)
    series = tuple(step_series(label, one, x) for label, one in found.items())
    return Chart(name, title, caption, (Panel(x, y, series),))


def share_axis(found: Iterable[Staircase], left: float) -> Axis:
    """Per cent of jobs, from a little below what the lowest line has at the left end."""
    low = min((share_at(one, left) for one in found), default=0.0)
    return Axis("% of jobs", range=(max(0.0, 5 * math.floor(20 * low) - 5.0), 100.8))


def share_at(one: Staircase, x: float) -> float:
    """Which share is at most x."""
    place = int(np.searchsorted(one.x, x, "right"))
    return float(one.share[place - 1]) if place else 0.0


def step_series(label: str, one: Staircase, axis: Axis) -> Series:
    """The steps right of the axis's left end, which stands for everything smaller as well."""
    left, right = axis.range or (1.0, 1.0)
    inside = one.x > left
    x = np.concatenate(([left], one.x[inside], [right]))
    share = np.concatenate(([share_at(one, left)], one.share[inside], [1.0]))
    return Series(label, x, 100.0 * share, "step", label)
