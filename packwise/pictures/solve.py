"""What the off-line optimiser reached when."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from packwise.pictures.canvas import GREY, INK, picture

_LINE, _BOUND = "#0072B2", "#009E73"
#: Schedules that are worse than so many times the first one reached are not shown.
_FAR = 1.6
#: Labels at the right are at least this part of the height apart.
_APART = 0.045


@dataclass(frozen=True)
class Convergence:
    """The best value of a metric over time, a bound, and the values of other schedules by name.

    ``gap``: how much of the last value could be saved at most; NaN, like the bound, where it is not known.
    """

    title: str
    metric: str
    seconds: Sequence[float]
    values: Sequence[float]
    bound: float
    gap: float
    others: Mapping[str, float]


def plot_convergence(found: Convergence, path: str | os.PathLike[str]) -> None:
    """Draw the metric against time as PNG, SVG or PDF, with the bound and other schedules as lines."""
    first, last = found.values[0], found.values[-1]
    times, values = list(found.seconds), list(found.values)
    if len(values) == 1:  # a point is no line
        times, values = [0.0, *times], [first, *values]
    near = {name: value for name, value in found.others.items() if value <= _FAR * first}
    with picture(path, (11, 5.6)) as figure:
        figure.suptitle(found.title, x=0.012, ha="left", fontsize=14, weight="bold")
        axes = figure.subplots()
        axes.step(times, values, where="post", color=_LINE, linewidth=2.2, zorder=3)
        labels = [(last, f"reached  {_number(last)}", _LINE)]
        for name, value in near.items():
            axes.axhline(value, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
            labels.append((value, name, GREY))
        if found.bound > 0:
            axes.axhline(found.bound, color=_BOUND, linewidth=1.6, zorder=2)
            labels.append((found.bound, f"bound  {_number(found.bound)}", _BOUND))
        lowest = min(value for value, _, _ in labels)
        highest = max(first, *(value for value, _, _ in labels))
        margin = 0.06 * (highest - lowest) or 0.06 * highest
        axes.set_ylim(max(0.0, lowest - margin), highest + margin)
        axes.set_xlim(0, max(found.seconds[-1], 1e-3))
        axes.set(xlabel="seconds", ylabel=found.metric)
        axes.yaxis.set_major_formatter("{x:,.6g}")
        better = (
            "" if isnan(found.gap) else f"; no schedule is more than {100 * found.gap:.1f} % better"
        )
        axes.set_title(
            f"{found.metric} {100 * (1 - last / first):.2f} % below the schedule it began with{better}",
            fontsize=10.5,
            weight="normal",
        )
        _label(axes, labels)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _label(axes: Any, labels: list[tuple[float, str, str]]) -> None:
    """Names at the right end of the lines, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    places: list[float] = []
    for value, text, colour in sorted(labels):
        place = (value - low) / (high - low)
        if places:
            place = max(place, places[-1] + _APART)
        places.append(place)
        axes.annotate(
            text,
            (1, place),
            xycoords="axes fraction",
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=colour if colour != GREY else INK,
            fontsize=9,
            weight="bold" if colour != GREY else "normal",
            annotation_clip=False,
        )
