"""The table of policies and metrics as a still picture."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from packwise.pictures.canvas import GREY, INK, picture
from packwise.reports.heat.table import HeatCell, HeatTable, heat_colours

_LETTERS: Final = 22


def draw_heat(table: HeatTable, path: Path) -> None:
    """Values with their changes, in the colours of the page's light theme."""
    names = ["\n".join(wrap(label, _LETTERS)) or label for label in table.labels]
    left = 0.105 * max(len(line) for name in names for line in name.split("\n")) + 0.4
    size = (1.25 * len(table.columns) + 1.25 * left + 0.3, 0.56 * len(names) + 1.75)
    with picture(path, (max(size[0], 5.0), size[1])) as figure:
        axes: Any = figure.subplots()
        figure.suptitle(table.title, x=0.015, ha="left", fontsize=13, fontweight="bold")
        axes.set_xlim(-left, max(len(table.columns), 1))
        axes.set_ylim(len(names) + 0.75, -1.15)
        axes.axis("off")
        for column, (name, caption) in enumerate(zip(table.columns, table.captions, strict=True)):
            middle = column + 0.5
            axes.text(middle, -0.62, name, ha="center", va="bottom", weight="bold")
            small = {"fontsize": 7.4, "color": GREY, "linespacing": 1.1}
            folded = "\n".join(wrap(caption, 18)[:3])
            axes.text(middle, -0.56, folded, ha="center", va="top", **small)
        for row, (name, cells) in enumerate(zip(names, table.rows, strict=True)):
            weight = "bold" if row in table.baselines else "normal"
            size_of = 9.5 if "\n" not in name else 8.4
            axes.text(-left, row + 0.5, name, va="center", weight=weight, fontsize=size_of)
            for column, cell in enumerate(cells):
                _cell(axes, column, row, cell)
        key = "Green is better, red is worse than the baseline (bold name); bold: best, or tied with it."
        if table.has_noise:
            key += " ≈ and grey: within the noise of the replicas."
        axes.text(-left, len(names) + 0.28, key, va="top", fontsize=8.4, color=GREY)


def _cell(axes: Any, column: int, row: int, cell: HeatCell) -> None:
    from matplotlib.patches import Rectangle

    fill, ink = heat_colours(cell.step) if cell.step else ("#f5f6f8", INK)
    axes.add_patch(Rectangle((column + 0.03, row + 0.05), 0.94, 0.9, linewidth=0, facecolor=fill))
    ink = "#8b94a1" if cell.noise else ink
    above = 0.36 if cell.change else 0.5
    text = cell.value or "–"
    size = 9.5 if len(text) < 12 else 8.0
    weight = "bold" if cell.best else "normal"
    place = {"ha": "center", "va": "center", "color": ink}
    axes.text(column + 0.5, row + above, text, fontsize=size, weight=weight, **place)
    if cell.change:
        # Matplotlib's fonts lack the narrow space that the page uses.
        change = cell.change.replace("\N{NARROW NO-BREAK SPACE}", " ")
        axes.text(column + 0.5, row + 0.7, change, fontsize=8.2, **place)
