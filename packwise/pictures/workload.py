"""What a workload looks like, in one picture."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from packwise.model.workload import Floats, Ints, Workload
from packwise.pictures.canvas import DAY, INK, picture
from packwise.workloads.describe import WEEKDAYS, Description, describe

_UNITS: Final = (("week", 7 * DAY), ("day", DAY), ("hour", 3600))
_MOST_BARS: Final = 520
_BLUE, _ORANGE, _GREY = "#2f6db5", "#e07b39", "#c9ced6"
_TIME_TICKS: Final = {
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    21600: "6 h",
    86400: "1 d",
    604800: "1 wk",
    2592000: "30 d",
    31536000: "1 yr",
}


def plot_workload(workload: Workload, procs: int, path: str | os.PathLike[str]) -> None:
    """Draw ``workload`` on a machine of ``procs`` processors as PNG, SVG or PDF, by the suffix.

    Six panels: submissions by hour and by weekday, the distributions of run time and limit, sizes
    by share of jobs and of processor time, how much of their limit jobs use, and the offered load
    week by week. The same workload gives the same file.
    """
    facts = describe(workload, procs)
    with picture(path, (13.5, 8.6)) as figure:
        panel = figure.subplot_mosaic(
            [
                ["hour", "hour", "weekday", "weekday", "accuracy", "accuracy"],
                ["time", "time", "time", "size", "size", "size"],
                ["load"] * 6,
            ],
            height_ratios=[1, 1, 0.9],
        )
        figure.suptitle(_headline(facts), x=0.012, ha="left", fontsize=14, fontweight="bold")
        _hours(panel["hour"], facts)
        _weekdays(panel["weekday"], facts)
        _accuracy(panel["accuracy"], workload)
        _times(panel["time"], workload)
        _sizes(panel["size"], facts)
        _weekly_load(panel["load"], workload, facts)


def _headline(facts: Description) -> str:
    jobs = f"{facts.jobs:,} job{'' if facts.jobs == 1 else 's'}"
    users = f", {facts.users:,} users" if facts.users else ""
    return (
        f"{facts.name}:  {jobs}{users}, {facts.procs:,} processors, "
        f"{facts.span / DAY:,.0f} days, offered load {facts.load:.2f}"
    )


def _hours(axes: Any, facts: Description) -> None:
    axes.bar(np.arange(24) + 0.5, _percent(facts.by_hour), 0.82, color=_BLUE)
    axes.set(title="Submissions by hour of day", ylabel="% of jobs", xlim=(0, 24))
    axes.set_xlabel(f"hour ({facts.time_zone})")
    axes.set_xticks(range(0, 25, 4))
    axes.grid(False, axis="x")


def _weekdays(axes: Any, facts: Description) -> None:
    colours = [_BLUE] * 5 + [_GREY] * 2
    axes.bar(WEEKDAYS, _percent(facts.by_weekday), 0.72, color=colours)
    axes.set(title="Submissions by weekday", ylabel="% of jobs")
    axes.grid(False, axis="x")


def _accuracy(axes: Any, workload: Workload) -> None:
    used = workload.runtime / workload.requested_time * 100
    counts, edges = np.histogram(used, np.linspace(0, 100, 21))
    axes.bar(edges[:-1], _percent(counts), 4.4, align="edge", color=_BLUE)
    axes.set(title="How much of their limit jobs use", ylabel="% of jobs", xlim=(0, 101))
    axes.set_xlabel("run time as % of limit")
    axes.grid(False, axis="x")


def _times(axes: Any, workload: Workload) -> None:
    columns = (("run time", workload.runtime, _BLUE), ("limit", workload.requested_time, _ORANGE))
    for label, column, colour in columns:
        value, share = _ecdf(column)
        axes.step(value, share * 100, where="post", color=colour, linewidth=1.8, label=label)
    longest = int(workload.requested_time.max())
    ticks = [second for second in _TIME_TICKS if second <= longest * 1.5] or [1]
    axes.set_xscale("log")
    axes.set_xticks(ticks, [_TIME_TICKS[second] for second in ticks])
    axes.set_xticks([], minor=True)
    axes.set(title="Run time and limit", ylabel="% of jobs up to", ylim=(0, 101))
    axes.set_xlim(0.8, max(longest * 1.3, 12))
    axes.legend(loc="upper left")


def _sizes(axes: Any, facts: Description) -> None:
    place = np.arange(len(facts.size_classes))
    job_share = [100 * size.job_share for size in facts.size_classes]
    area_share = [100 * size.area_share for size in facts.size_classes]
    axes.bar(place - 0.2, job_share, 0.38, color=_BLUE, label="jobs")
    axes.bar(place + 0.2, area_share, 0.38, color=_ORANGE, label="processor time")
    axes.set_xticks(place, [_up_to(size.high) for size in facts.size_classes])
    axes.set(title="Job sizes", ylabel="% of total", xlabel="processors requested, up to")
    axes.set_xlim(-0.6, max(len(place), 4) - 0.4)
    axes.grid(False, axis="x")
    _legend_above(axes)


def _weekly_load(axes: Any, workload: Workload, facts: Description) -> None:
    since = workload.submit - workload.submit[0]
    unit, width = next(pair for pair in _UNITS if facts.span >= 3 * pair[1] or pair == _UNITS[-1])
    several = -(-facts.span // (width * _MOST_BARS)) or 1  # units per bar, of a very long log
    width *= several
    full = max(facts.span // width, 1)
    place = np.minimum(since // width, full - 1)
    area = np.bincount(place, workload.area, minlength=full)
    seconds = np.full(full, float(width))
    seconds[-1] = max(facts.span - width * (full - 1), 1)
    load = area / (facts.procs * seconds)
    each = unit if several == 1 else f"{several} {unit}s"
    edges = several * np.append(np.arange(full), max(facts.span / width, full))
    axes.stairs(load, edges, fill=True, color=_BLUE, alpha=0.85)
    axes.axhline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="capacity")
    axes.axhline(facts.load, color=_ORANGE, linewidth=1.6, label=f"mean {facts.load:.2f}")
    axes.set(title=f"Offered load by {each} of submission", ylabel="work / capacity")
    axes.xaxis.get_major_locator().set_params(integer=True)
    start = f" (first submission {facts.first_submit:%d %b %Y})" if facts.first_submit else ""
    axes.set_xlabel(f"{unit}{start}")
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(0, max(1.1, float(load.max()) * 1.08))
    _legend_above(axes)


def _legend_above(axes: Any) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _up_to(procs: int) -> str:
    """'64', '16k': short enough for ten classes side by side."""
    return str(procs) if procs < 1000 else f"{procs / 1000:.0f}k"


def _percent(counts: Ints) -> Floats:
    return 100.0 * counts / max(int(counts.sum()), 1)


def _ecdf(column: Ints) -> tuple[Floats, Floats]:
    """Distinct values and the share of jobs up to each."""
    value, count = np.unique(column, return_counts=True)
    share = np.cumsum(count) / len(column)
    return np.concatenate(([1.0], value)), np.concatenate(([0.0], share))
