"""How the machine's utilization is distributed over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from packwise.metrics.series import UtilizationDensity
from packwise.reports.charts.chart import Axis, Chart, Panel, Series

NAME: Final = "utilization-density"


def density_chart(found: Mapping[str, UtilizationDensity]) -> Chart:
    """The share of the time in each class of utilization, a line for each policy."""
    series = tuple(_steps(label, one) for label, one in found.items())
    axes = Axis("% of processors busy", range=(0.0, 101.0)), Axis("% of the time", from_zero=True)
    caption = (
        "For which share of the time, from the first submission to the last end, so many processors were "
        "busy, in classes of 5 %. A machine that is either full or empty has its time at both ends."
    )
    return Chart(NAME, "How busy, for how long", caption, (Panel(*axes, series),))


def _steps(label: str, one: UtilizationDensity) -> Series:
    share = np.append(one.share, one.share[-1])
    return Series(label, 100.0 * one.edges, 100.0 * share, "step", label)
