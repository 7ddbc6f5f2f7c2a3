"""Metrics as a number is turned: one small panel per metric, one line per policy."""

from __future__ import annotations

import numpy as np

from packwise.metrics.catalogue import metric
from packwise.metrics.definition import Metric
from packwise.model.workload import Floats
from packwise.readable import duration_unit
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.material import Sweep
from packwise.reports.readings import SHARES

_LOG_FROM = 30.0


def sweep_chart(sweep: Sweep, number: int, metrics: tuple[str, ...]) -> Chart:
    """Goponenko et al., SBAC-PAD 2022, Fig. 4, for any parameter."""
    measured = {name for line in sweep.lines.values() for name in line}
    chosen = [one for one in map(metric, metrics) if one.name in measured]
    points = np.array(sweep.points, np.float64)
    wide = len(points) > 2 and points.min() > 0 and points.max() >= _LOG_FROM * points.min()
    ticks = tuple((float(p), f"{p:g}") for p in points) if len(points) <= 9 else ()
    x = Axis(sweep.parameter, "log" if wide else "linear", ticks=ticks)
    panels = tuple(_panel(sweep, one, x, points) for one in chosen)
    caption = f"Each metric over {sweep.parameter}, one line for each policy."
    empty = "" if panels and len(points) else "There are no results to draw."
    return Chart(f"sweep-{number}", sweep.title, caption, panels, columns=3, empty=empty)


def _panel(sweep: Sweep, one: Metric, x: Axis, points: Floats) -> Panel:
    lines = {
        label: np.array(line[one.name], np.float64)
        for label, line in sweep.lines.items()
        if one.name in line
    }
    known = np.concatenate([line[np.isfinite(line)] for line in lines.values()])
    unit, factor = one.unit, 1.0
    if one.name in SHARES:
        unit, factor = "%", 100.0
    elif one.unit == "s" and len(known):
        unit, width = duration_unit(float(np.abs(known).max()))
        factor = 1.0 / width
    series = tuple(
        Series(label, points, factor * line, "dots", label) for label, line in lines.items()
    )
    return Panel(x, Axis(""), series, f"{one.name}, {unit}" if unit else one.name)
