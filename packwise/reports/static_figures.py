"""Every figure of a report as a file of its own, for papers and slides."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from packwise.files.output import make_folder
from packwise.model.errors import InputError
from packwise.pictures.canvas import FORMATS
from packwise.reports.charts.drawing import draw_chart
from packwise.reports.figures import Figures, compute
from packwise.reports.gantt.picture import draw_gantt
from packwise.reports.heat.picture import draw_heat
from packwise.reports.material import Material
from packwise.reports.nodes.picture import draw_node_map

_LONGEST_NAME = 60
Drawing = Callable[[Path], None]


def write_figures(
    material: Material,
    folder: str | os.PathLike[str],
    formats: Sequence[str] = ("png", "svg"),
    *,
    progress: Callable[[str], None] | None = None,
    figures: Figures | None = None,
) -> list[Path]:
    """Write all figures of ``material`` into ``folder`` and return their paths.

    File names begin with the case where there are several. ``figures`` (from ``compute``) saves
    reading the runs again. Needs the extra ``plot`` or ``report`` (Matplotlib).
    """
    wrong = [one for one in formats if one not in FORMATS]
    if wrong:
        raise InputError(
            f"a figure's format should be one of {', '.join(FORMATS)}, found '{wrong[0]}'."
        )
    if figures is None:
        figures = compute(material, progress)
    target = Path(folder)
    make_folder(target)
    written = []
    for stem, draw in _drawings(material, figures):
        if progress:
            progress(f"figure {stem}")
        for one in formats:
            path = target / f"{stem}.{one}"
            draw(path)
            written.append(path)
    return written


def _drawings(material: Material, figures: Figures) -> list[tuple[str, Drawing]]:
    """(file name without ending, what draws it) of each figure, no name twice."""
    styles = {style.label: style for style in figures.styles}
    found: dict[str, Drawing] = {}

    def add(parts: Sequence[str], draw: Drawing) -> None:
        stem = "-".join(plain_name(part) for part in parts if part)
        name, number = stem, 2
        while name in found:
            name, number = f"{stem}-{number}", number + 1
        found[name] = draw

    for case, one in zip(material.cases, figures.cases, strict=True):
        prefix = case.title if len(material.cases) > 1 else ""
        add((prefix, "table"), partial(draw_heat, one.table))
        for chart in (one.pareto.chart(), *one.charts):
            add((prefix, chart.name), partial(draw_chart, chart, styles))
        for label, chart in one.users.charts.items():
            add((prefix, "users", label), partial(draw_chart, chart, styles))
        if one.promises:
            chart = one.promised_waits
            add((prefix, chart.name), partial(draw_chart, chart, styles))
        if one.node_map is not None:
            for chart in one.node_charts:
                add((prefix, chart.name), partial(draw_chart, chart, styles))
            for use in one.node_map.runs:
                add((prefix, "nodes", use.label), partial(draw_node_map, one.node_map, use))
        for run in one.gantt.runs:
            add((prefix, "gantt", run.label), partial(draw_gantt, one.gantt, run))
    for chart in (*figures.sweeps, *(figures.deadlines.charts if figures.deadlines else ())):
        add((chart.name,), partial(draw_chart, chart, styles))
    return list(found.items())


def plain_name(text: str) -> str:
    """Letters, digits, dots and hyphens only: fit for a file name anywhere."""
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")
    return plain[:_LONGEST_NAME].strip("-.") or "figure"
