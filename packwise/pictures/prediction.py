"""Predicted against actual run times, a panel for each predictor."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import ceil, sqrt
from textwrap import fill
from typing import Any, Final

import numpy as np

from packwise.metrics.prediction import ESTIMATE_CLASSES, FEW, accuracy_of, calibration_of
from packwise.model.errors import InputError
from packwise.model.run import Run
from packwise.model.workload import Floats
from packwise.pictures.canvas import GREY, INK, picture
from packwise.pictures.replay import headline

_CELLS: Final = 64
_SHORT, _SHORT_INK = "#fbe9e5", "#b23a1f"
_KEPT, _FEW_KEPT = "#2f6db5", "#c3d6ec"
_TICKS: Final = {
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    6 * 3600: "6 h",
    86400: "1 d",
    7 * 86400: "1 wk",
    60 * 86400: "60 d",
    730 * 86400: "2 yr",
}


def plot_predictions(
    runs: Sequence[Run], path: str | os.PathLike[str], nominal: Sequence[float | None] = ()
) -> None:
    """Draw what each run's jobs were believed to take against what they took, as PNG, SVG or PDF.

    One panel per run: how many jobs (by colour, the same in all panels) at which run time and estimate; below
    the diagonal the estimate was too short. At its right, by the length of the estimate, the share that ended
    within it (pale: of few jobs), for jobs that were told less than their limit; ``nominal`` is the share that
    each run's estimates mean to cover. The same runs give the same file.
    """
    if not runs:
        raise InputError("a picture of predictions needs one run at least.")
    columns = len(runs) if len(runs) <= 3 else ceil(sqrt(len(runs)))
    rows = ceil(len(runs) / columns)
    longest = max(int(max(run.first_estimate.max(), run.workload.runtime.max())) for run in runs)
    edges = _edges(longest)
    counts = [_counts(run, edges) for run in runs]
    most = max(float(count.max()) for count in counts)
    promised = [*nominal, *[None] * (len(runs) - len(nominal))]
    with picture(path, (max(5.1 * columns + 1.1, 7.6), 4.9 * rows + 0.7)) as figure:
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap, LogNorm

        # From a blue that shows on white and on the shaded side.
        blues = ListedColormap(colormaps["Blues"](np.linspace(0.28, 1, 200)))
        figure.suptitle(_headline(runs), x=0.012, ha="left", fontsize=14, weight="bold")
        grid = figure.add_gridspec(rows, 2 * columns, width_ratios=[4.4, 1] * columns)
        panels = []
        mesh = None
        for i, (run, count) in enumerate(zip(runs, counts, strict=True)):
            row, column = divmod(i, columns)
            density = figure.add_subplot(grid[row, 2 * column])
            within = figure.add_subplot(grid[row, 2 * column + 1], sharey=density)
            mesh = density.pcolormesh(
                edges,
                edges,
                np.where(count > 0, count, np.nan),
                norm=LogNorm(1, max(most, 10)),
                cmap=blues,
                linewidth=0,
                rasterized=True,
                zorder=2,
            )
            _density(density, run, edges)
            _within(within, run, edges, promised[i])
            panels += [density, within]
        figure.colorbar(mesh, ax=panels, label="jobs", format="{x:,.0f}", aspect=40, pad=0.01)


def _headline(runs: Sequence[Run]) -> str:
    told = headline(runs).partition(", estimate ")[0]
    return f"{told}, policy {runs[0].policy}"


def _edges(longest: int) -> Floats:
    """Cells of about equal width on a logarithmic axis, each with a whole number of seconds."""
    whole = np.unique(np.round(np.geomspace(1, max(longest, 60) + 1, _CELLS)))
    edges: Floats = whole - 0.5
    return edges


def _counts(run: Run, edges: Floats) -> Floats:
    """Jobs by estimate (rows) and run time (columns)."""
    ran = run.schedule.ran
    estimate, runtime = run.first_estimate[ran], run.workload.runtime[ran]
    counts, _, _ = np.histogram2d(estimate, runtime, bins=(edges, edges))
    return np.asarray(counts, np.float64)


def _density(axes: Any, run: Run, edges: Floats) -> None:
    low, high = edges[0], edges[-1]
    told = accuracy_of(run)
    axes.fill_between([low, high], low, [low, high], color=_SHORT, linewidth=0, zorder=0)
    axes.plot([low, high], [low, high], color=INK, linewidth=1.1, zorder=3)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    ticks = [second for second in _TICKS if second <= high]
    labels = [_TICKS[second] for second in ticks]
    axes.set_xticks(ticks, labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(ticks, labels)
    axes.set_xticks([], minor=True)
    axes.set_yticks([], minor=True)
    axes.set_xlabel("run time")
    axes.set_ylabel("estimate at submission")
    axes.set_title(fill(run.estimate.replace(",", ", "), 38, break_on_hyphens=False), pad=24)
    r2 = "R² not defined" if told.r2 is None else f"R² {told.r2:.2f}"
    short = f"{100 * told.under_share:.1f}" if told.under_share else "0"
    facts = f"{r2}, {short} % of jobs too short"
    axes.text(
        0, 1.025, facts.replace("-", "\N{MINUS SIGN}"), transform=axes.transAxes, fontsize=9.6
    )
    axes.text(
        0.97,
        0.035,
        "too short",
        ha="right",
        color=_SHORT_INK,
        transform=axes.transAxes,
        fontsize=9,
        zorder=4,
        bbox={"facecolor": _SHORT, "linewidth": 0, "pad": 1.5},
    )


def _within(axes: Any, run: Run, edges: Floats, nominal: float | None) -> None:
    """The share of jobs that end within the estimate, beside the estimates that it is about."""
    low, high = edges[0], edges[-1]
    ends = [high if end is None else min(end, high) for end, _ in ESTIMATE_CLASSES]
    starts = [low, *ends[:-1]]
    parts = calibration_of(run)
    for start, end, part in zip(starts, ends, parts, strict=True):
        if part.coverage is not None:
            colour = _KEPT if part.jobs >= FEW else _FEW_KEPT
            axes.fill_betweenx([start, end], 0, 100 * part.coverage, color=colour, linewidth=0)
    if not any(part.jobs for part in parts):
        words = "all are told their limit"
        axes.text(52, sqrt(low * high), words, rotation=90, ha="center", va="center", color=GREY)
    if nominal is not None:
        axes.axvline(100 * nominal, color=INK, linewidth=1.2, linestyle=(0, (3, 2)))
        axes.set_title(f"nominal {100 * nominal:g}", fontsize=8, weight="normal", pad=4)
    axes.tick_params(labelleft=False)
    axes.set_xlim(0, 104)
    axes.set_xticks([0, 50, 100])
    axes.set_xlabel("% that end\nwithin it", fontsize=9)
