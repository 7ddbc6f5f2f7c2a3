"""Several runs of a workload side by side: who gains, who pays, and when."""

from __future__ import annotations

import os
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Final

import numpy as np

from packwise.metrics.catalogue import metric, summarize
from packwise.metrics.comparison import change_percent
from packwise.metrics.definition import Metric
from packwise.metrics.outcome import Mask
from packwise.model.errors import InputError
from packwise.model.run import Run
from packwise.pictures.canvas import DAY, GREY, INK, picture
from packwise.pictures.lines import line_colours, line_dashes
from packwise.pictures.queue import Queue, draw_over_time, legend_fits, queues_of
from packwise.pictures.replay import headline

METRICS: Final = ("BSLD", "AF", "wait", "AWF", "P2SF", "max_wait", "utilization")

_LETTERS: Final = 20
_BETTER, _WORSE = (0.05, 0.52, 0.42), (0.80, 0.25, 0.13)
_WAIT_TICKS: Final = {
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    4 * 3600: "4 h",
    DAY: "1 d",
    4 * DAY: "4 d",
    14 * DAY: "2 wk",
    60 * DAY: "2 mo",
    365 * DAY: "1 yr",
}


def plot_comparison(
    runs: Sequence[Run],
    baseline: int,
    path: str | os.PathLike[str],
    only: Sequence[Mask] | None = None,
) -> None:
    """Draw several runs of a workload as PNG, SVG or PDF: who gains, who pays, and when.

    A table of changes against ``runs[baseline]``, how long jobs wait, and the queue over time. Where the
    machine is in doubt the table has values, and says so. The same runs give the same file. ``only`` has, for
    each run, a mask of the jobs that the table and the waits are about.
    """
    if not 0 <= baseline < len(runs):
        raise InputError(f"the baseline should be one of the {len(runs)} runs, found {baseline}.")
    queues = queues_of(runs)
    labels = [queue.label for queue in queues]
    colours, dashes = line_colours(len(runs), baseline), line_dashes(len(runs))
    rows = max(3.2, 0.62 * len(runs) + 0.9)
    longest = max(len(line) for label in labels for line in _folded(label).split("\n"))
    with picture(path, (13.5 + 0.11 * max(longest - 10, 0), 4.6 + rows)) as figure:
        panel = figure.subplot_mosaic(
            [["table", "waits"], ["queue", "queue"]],
            width_ratios=[1.75, 1],
            height_ratios=[rows, 2.7],
        )
        figure.suptitle(headline(runs), x=0.012, ha="left", fontsize=14.5, fontweight="bold")
        _table(panel["table"], runs, baseline, labels, colours, dashes, only)
        _waits(panel["waits"], runs, colours, dashes, only)
        _queues(panel["queue"], queues, colours, dashes)


def _table(
    axes: Any,
    runs: Sequence[Run],
    baseline: int,
    labels: list[str],
    colours: list[str],
    dashes: list[Any],
    only: Sequence[Mask] | None,
) -> None:
    """Changes in percent, green where better; the baseline's row has the values themselves, and so have all
    where the machine is in doubt.
    """
    from matplotlib.patches import FancyBboxPatch

    masks: Sequence[Mask | None] = only or [None] * len(runs)
    values = [
        summarize(run.workload, run.cluster, run.schedule, METRICS, only=mask)
        for run, mask in zip(runs, masks, strict=True)
    ]
    metrics = [metric(name) for name in METRICS]
    names = [_folded(label) for label in labels]
    letters = max(len(line) for name in names for line in name.split("\n"))
    name_width = 0.118 * letters + 0.72
    axes.set_xlim(-name_width, len(metrics))
    axes.set_ylim(len(runs) + 0.42, -0.95)
    axes.axis("off")
    most = 0 if only is None else max(int((~mask).sum()) for mask in only)
    left_out = f", {most:,} {'job' if most == 1 else 'jobs'} left out" if most else ""
    withheld = bool(runs[baseline].cluster.sizing.doubt)
    what = "No verdict: values" if withheld else f"Change against {labels[baseline]}"
    axes.set_title(f"{what}{left_out}")
    for column, one in enumerate(metrics):
        axes.text(
            column + 0.5, -0.52, one.name, ha="center", va="bottom", weight="bold", fontsize=9.6
        )
        caption = "\n".join(wrap(_caption(one), 13))
        axes.text(
            column + 0.5,
            -0.46,
            caption,
            ha="center",
            va="top",
            fontsize=7.6,
            color=GREY,
            linespacing=1.1,
        )
    legend = (
        "The machine is in doubt: none of these is a gain."
        if withheld
        else f"{labels[baseline]}: the values. Others: green is better, red is worse."
    )
    axes.text(0.06, len(runs) + 0.14, legend, va="top", fontsize=8.6, color=GREY)
    for row, name in enumerate(names):
        middle = row + 0.5
        swatch = [-name_width + 0.02, -name_width + 0.42]
        axes.plot(swatch, [middle, middle], color=colours[row], linestyle=dashes[row], linewidth=3)
        weight = "bold" if row == baseline and not withheld else "normal"
        size = 10.5 if "\n" not in name else 9
        axes.text(
            -name_width + 0.54,
            middle,
            name,
            va="center",
            weight=weight,
            fontsize=size,
        )
        for column, one in enumerate(metrics):
            value, reference = values[row][one.name], values[baseline][one.name]
            change = change_percent(value, reference)
            plain = row == baseline or withheld
            fill, ink = ((0.955, 0.96, 0.97), INK) if plain else _heat(change, one)
            text = _value(value, one) if plain or change is None else _percent(change)
            axes.add_patch(
                FancyBboxPatch(
                    (column + 0.045, row + 0.07),
                    0.91,
                    0.86,
                    linewidth=0,
                    facecolor=fill,
                    boxstyle="round,pad=0,rounding_size=0.05",
                    mutation_aspect=1,
                )
            )
            axes.text(
                column + 0.5, middle, text, ha="center", va="center", color=ink, fontsize=10.5
            )


