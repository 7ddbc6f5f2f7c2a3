"""The figures as JSON for the page's scripts: short numbers, and null where there is none."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from packwise.model.workload import Floats
from packwise.reports.charts.chart import Axis, Chart, Choice, Panel, Series
from packwise.reports.charts.pareto import CAPTION, TITLE, Pareto
from packwise.reports.figures import CaseFigures, Figures
from packwise.reports.material import Case, Material
from packwise.reports.nodes.node_map import NodeMap


def payload(material: Material, figures: Figures) -> bytes:
    """Everything but the Gantt charts."""
    document = {
        "policies": [vars(style) for style in figures.styles],
        "cases": [
            _case(case, found, nodes=figures.nodes)
            for case, found in zip(material.cases, figures.cases, strict=True)
        ],
        "sweeps": [_chart(chart) for chart in figures.sweeps],
        "deadlines": [_chart(chart) for chart in figures.deadlines.charts]
        if figures.deadlines
        else [],
    }
    return script_json(document)


def script_json(document: Any) -> bytes:
    """JSON that no HTML parser and no script can take for anything else, wherever it is put."""
    text = json.dumps(
        document, allow_nan=False
    )  # letters beyond ASCII are escaped, line separators too
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text.encode("ascii")


def _case(case: Case, found: CaseFigures, *, nodes: bool) -> dict[str, Any]:
    charts = (*found.charts, *found.node_charts) if nodes else found.charts
    return {
        "title": case.title,
        "labels": [run.label for run in case.runs],
        "baseline": case.baseline,
        "pareto": _pareto(found.pareto),
        "charts": [_chart(chart) for chart in charts],
        "nodes": None if found.node_map is None else _node_map(found.node_map),
        "users": _choice(found.users),
        "promises": _chart(found.promised_waits),
        "gantt": {
            "jobs": len(found.gantt.id),
            "procs": found.gantt.procs,
            "peak": found.gantt.peak,
            "note": found.gantt.note,
            "users": found.gantt.users,
            "clock": found.gantt.clock and vars(found.gantt.clock),
        },
    }


def _node_map(one: NodeMap) -> dict[str, Any]:
    return {
        "caption": one.caption,
        "rows": one.rows.names,
        "groups": list(zip(one.rows.groups, one.rows.first, strict=True)),
        "resources": one.resources,
        "clock": one.clock and vars(one.clock),
        "runs": [
            {
                "label": run.label,
                "days": _numbers(run.days),
                "percent": [table.tolist() for table in run.percent.values()],
            }
            for run in one.runs
        ],
    }


def _pareto(one: Pareto) -> dict[str, Any]:
    return {
        "title": TITLE,
        "caption": CAPTION,
        "metrics": one.metrics,
        "axes": [_axis(axis) for axis in one.axes],
        "labels": one.labels,
        "values": [[_number(value) for value in row] for row in one.values],
        "errors": [[_number(value) for value in row] for row in one.errors],
        "fronts": {f"{i},{j}": front for (i, j), front in one.fronts.items()},
        "words": {f"{i},{j}": words for (i, j), words in one.words.items()},
        "start": one.start,
    }


def _choice(one: Choice) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "caption": one.caption,
        "prompt": one.prompt,
        "charts": [{"label": label, **_chart(chart)} for label, chart in one.charts.items()],
    }


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "name": chart.name,
        "title": chart.title,
        "caption": f"{chart.caption} {chart.note}".rstrip(),
        "columns": chart.columns,
        "empty": chart.empty,
        "panels": [_panel(panel) for panel in chart.panels],
    }


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "title": panel.title,
        "x": _axis(panel.x),
        "y": _axis(panel.y),
        "series": [_series(series) for series in panel.series],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    made = {name: value for name, value in vars(axis).items() if value}
    return made | ({"clock": vars(axis.clock)} if axis.clock else {})


def _series(series: Series) -> dict[str, Any]:
    made: dict[str, Any] = {
        "label": series.label,
        "mark": series.mark,
        "x": _numbers(series.x),
        "y": _numbers(series.y),
    }
    if series.policy is not None:
        made["policy"] = series.policy
    if series.notes:
        made["notes"] = series.notes
    if series.dashed:
        made["dashed"] = True
    if series.pale:
        made["pale"] = True
    if any(series.hollow):
        made["hollow"] = series.hollow
    if series.ends:
        made["ends"] = series.ends
    for name, column in (("base", series.base), ("sizes", series.sizes)):
        if column is not None:
            made[name] = _numbers(column)
    return made


def _numbers(values: Floats) -> list[float | None]:
    return [_number(value) for value in np.asarray(values, np.float64).tolist()]


def _number(value: float) -> float | None:
    """Six digits are more than a screen can show; whole numbers go without a point."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.6g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short
