"""The pictures of the page about dispatchers: after figures 5 to 10 of Galleguillos, Kiziltan and Soto."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise.pictures.canvas import GREY, INK, picture
from scripts.dispatchers_results import Rounds, Values

#: Exact run times and predicted ones.
_LOOKS = {"R": "#0072B2", "D": "#D55E00", "L2": "#D55E00"}
_LEAST = 1e-3
#: None of them begins at 1.
_BINS = np.logspace(-3 - 1 / 12, 3 + 1 / 12, 38)
#: Ratios that are drawn, the name of the column, and where the paper's lie.
_RATIOS = (
    ("variables", "6", (None, 0.1)),
    ("dispatch time", "7", (0.01, 1.0)),
    ("fails", "8", (None, 0.1)),
)
_COLUMNS = {"variables": "variables", "dispatch time": "seconds", "fails": "fails"}


class Mean(NamedTuple):
    """A mean, and one standard deviation."""

    label: str
    estimate: str
    mean: float
    deviation: float


def plot_means(panels: Mapping[str, Sequence[Mean]], path: Path) -> None:
    """A panel for each quantity on a logarithmic axis, with one standard deviation upwards."""
    with picture(path, (11.0, 0.6 + 0.3 * max(map(len, panels.values())))) as figure:
        places = figure.subplots(1, len(panels))
        for axes, (title, means) in zip(places, panels.items(), strict=True):
            y = np.arange(len(means))[::-1]
            for at, one in zip(y, means, strict=True):
                color = _LOOKS.get(one.estimate, GREY)
                axes.plot([one.mean, one.mean + one.deviation], [at, at], color=color, linewidth=1)
                axes.plot([one.mean], [at], "o", color=color, markersize=7)
                axes.annotate(
                    f"{one.mean:,.2f}" if one.mean < 100 else f"{one.mean:,.0f}",
                    (one.mean, at),
                    xytext=(-7, 0),
                    textcoords="offset points",
                    va="center",
                    ha="right",
                    fontsize=8.5,
                    color=INK,
                )
            labels = [f"{m.label}-{m.estimate}" if m.estimate else m.label for m in means]
            axes.set_yticks(y, labels)
            _logarithmic(axes, "x")
            axes.margins(x=0.22)
            axes.set_ylim(-0.6, len(means) - 0.4)
            axes.grid(visible=False, axis="y")
            axes.set_title(title)


def plot_ratios(rounds: Mapping[str, Rounds], path: Path) -> None:
    """How the ratios PCP'21 / PCP'19 are distributed over the same rounds; grey is where the paper's lie."""
    with picture(path, (11.5, 3.6)) as figure:
        for axes, (name, number, paper) in zip(figure.subplots(1, 3), _RATIOS, strict=True):
            axes.axvspan(paper[0] or _BINS[0], paper[1], color=GREY, alpha=0.15, linewidth=0)
            for estimate, solved in rounds.items():
                values = solved.ratio(_COLUMNS[name])
                values = np.clip(values[~np.isnan(values)], _LEAST, 999.0)
                axes.hist(
                    values,
                    bins=_BINS,
                    weights=np.full(len(values), 100 / len(values)),
                    histtype="step",
                    linewidth=1.8,
                    color=_LOOKS[estimate],
                    label=f"-{estimate}, {len(solved)} rounds",
                )
            axes.set(
                title=f"{name} (figure {number})", ylabel="% of rounds", xlabel="PCP'21 / PCP'19"
            )
            _logarithmic(axes, "x")
            axes.axvline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)


def plot_scatter(rounds: Mapping[str, Rounds], path: Path) -> None:
    """Dispatch time against fails, a point for each round."""
    with picture(path, (9.0, 4.4)) as figure:
        panels = figure.subplots(1, len(rounds), sharey=True, squeeze=False)[0]
        for axes, (estimate, solved) in zip(panels, rounds.items(), strict=True):
            x, y = (np.clip(solved.ratio(name), _LEAST, 999.0) for name in ("seconds", "fails"))
            axes.scatter(x, y, s=12, alpha=0.5, color=_LOOKS[estimate], linewidths=0)
            _quadrant(axes, x, y)
            axes.set(title=f"-{estimate}", xlabel="dispatch time, PCP'21 / PCP'19")
            _logarithmic(axes, "x")
            _logarithmic(axes, "y")
        panels[0].set_ylabel("fails, PCP'21 / PCP'19")


def _logarithmic(axes: Any, which: str) -> None:
    """A logarithmic axis with plain numbers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _quadrant(axes: Any, x: Values, y: Values) -> None:
    axes.axvline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.axhline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    share = 100 * float(np.mean((x <= 1) & ~(y > 1)))
    axes.text(0.03, 0.93, f"neither above 1: {share:.0f} %", transform=axes.transAxes, color=INK)
