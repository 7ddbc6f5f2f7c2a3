"""Charts drawn with Matplotlib: the same data as on the page, for papers and slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from packwise.pictures.canvas import GREY, INK, picture
from packwise.pictures.date_axis import date_places, name_dates
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.charts.palette import Style

_DASHES: Final[dict[str, Any]] = {
    "solid": "-",
    "dash": (0, (5, 1.6)),
    "dot": (0, (1.2, 1.2)),
    "dashdot": (0, (5, 1.6, 1.2, 1.6)),
    "longdash": (0, (8, 2.4)),
}
_SYMBOLS: Final = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "cross": "P"}
_BETTER, _WORSE = "#0b7a62", "#c23d1f"
_LETTERS: Final = 105
_BARS: Final = ("bar", "stack")


def draw_chart(chart: Chart, styles: Mapping[str, Style], path: Path) -> None:
    """Write one chart as a picture; the legend stands below the panels."""
    columns = min(chart.columns, max(len(chart.panels), 1))
    rows = -(-max(len(chart.panels), 1) // columns)
    categories = max((len(panel.y.categories) for panel in chart.panels), default=0)
    height = max(2.2, 0.26 * categories + 1.2) if categories else 3.3 if rows > 1 else 4.4
    width = 4.0 * columns if columns > 1 else 9.0
    with picture(path, (max(width, 8.0), height * rows + 0.5)) as figure:
        title = "\n".join(filter(None, (_plain(chart.title), _plain(chart.note))))
        figure.suptitle(title, x=0.015, ha="left", fontsize=13, fontweight="bold")
        if chart.empty or not chart.panels:
            figure.text(0.5, 0.45, _plain(chart.empty), ha="center", color=GREY, fontsize=11)
            return
        grid = figure.subplots(rows, columns, squeeze=False)
        places = [axes for row in grid for axes in row]
        for axes, panel in zip(places, chart.panels, strict=False):
            _panel(axes, panel, styles)
        for axes in places[len(chart.panels) :]:
            axes.axis("off")
        _legend(figure, chart.panels, styles)


def _panel(axes: Any, panel: Panel, styles: Mapping[str, Style]) -> None:
    for series in panel.series:
        placed = replace(series, x=date_places(panel.x.clock, series.x))
        _series(axes, placed, styles)
    if panel.title:
        axes.set_title(_plain(panel.title), fontsize=11)
    _axis(axes.xaxis, axes.set_xlim, axes.set_xscale, panel.x)
    _axis(axes.yaxis, axes.set_ylim, axes.set_yscale, panel.y)
    if panel.y.categories:
        axes.invert_yaxis()
        axes.grid(False, axis="y")
        axes.axvline(0, color=INK, linewidth=0.9)
    elif panel.y.zero_line:
        axes.axhline(0, color=INK, linewidth=0.9)
    if panel.x.from_zero:
        axes.set_xlim(date_places(panel.x.clock, np.zeros(1))[0], None)
    if panel.y.from_zero:
        axes.set_ylim(0, None)


def _series(axes: Any, series: Series, styles: Mapping[str, Style]) -> None:
    style = styles.get(series.policy) if series.policy is not None else None
    colour = style.light if style else INK
    dash = _DASHES[style.dash] if style else _DASHES["dash" if series.dashed else "solid"]
    symbol = _SYMBOLS[style.symbol] if style else "o"
    label = _plain(series.label)
    if series.mark == "stack":
        _stack(axes, series, colour)
    elif series.mark == "bubble":
        area = None if series.sizes is None else series.sizes**2 / 2
        axes.scatter(series.x, series.y, area, color=colour, alpha=0.75, linewidths=0)
    elif series.mark == "bar":
        colours = [_BETTER if value < 0 else _WORSE for value in series.x]
        axes.barh(series.y, series.x, 0.7, color=colours)
    elif series.mark == "point":
        across, up = series.error or (np.zeros(1), np.zeros(1))
        axes.errorbar(
            series.x,
            series.y,
            xerr=across if across.any() else None,
            yerr=up if up.any() else None,
            color=colour,
            marker=symbol,
            markersize=8,
            linestyle="none",
            capsize=3,
            label=label,
        )
    elif series.mark == "step":
        axes.step(
            series.x,
            series.y,
            where="post",
            color=colour,
            linestyle=dash,
            linewidth=1.7,
            label=label,
        )
    else:
        marker = symbol if series.mark == "dots" else ""
        axes.plot(
            series.x,
            series.y,
            color=colour,
            linestyle=dash,
            linewidth=1.6,
            marker=marker,
            markersize=4.5,
            label=label,
        )
        rings = np.array(series.hollow, bool)
        if rings.any():
            axes.scatter(
                series.x[rings],
                series.y[rings],
                22,
                "white",
                marker=symbol,
                edgecolors=colour,
                zorder=3,
            )


def _stack(axes: Any, series: Series, colour: str) -> None:
    base = np.zeros(len(series.x)) if series.base is None else series.base
    axes.barh(series.y, series.x, 0.7, left=base, color=colour, alpha=0.45 if series.pale else 1.0)
    for k, text in enumerate(series.ends):
        axes.annotate(
            text,
            (base[k] + series.x[k], series.y[k]),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=GREY,
        )


def _axis(axis: Any, set_limits: Any, set_scale: Any, wanted: Axis) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

    axis.set_label_text(_plain(wanted.title))
    if wanted.scale == "log":
        set_scale("log")
        axis.set_minor_formatter(NullFormatter())
    if wanted.ticks:
        axis.set_ticks([at for at, _ in wanted.ticks], [text for _, text in wanted.ticks])
        axis.set_minor_locator(NullLocator())
    elif wanted.categories:
        axis.set_ticks(range(len(wanted.categories)), [_plain(name) for name in wanted.categories])
        set_limits(-0.6, len(wanted.categories) - 0.4)
    elif wanted.clock:
        name_dates(axis, wanted.clock)
    elif wanted.scale == "log":
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    else:
        axis.set_major_formatter(_thousands)
    if wanted.range:
        set_limits(*wanted.range)


def _thousands(value: float, _place: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _legend(figure: Any, panels: Sequence[Panel], styles: Mapping[str, Style]) -> None:
    """Each name once, in as many columns as fit; bars explain themselves."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            found.setdefault(label, handle)
    if not found or all(one.mark in _BARS for panel in panels for one in panel.series):
        return
    width = 5 + max(len(label) for label in found)
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside lower center",
        ncols=max(1, min(len(found), _LETTERS // width)),
        fontsize=9,
    )


def _plain(text: str) -> str:
    """A name in one line; an underscore at its beginning would hide it from the legend."""
    return text.replace("\n", " ").lstrip("_")
