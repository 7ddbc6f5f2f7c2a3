"""Figures 2 to 7 of N'Takpé and Suter, JSSPP 2017, for the cases of a report.

Lines go over the share of jobs with a deadline where a study turns it; without that, tables tell the
means and the figures show the distributions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from packwise.model.workload import Floats
from packwise.readable import duration_unit
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.charts.staircase import Staircase, shorten
from packwise.reports.charts.waiting import share_axis, step_series, wait_axis
from packwise.reports.deadlines.case import MOST_STEPS, CaseDeadlines
from packwise.reports.deadlines.places import Place, places
from packwise.reports.deadlines.quantities import (
    MISSES_DAY,
    MISSES_LONGER,
    STRETCH,
    USAGE,
    WAIT_ALL,
    WAIT_REGULAR,
    Quantity,
)
from packwise.reports.deadlines.words import (
    line_words,
    miss_words,
    replica_words,
    usage_words,
    wait_words,
)
from packwise.reports.readings import SHARES, typeset

#: Steps that the distributions of a figure have per policy, all panels together, and the fewest of one.
_STEPS: Final = 4800
_FEWEST_STEPS: Final = 40
_MOST_COLUMNS: Final = 4
#: Names of bars that fit between two panels.
_SHORT_NAME: Final = 12
_USES: Final = tuple(
    (float(at), f"{at:,}") for at in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)
)


@dataclass(frozen=True, eq=False)
class DeadlineFigures:
    """What a report shows of deadlines."""

    places: tuple[Place, ...]
    charts: tuple[Chart, ...]


def deadline_figures(cases: Sequence[CaseDeadlines]) -> DeadlineFigures | None:
    """None where no job has a deadline."""
    if not any(one.driven for one in cases):
        return None
    found = places(cases)
    return DeadlineFigures(found, _charts(found))


def _charts(found: Sequence[Place]) -> tuple[Chart, ...]:
    """All figures, in reading order."""
    swept = [place for place in found if place.swept]
    alone = [place for place in found if not place.swept]
    first = [line_chart(one, swept) for one in (WAIT_REGULAR, WAIT_ALL) if swept]
    then = [line_chart(one, swept) for one in (STRETCH, USAGE) if swept]
    usage = [usage_chart(alone)] if alone else []
    return (*first, waits_chart(found), *then, *usage, misses_chart(found))


def line_chart(quantity: Quantity, swept: Sequence[Place]) -> Chart:
    """A quantity over the share of jobs with a deadline: a panel per workload, a line per policy."""
    values = [{label: _along(place, label, quantity) for label in place.labels} for place in swept]
    known = [v for lines in values for line in lines.values() for v in line if math.isfinite(v)]
    unit, factor = _unit(quantity, max(known, default=0.0))
    title = f"{quantity.axis}, {unit}" if unit and unit != "%" else quantity.axis
    words = line_words(quantity, swept)
    panels = []
    for place, lines in zip(swept, values, strict=True):
        series = tuple(
            Series(label, np.array(place.percents), factor * line, "dots", label)
            for label, line in lines.items()
            if np.isfinite(line).any()
        )
        if series:
            y = Axis(title, from_zero=True)
            if quantity.scale == "log":
                y = Axis(title, "log", *_log_span(series))
            panels.append(Panel(_share_axis(place), y, series, _title(place, swept)))
    return Chart(
        f"deadline-{quantity.key}",
        quantity.title,
        typeset(f"{quantity.caption} {words}{replica_words(swept, 'mean')}"),
        tuple(panels),
        columns=_columns(len(panels)),
        empty="" if panels else "There are no such jobs.",
    )


def waits_chart(found: Sequence[Place]) -> Chart:
    """Waits of regular jobs: a panel per workload and share."""
    shown = [(place, one) for place in found for one in place.cases if one.waits]
    cut = [_cut(one, len(shown)) for _, one in shown]
    stairs = [one for lines in cut for one in lines.values()]
    x = wait_axis(stairs)
    y = share_axis(stairs, (x.range or (1.0, 1.0))[0])
    panels = tuple(
        Panel(
            x, y, tuple(step_series(*line, x) for line in lines.items()), _case(place, one, found)
        )
        for (place, one), lines in zip(shown, cut, strict=True)
    )
    across = max((len(place.cases) for place in found), default=1)
    caption = (
        "The share of the regular jobs that started within so long, less those that start at once "
        f"under every policy compared. {wait_words([one for _, one in shown])}"
        f"{replica_words(found, 'shown')}"
    )
    return Chart(
        "deadline-waits",
        "How long regular jobs wait",
        typeset(caption.strip()),
        panels,
        columns=_columns(across if across > 1 else len(panels)),
        empty="" if panels else "No regular job waits under any policy here.",
    )


def usage_chart(alone: Sequence[Place]) -> Chart:
    """The use of deadlines job by job, where there is no share to draw its mean over."""
    shown = [(place, place.cases[0]) for place in alone if place.cases[0].usage]
    stairs = [line for _, one in shown for line in one.usage.values()]
    right = max([100.0, *(float(line.x[-1]) for line in stairs)])
    ticks = tuple(tick for tick in _USES if tick[0] <= 1.25 * right)
    x = Axis(USAGE.axis, "log", (_USES[0][0], 1.25 * right), ticks)
    y = share_axis(stairs, _USES[0][0])
    panels = tuple(
        Panel(
            x, y, tuple(step_series(*line, x) for line in one.usage.items()), _title(place, alone)
        )
        for place, one in shown
    )
    caption = (
        "The share of the deadline-driven jobs that ended before so much of the time from submission "
        "to deadline had passed; beyond 100 % the deadline was missed. Jobs that start at once are "
        f"left out. {usage_words([one for _, one in shown])}{replica_words(alone, 'shown')}"
    )
    return Chart(
        "deadline-use",
        "How much of the time jobs with a deadline use",
        typeset(caption.strip()),
        panels,
        columns=_columns(len(panels)),
        empty=""
        if panels
        else "Every job with a deadline starts at once, under every policy here.",
    )


def misses_chart(found: Sequence[Place]) -> Chart:
    """How many deadlines were missed: a bar per policy and share, those of a day and longer ones."""
    made = [(place, *_bars(place)) for place in found]
    panels = tuple(
        Panel(_misses_axis(bars), Axis("", categories=names), bars, _title(place, found))
        for place, names, bars in made
        if bars
    )
    caption = (
        "Jobs that ended after their deadline. Full colour: deadlines at most 24 hours after the "
        f"submission; pale: longer ones. {miss_words(found)}{replica_words(found, 'mean')}"
    )
    return Chart(
        "deadline-misses",
        "Missed deadlines",
        typeset(caption.strip()),
        panels,
        columns=2 if all(len(name) <= _SHORT_NAME for _, names, _ in made for name in names) else 1,
        empty="" if panels else "Nothing was measured here.",
    )


def _misses_axis(bars: Sequence[Series]) -> Axis:
    """With room for the numbers behind the bars."""
    longest = max(float((one.x if one.base is None else one.x + one.base).max()) for one in bars)
    return Axis("missed deadlines; pale: > 24 h", range=(0.0, max(1.0, 1.15 * longest)))


def _cut(one: CaseDeadlines, panels: int) -> dict[str, Staircase]:
    """The distributions, coarser where there are so many panels that nobody sees the difference."""
    steps = max(_STEPS // panels, _FEWEST_STEPS)
    error = 0.0 if steps >= MOST_STEPS else 0.5 / steps
    return {label: shorten(*stairs, error) for label, stairs in one.waits.items()}


def _bars(place: Place) -> tuple[tuple[str, ...], tuple[Series, ...]]:
    """The names of the bars, and of each policy the two parts."""
    names: list[str] = []
    series: list[Series] = []
    for label in place.labels:
        rows = []
        for one in place.cases:
            day, longer = one.value(label, MISSES_DAY), one.value(label, MISSES_LONGER)
            if math.isfinite(day) and math.isfinite(longer):
                share = one.case.share
                name = f"{label}, {share.percent:g} %" if place.swept and share else label
                rows.append((len(names), day, longer))
                names.append(name)
        if rows:
            at, day, longer = np.array(rows, np.float64).T
            ends = tuple(_count(value) for value in day + longer)
            nothing = np.zeros(len(at))
            series += [
                Series(f"{label}: at most 24 h", day, at, "stack", label, base=nothing),
                Series(
                    f"{label}: more than 24 h", longer, at, "stack", label, base=day, ends=ends, pale=True
                ),
            ]  # fmt: skip
    return tuple(names), tuple(series)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _along(place: Place, label: str, quantity: Quantity) -> Floats:
    return np.array([one.value(label, quantity) for one in place.cases], np.float64)


def _unit(quantity: Quantity, largest: float) -> tuple[str, float]:
    if quantity.metric.name in SHARES:
        return "%", 100.0
    if quantity.unit == "min":
        return "min", 1.0 / 60.0
    if quantity.metric.unit == "s":
        unit, width = duration_unit(largest)
        return unit, 1.0 / width
    return "", 1.0


def _share_axis(place: Place) -> Axis:
    ticks = tuple((percent, f"{percent:g}") for percent in place.percents)
    title = "jobs with a deadline, %" if place.of_all else "share that the deadline rule picks, %"
    return Axis(title, ticks=ticks)


def _log_span(
    series: Sequence[Series],
) -> tuple[tuple[float, float], tuple[tuple[float, str], ...]]:
    """A range around all values, and ticks that are enough of them."""
    values = np.concatenate([one.y[np.isfinite(one.y)] for one in series])
    low, high = 0.8 * float(values.min()), 1.25 * float(values.max())
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    first = (1, 2, 5) if high < 200 * low else (1,)
    ticks = [mantissa * 10.0**power for power in powers for mantissa in first]
    return (low, high), tuple((at, f"{at:,g}") for at in ticks if low <= at <= high)


def _title(place: Place, among: Sequence[Place]) -> str:
    return place.title if len(among) > 1 else ""


def _case(place: Place, one: CaseDeadlines, among: Sequence[Place]) -> str:
    if not place.swept or one.case.share is None:
        return _title(place, among)
    percent = one.case.share.percent
    return place.named(percent) if len(among) > 1 else f"{percent:g} % with a deadline"


def _columns(panels: int) -> int:
    return max(panels, 1) if panels <= _MOST_COLUMNS else 3 if panels % 3 == 0 else _MOST_COLUMNS
