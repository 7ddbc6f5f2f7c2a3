"""The picture of profit over time: a line for each way to plan, and how far ahead it is."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.metrics.energy.profit import ProfitCurve
from packwise.pictures.profit import plot_profit
from tests.ink import drawn_figures

DAY = 86400


def curve(*profits: float) -> ProfitCurve:
    return ProfitCurve(DAY * np.arange(len(profits)), np.array(profits))


@pytest.mark.parametrize(("scale", "unit"), [(1, "EUR"), (1000, "1,000 EUR")])
def test_lines_and_units(tmp_path, scale, unit):
    plans = {"rule": curve(0, 60 * scale, 100 * scale), "ours": curve(0, 80 * scale, 110 * scale)}
    with drawn_figures() as figures:
        plot_profit("log", plans, "EUR", DAY, tmp_path / "profit.png")
    top, bottom = figures[0].axes
    assert top.get_ylabel() == unit
    lines = {line.get_label(): list(line.get_ydata()) for line in top.get_lines()}
    assert lines["ours"] == [0, 80, 110]
    ahead = [line.get_ydata() for line in bottom.get_lines() if len(line.get_ydata()) == 3]
    assert [list(map(float, each)) for each in ahead] == [[0, 0, 0], [0, 20, 10]]
    assert bottom.get_title(loc="left") == "Ahead of rule"
