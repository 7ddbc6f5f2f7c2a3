"""Bars of policies over logs, in per cent of List-REG, with what was published as hollow marks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from packwise.pictures.canvas import GREY, INK, picture

#: Bars that are much longer than the others are cut here.
_TOP = 185.0
_WIDTH = 0.82
_LINE, _MARK = "List-REG", "published"


class Bars(NamedTuple):
    """One policy: its values on each log (several: of seeds), and those that were published for it."""

    label: str
    values: Mapping[str, Sequence[float]]
    published: Mapping[str, float]
    colour: str


class Panel(NamedTuple):
    """One metric of several policies."""

    title: str
    bars: Sequence[Bars]


def plot_bars(
    title: str, workloads: Sequence[str], panels: Sequence[Panel], path: str | os.PathLike[str]
) -> None:
    """Draw panels below each other, with one legend; logs without any value are left out."""
    there = [w for w in workloads if any(w in b.values for panel in panels for b in panel.bars)]
    with picture(path, (11.5, 1.1 + 3.3 * len(panels))) as figure:
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold")
        places = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axes, panel in zip(places, panels, strict=True):
            _draw(axes, there, panel)
        shown = {
            label: handle
            for axes in places
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        order = sorted(shown, key=(*(b.label for p in panels for b in p.bars), _LINE, _MARK).index)
        handles = [shown[label] for label in order]
        figure.legend(handles, order, loc="outside lower center", ncols=len(order))


def _draw(axes: Any, workloads: Sequence[str], panel: Panel) -> None:
    shown = [value for bars in panel.bars for values in bars.values.values() for value in values]
    shown += [bars.published[w] for bars in panel.bars for w in bars.published if w in bars.values]
    highest = max(shown, default=0.0)
    top = min(1.12 * max(highest, 100.0), _TOP)
    width = _WIDTH / len(panel.bars)
    labels = {bars.label for bars in panel.bars} | {_MARK}
    axes.axhline(100, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), label=_LINE)
    for i, bars in enumerate(panel.bars):
        for place, workload in enumerate(workloads):
            x = place + (i - (len(panel.bars) - 1) / 2) * width
            values = bars.values.get(workload)
            if values is None:
                continue
            _bar(axes, x, 0.92 * width, values, top, bars.colour, _once(labels, bars.label))
            published = bars.published.get(workload)
            if published is not None and published < top:
                _mark(axes, x, published, _once(labels, _MARK))
            above = max(sum(values) / len(values), published or 0.0)
            _number(axes, x, sum(values) / len(values), above, top)
    axes.set(title=panel.title, ylabel="% of List-REG", ylim=(0, top))
    axes.set_xticks(range(len(workloads)), workloads)
    axes.set_xlim(-0.55, len(workloads) - 0.45)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def _once(labels: set[str], label: str) -> str | None:
    """A label the first time, so that the legend has it once."""
    if label not in labels:
        return None
    labels.remove(label)
    return label


def _bar(
    axes: Any,
    x: float,
    width: float,
    values: Sequence[float],
    top: float,
    colour: str,
    label: str | None,
) -> None:
    """The mean as a bar, and a line from the least to the most where they differ to the eye."""
    axes.bar(x, min(sum(values) / len(values), top), width, color=colour, label=label)
    if max(values) - min(values) >= 0.5 and max(values) < top:
        axes.plot([x, x], [min(values), max(values)], color=INK, linewidth=1.5)


def _mark(axes: Any, x: float, value: float, label: str | None) -> None:
    axes.plot(
        [x],
        [value],
        marker="D",
        markersize=5.5,
        linestyle="none",
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.3,
        label=label,
    )


def _number(axes: Any, x: float, value: float, above: float, top: float) -> None:
    """The value at the foot of its bar, or above it if the bar is too short; an arrow where it is cut."""
    text = f"{value:,.0f}" if value >= 199.5 else f"{value:.1f}"
    if value > top:
        axes.text(
            x, 0.97 * top, "\N{UPWARDS ARROW}", ha="center", va="top", color="white", weight="bold"
        )
    foot = value >= 0.13 * top
    axes.text(
        x,
        0.025 * top if foot else above + 0.04 * top,
        text,
        ha="center",
        va="bottom",
        fontsize=8,
        color="white" if foot else GREY,
        weight="bold" if foot else "normal",
    )
