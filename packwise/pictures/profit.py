"""Profit over time of several ways to plan a log."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from packwise.metrics.energy.profit import ProfitCurve
from packwise.pictures.canvas import DAY, INK, picture

_COLOURS: Final = ("#6b7280", "#0072B2", "#D55E00", "#009E73", "#7A5195", "#E69F00", "#56B4E9")
#: From here on money is shown in thousands.
_LARGE: Final = 50_000


def plot_profit(
    title: str,
    curves: Mapping[str, ProfitCurve],
    currency: str,
    last_submit: int,
    path: str | os.PathLike[str],
) -> None:
    """Draw the profit of each so far, and how far ahead of the first it is, as PNG, SVG or PDF."""
    begin = min(int(curve.times[0]) for curve in curves.values())
    names = list(curves)
    first = curves[names[0]]
    with picture(path, (11, 7.2)) as figure:
        most = max(float(abs(curve.profit).max()) for curve in curves.values())
        part, unit = (1000, f"1,000 {currency}") if most >= _LARGE else (1, currency)
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, weight="bold")
        top, bottom = figure.subplots(2, 1, sharex=True)
        for axes in (top, bottom):
            axes.axvline((last_submit - begin) / DAY, color=INK, linewidth=0.9, linestyle=":")
        for place, (name, curve) in enumerate(curves.items()):
            colour = _COLOURS[place % len(_COLOURS)]
            days = (curve.times - begin) / DAY
            top.plot(days, curve.profit / part, color=colour, linewidth=1.8, label=name)
            times = np.union1d(curve.times, first.times)
            ahead = _at(curve, times) - _at(first, times)
            bottom.plot((times - begin) / DAY, ahead / part, color=colour, linewidth=1.8)
        _finish(top, bottom, names[0], unit)


def _at(curve: ProfitCurve, times: Any) -> Any:
    return np.interp(times, curve.times, curve.profit)


def _finish(top: Any, bottom: Any, first: str, unit: str) -> None:
    top.set_title("Profit so far (dotted: the last submission)")
    top.set_ylabel(unit)
    top.legend(loc="upper left", ncols=2)
    bottom.set_title(f"Ahead of {first}")
    bottom.set_ylabel(unit)
    bottom.set_xlabel("days")
    top.set_xlim(left=0)
