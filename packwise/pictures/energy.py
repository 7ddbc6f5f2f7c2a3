"""Power over time above what it costs: price, carbon, temperature."""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

import numpy as np

from packwise.metrics.energy.account import EnergyAccount
from packwise.model.energy.series import Series
from packwise.model.moments import merged
from packwise.model.workload import Floats, Ints
from packwise.pictures.canvas import DAY, INK, picture

_POINTS: Final = 600
#: Longer than this, a line for each hour is only ink: days are drawn instead.
_LONG: Final = 45 * DAY
_WORK, _IDLE, _COOLING = "#0072B2", "#B7C3D0", "#56B4E9"
_PRICE, _CARBON, _WARM = "#D55E00", "#009E73", "#7A5195"


class _Row(NamedTuple):
    title: str
    unit: str
    series: Series
    colour: str


def plot_energy(account: EnergyAccount, path: str | os.PathLike[str]) -> None:
    """Draw what jobs, idle cores and cooling draw, above the series of the scenario, as PNG, SVG or PDF."""
    rows = _rows(account)
    heights = [3.0, *(1.3 for _ in rows)]
    with picture(path, (13, 2.2 + 1.35 * sum(heights))) as figure:
        axes = figure.subplots(1 + len(rows), 1, sharex=True, squeeze=False, height_ratios=heights)[
            :, 0
        ]
        outcome = account.outcome
        name = outcome.origin.workload.name if outcome.origin is not None else ""
        figure.suptitle(
            f"{name}:  {len(outcome):,} jobs, {outcome.procs:,} processors, energy scenario "
            f"{account.scenario.name}",
            x=0.012,
            ha="left",
            fontsize=14,
            weight="bold",
        )
        _draw_power(axes[0], account)
        for place, row in zip(axes[1:], rows, strict=True):
            _draw_row(place, account, row)
        _date_axis(axes[-1], account)


def _rows(account: EnergyAccount) -> list[_Row]:
    """The series that vary; one that does not, if there is no other."""
    conditions = account.conditions
    told = (
        _Row("Price", f"{account.scenario.currency}/MWh", conditions.price, _PRICE)
        if conditions.price is not None
        else None,
        _Row("Carbon", "g CO2/kWh", conditions.carbon, _CARBON)
        if conditions.carbon is not None
        else None,
        _Row("Temperature outside", "°C", conditions.temperature, _WARM)
        if conditions.temperature is not None
        else None,
    )
    rows = [row for row in told if row is not None]
    return [row for row in rows if np.ptp(row.series.values) > 0] or rows[:1]


def _draw_power(axes: Any, account: EnergyAccount) -> None:
    first, last = int(account.edges[0]), int(account.edges[-1])
    if last - first > _LONG:
        edges = _daily(first, last)
    else:
        edges = np.unique(np.linspace(first, last, _POINTS + 1).astype(np.int64))
    work, idle, cooling = mean_power(account, edges)
    unit, size = ("kW", 1e3) if account.peak >= 2e3 else ("W", 1.0)
    times = _days(account, edges)
    layers = [("jobs", work, _WORK), ("idle cores", idle, _IDLE), ("cooling", cooling, _COOLING)]
    drawn = [layer for layer in layers if layer[1].any()] or layers[:1]
    below = np.zeros(len(work))
    for label, watts, colour in drawn:
        above = below + watts / size
        axes.fill_between(
            times,
            np.append(below, below[-1]),
            np.append(above, above[-1]),
            step="post",
            color=colour,
            linewidth=0,
            label=label,
        )
        below = above
    cap = account.conditions.cap
    if cap is not None:
        axes.step(
            _days(account, cap.bounds),
            np.append(cap.values, cap.values[-1]) / size,
            where="post",
            color=INK,
            linewidth=1.2,
            linestyle=(0, (4, 3)),
            label="cap (without cooling)",
        )
    what = "mean of each day" if last - first > _LONG else "mean over each interval"
    axes.set(title=f"Power, {what}", ylabel=unit, ylim=(0, None))
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4)


def mean_power(account: EnergyAccount, edges: Ints) -> tuple[Floats, Floats, Floats]:
    """Watts of jobs, idle cores and cooling on average between one edge and the next, exactly."""
    fine = merged(edges, account.edges)
    work = account.curve.energy(account.curve.work, fine)
    idle = account.curve.energy(account.curve.idle, fine)
    cell = np.searchsorted(account.edges, fine[:-1], "right") - 1
    cooling = (work + idle) * (account.pue[cell] - 1)
    first = np.searchsorted(fine, edges[:-1])
    seconds = np.diff(edges)
    found = [np.add.reduceat(each, first) / seconds for each in (work, idle, cooling)]
    return found[0], found[1], found[2]


def _draw_row(axes: Any, account: EnergyAccount, row: _Row) -> None:
    series = row.series
    axes.set(title=row.title, ylabel=row.unit)
    if series.end - int(series.times[0]) > _LONG and len(series.times) > _POINTS:
        edges = _daily(int(series.times[0]), series.end)
        first = np.searchsorted(series.times, edges[:-1], "right") - 1
        low = np.minimum.reduceat(series.values, first)
        high = np.maximum.reduceat(series.values, first)
        mean = np.diff(series.integral(edges)) / np.diff(edges)
        times = _days(account, edges)
        band = {"step": "post", "color": row.colour, "alpha": 0.25, "linewidth": 0}
        axes.fill_between(
            times,
            np.append(low, low[-1]),
            np.append(high, high[-1]),
            label="lowest to highest of a day",
            **band,
        )
        axes.step(
            times, np.append(mean, mean[-1]), where="post", color=row.colour, label="mean of a day"
        )
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    else:
        values = np.append(series.values, series.values[-1])
        axes.step(_days(account, series.bounds), values, where="post", color=row.colour)
    if series.values.min() < 0:
        axes.axhline(0, color=INK, linewidth=0.8)


def _daily(first: int, last: int) -> Ints:
    return np.append(np.arange(first, last, DAY), last)


def _days(account: EnergyAccount, times: Ints) -> Floats:
    """Matplotlib's dates: days since 1970."""
    return (times + account.clock.offset) / DAY


def _date_axis(axes: Any, account: EnergyAccount) -> None:
    from matplotlib import dates

    typed: Any = dates
    locator = typed.AutoDateLocator(tz=account.clock.zone)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(typed.ConciseDateFormatter(locator, tz=account.clock.zone))
    ends = _days(account, account.edges[[0, -1]])
    axes.set_xlim(float(ends[0]), float(ends[1]))
