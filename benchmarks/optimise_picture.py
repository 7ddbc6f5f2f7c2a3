"""The picture of quality against budget: a row for each log, a panel for each metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.optimise_budget import Line
from packwise.pictures.canvas import GREY, INK, picture

_LOOKS = {"exact": ("#0072B2", "o"), "requested": ("#D55E00", "s")}
#: Where a plan without search stands on an axis that has no zero.
_NONE = 1


def plot_budgets(lines: list[Line], path: Path) -> None:
    logs = list(dict.fromkeys(line.log for line in lines))
    metrics = list(dict.fromkeys(line.metric for line in lines))
    size = (3.3 * len(metrics) + 0.4, 3.0 * len(logs) + 0.9)
    with picture(path, size) as figure:
        panels = figure.subplots(len(logs), len(metrics), squeeze=False, sharex=True)
        for row, log in zip(panels, logs, strict=True):
            for axes, metric in zip(row, metrics, strict=True):
                for line in lines:
                    if (line.log, line.metric) == (log, metric):
                        _draw(axes, line)
                axes.set_title(f"{log}, {metric}")
                _axis(axes, lines)
            row[0].set_ylabel("% of list-reg, lower is better")
        for axes in panels[-1]:
            axes.set_xlabel("evaluations a round")
        figure.legend(handles=_handles(), loc="outside upper left", ncols=4)


def _draw(axes: Any, line: Line) -> None:
    colour, marker = _LOOKS[line.estimate]
    place = [budget or _NONE for budget in line.values]
    mean = [sum(values) / len(values) for values in line.values.values()]
    # One seed says nothing of others, except where none is used.
    spread = [(b or _NONE, min(v), max(v)) for b, v in line.values.items() if not b or len(v) > 1]
    axes.fill_between(*zip(*spread, strict=True), color=colour, alpha=0.2, linewidth=0)
    axes.plot(place, mean, color=colour, marker=marker, markersize=4.5, linewidth=1.7)
    axes.axhline(line.published, color=colour, linewidth=1.1, linestyle=(0, (4, 3)))


def _axis(axes: Any, lines: list[Line]) -> None:
    budgets = sorted({budget for line in lines for budget in line.values})
    axes.set_xscale("log")
    axes.set_xticks(
        [budget or _NONE for budget in budgets],
        [f"{budget:,}" if budget else "none" for budget in budgets],
    )
    axes.set_xticks([], minor=True)
    axes.margins(x=0.08, y=0.12)


def _handles() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    known = [
        Line2D([], [], color=colour, marker=marker, label=f"{estimate} estimates")
        for estimate, (colour, marker) in _LOOKS.items()
    ]
    return [
        *known,
        Patch(color=GREY, alpha=0.3, linewidth=0, label="lowest to highest seed"),
        Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (4, 3)), label="published best"),
    ]
