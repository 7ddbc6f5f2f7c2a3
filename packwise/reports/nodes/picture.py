"""The map of nodes as a still picture: a panel for each resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from packwise.pictures.canvas import INK, picture
from packwise.pictures.date_axis import date_places, name_dates
from packwise.reports.nodes.node_map import NONE, NodeMap, Use

_OUT_COLOUR = "#c23d1f"


def draw_node_map(found: NodeMap, use: Use, path: Path) -> None:
    """How much of each node is in use over time, under one policy."""
    from matplotlib.colors import LinearSegmentedColormap

    steps = [(0.0, "#f3f5f8"), (0.02, "#dbe7f4"), (1.0, "#0b4a8f")]
    plain = LinearSegmentedColormap.from_list("use", steps)
    shades = plain.with_extremes(under=_OUT_COLOUR, bad="white")
    resources, rows = found.resources, found.rows
    places = date_places(found.clock, use.days)
    tall = 1.1 + len(resources) * min(max(len(rows.names) * 0.05, 1.6), 4.0)
    with picture(path, (11, tall)) as figure:
        panels: Any = figure.subplots(len(resources), 1, sharex=True, squeeze=False)[:, 0]
        figure.suptitle(
            f"Which node was busy when: {use.label}",
            x=0.015,
            ha="left",
            fontsize=13,
            fontweight="bold",
        )
        for axes, name in zip(panels, resources, strict=True):
            mesh = axes.pcolormesh(
                places,
                np.arange(len(rows.names) + 1),
                np.ma.masked_equal(use.percent[name], NONE),
                cmap=shades,
                vmin=0,
                vmax=100,
                rasterized=True,
            )
            axes.set_title(name, color=INK, fontsize=10)
            axes.invert_yaxis()
            axes.set_yticks([row + 0.5 for row in rows.first], rows.groups)
            axes.grid(False)
            for row in rows.first[1:]:
                axes.axhline(row, color=INK, linewidth=0.8)
        name_dates(panels[-1].xaxis, found.clock)
        figure.colorbar(mesh, ax=list(panels), label="% in use", aspect=40, pad=0.01)