def _folded(label: str) -> str:
    """A long label over several lines, broken at commas and before the estimate."""
    lines = [""]
    for part in label.replace(",", ",\n").replace(" / ", "\n/ ").split("\n"):
        if len(lines[-1]) + len(part) > _LETTERS and lines[-1]:
            lines.append("")
        lines[-1] += part if not (part.startswith("/") and lines[-1]) else f" {part}"
    return "\n".join(lines)


def _caption(one: Metric) -> str:
    captions = {
        "BSLD": "bounded slowdown",
        "AF": "mean response",
        "wait": "mean wait",
        "AWF": "response by area",
        "P2SF": "fairness and packing",
        "max_wait": "longest wait",
        "utilization": "higher is better",
    }
    return captions.get(one.name, one.title.lower())


def _heat(change: float | None, one: Metric) -> tuple[tuple[float, ...], str]:
    """The colour of a cell, full at 100 percent, and the ink that is readable on it."""
    if change is None or abs(change) < 0.5:
        return (1.0, 1.0, 1.0), INK
    better = (change < 0) == (one.better == "lower")
    strength = 0.12 + 0.88 * min(abs(change) / 100, 1.0) ** 0.7
    target = _BETTER if better else _WORSE
    fill = tuple(1 - strength * (1 - part) for part in target)
    brightness = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2]
    return fill, "#ffffff" if brightness < 0.58 else INK


def _percent(change: float) -> str:
    if abs(change) < 0.05:
        return "0 %"
    if change >= 1000:
        return f"× {1 + change / 100:,.0f}"
    text = f"{change:+.1f} %" if abs(change) < 10 else f"{change:+,.0f} %"
    return text.replace("-", "\N{MINUS SIGN}")


def _value(value: float, one: Metric) -> str:
    if one.name == "utilization":
        return f"{100 * value:.1f} %"
    if one.unit != "s":
        return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
    for unit, width in (("d", DAY), ("h", 3600), ("min", 60)):
        if value >= 2 * width:
            return f"{value / width:,.1f} {unit}"
    return f"{value:,.0f} s"


def _waits(
    axes: Any,
    runs: Sequence[Run],
    colours: list[str],
    dashes: list[Any],
    only: Sequence[Mask] | None,
) -> None:
    """Which share of the jobs has started after so long."""
    longest, low = 600.0, 100.0
    masks = only or [run.schedule.ran for run in runs]
    for run, mask, colour, dash in zip(runs, masks, colours, dashes, strict=True):
        shown = run.schedule.ran & mask
        wait = np.sort(run.schedule.wait(run.workload)[shown])
        low = min(low, 100 * float((wait <= 30).mean()))
        share = 100 * np.arange(1, len(wait) + 1) / len(wait)
        last = np.append(wait[1:] != wait[:-1], True)
        longest = max(longest, float(wait[-1]))
        axes.step(
            np.concatenate(([1.0], np.maximum(wait[last], 1))),
            np.concatenate(([0.0], share[last])),
            where="post",
            color=colour,
            linestyle=dash,
            linewidth=1.9,
        )
    ticks = [seconds for seconds in _WAIT_TICKS if seconds <= longest * 1.4]
    axes.set_xscale("log")
    axes.set_xticks(ticks, [_WAIT_TICKS[seconds] for seconds in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(30, longest * 1.25)
    axes.set_ylim(max(0.0, 5 * np.floor(low / 5) - 5), 100.6)
    axes.set(title="Jobs started within", ylabel="% of jobs", xlabel="wait")


def _queues(axes: Any, queues: Sequence[Queue], colours: list[str], dashes: list[Any]) -> None:
    draw_over_time(axes, queues, colours, dashes)
    if legend_fits(queues):  # otherwise the table is the legend
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(queues), borderaxespad=0.2)
