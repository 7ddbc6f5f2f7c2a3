"""How long jobs wait: the distributions of wait and of bounded slowdown."""

from __future__ import annotations

import math

import numpy as np

from packwise.metrics.outcome import Outcome
from packwise.metrics.response_time import TAU
from packwise.reports.chart import DURATION_TICKS, Axis, Chart, Panel, Series
from packwise.reports.staircase import Staircase, distribution

_SHORTEST = 10.0


def wait_distribution(outcome: Outcome) -> Staircase:
    return distribution(outcome.wait)


def slowdown_distribution(outcome: Outcome) -> Staircase:
    return distribution(outcome.bounded_slowdown(TAU))


def wait_chart(found: dict[str, Staircase]) -> Chart:
    longest = max([600.0, *(float(one.x[-1]) for one in found.values())])
    ticks = tuple(tick for tick in DURATION_TICKS if _SHORTEST <= tick[0] <= 1.3 * longest)
    x = Axis("wait", "log", (_SHORTEST, 1.25 * longest), ticks, seconds=True)
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
    low = min((_share_at(one, left) for one in found.values()), default=0.0)
    bottom = max(0.0, 5 * math.floor(20 * low) - 5.0)
    series = tuple(_series(label, one, x) for label, one in found.items())
    panel = Panel(x, Axis("% of jobs", range=(bottom, 100.8)), series)
    return Chart(name, title, caption, (panel,))


def _share_at(one: Staircase, x: float) -> float:
    place = int(np.searchsorted(one.x, x, "right"))
    return float(one.share[place - 1]) if place else 0.0


def _series(label: str, one: Staircase, axis: Axis) -> Series:
    """The steps right of the axis's left end, which stands for everything smaller as well."""
    left, right = axis.range or (1.0, 1.0)
    inside = one.x > left
    x = np.concatenate(([left], one.x[inside], [right]))
    share = np.concatenate(([_share_at(one, left)], one.share[inside], [1.0]))
    return Series(label, x, 100.0 * share, "step", label)
