"""Still figures: everything that a chart has is in the picture, and the picture has ink."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from packwise.pictures.canvas import DAY
from packwise.reports.charts.drawing import draw_chart
from packwise.reports.figures import compute
from packwise.reports.gantt.picture import draw_gantt
from packwise.reports.heat.picture import draw_heat
from packwise.reports.heat.table import case_table
from tests.ink import colour, drawn_figures, panel_ink, points, read_png, shows
from tests.reports.deadline_materials import drawn_case
from tests.reports.materials import METRICS, make_case, make_material, make_sweep


@pytest.fixture(scope="module")
def figures():
    cases = make_case(jobs=300), drawn_case(20), drawn_case(60)
    return compute(make_material(*cases, sweeps=(make_sweep(),)))


def charts(figures):
    first, second, _ = figures.cases
    yield from (first.pareto.chart(), *first.charts)
    yield from (chart for chart in first.users.charts.values() if not chart.empty)
    yield second.promised_waits
    yield from (*figures.sweeps, *figures.deadlines.charts)


@pytest.mark.slow
def test_charts_are_drawn_whole(figures, tmp_path):
    styles = {style.label: style for style in figures.styles}
    for chart in charts(figures):
        with drawn_figures() as written:
            draw_chart(chart, styles, tmp_path / "chart.png")
        (figure,) = written
        for axes, panel, covered in zip(figure.axes, chart.panels, panel_ink(figure), strict=False):
            assert covered > 200, (chart.name, panel.title)
            assert marks(axes) >= sum(len(one.x) for one in panel.series), (chart.name, panel.title)
        assert len(figure.axes) >= len(chart.panels) > 0
        assert colour(read_png(tmp_path / "chart.png")) > 0.0005, chart.name


def marks(axes):
    """Points of lines, bars, and bubbles."""
    bubbles = sum(len(one.get_offsets()) for one in axes.collections)
    return sum(points(axes)) + len(axes.patches) + bubbles


def test_a_chart_without_data_says_why(figures, tmp_path):
    (found,) = compute(make_material(make_case(("easy",), jobs=20))).cases
    alone = next(one for one in found.charts if one.name == "size-classes")
    with drawn_figures() as written:
        draw_chart(alone, {}, tmp_path / "none.png")
    assert written[0].axes == []
    assert [text.get_text() for text in written[0].texts][-1] == alone.empty != ""


def test_the_gantt_picture_has_the_area_of_its_jobs(figures, tmp_path):
    gantt = figures.cases[0].gantt
    assert len(gantt.runs) == 3
    for run in gantt.runs[:2]:
        with drawn_figures() as written:
            draw_gantt(gantt, run, tmp_path / "gantt.png")
        (axes,) = written[0].axes
        (boxes,) = axes.collections
        corners = np.array([path.vertices[:4] for path in boxes.get_paths()])
        sides = np.ptp(corners, axis=1)
        area = float((sides[:, 0] * sides[:, 1]).sum())
        assert area * DAY == pytest.approx(float((gantt.runtime * gantt.demand).sum()), rel=1e-4)
        assert panel_ink(written[0])[0] > 100_000
        pixels = read_png(tmp_path / "gantt.png")
        assert colour(pixels) > 0.02
        assert shows(pixels, "#cdd5df") > 0.02  # jobs that hardly wait


def test_the_table_has_all_its_cells(tmp_path):
    table = case_table(make_case(jobs=300, replicas=3), METRICS)
    with drawn_figures() as written:
        draw_heat(table, tmp_path / "table.png")
    (axes,) = written[0].axes
    assert len(axes.patches) == len(table.rows) * len(table.columns) == 15
    words = [text.get_text() for text in axes.texts]
    for wanted in (
        *table.columns,
        *table.labels,
        *(cell.value for row in table.rows for cell in row),
    ):
        assert wanted in words
    assert panel_ink(written[0])[0] > 20_000
    assert colour(read_png(tmp_path / "table.png")) > 0.02


def test_a_blank_picture_would_be_noticed(figures, tmp_path, monkeypatch):
    """The measure itself: the same chart, drawn without its series."""
    monkeypatch.setattr("packwise.reports.charts.drawing._series", lambda *arguments: None)
    draw = partial(draw_chart, figures.cases[0].charts[2], {})
    with drawn_figures() as written:
        draw(tmp_path / "blank.png")
    assert panel_ink(written[0]) == [0]
    assert colour(read_png(tmp_path / "blank.png")) == 0
