"""Cells of the table: warm where it matters, grey where it does not."""

from __future__ import annotations

import math

import pytest

from packwise.experiments.tables.cells import Cell
from packwise.metrics.catalogue import metric
from packwise.reports.heat.shades import shade_css
from packwise.reports.heat.table import (
    STEPS,
    case_table,
    heat_colours,
    heat_column,
    heat_step,
    overview_table,
)
from packwise.reports.page.rendering import rendered
from packwise.reports.readings import reading, signed, typeset
from packwise.reports.verdicts.replicas import replica_cells
from tests.reports.materials import make_case, make_material


def test_lower_is_better_unless_higher_is():
    assert heat_step(-30, "lower") > 0 > heat_step(30, "lower")
    assert heat_step(-30, "higher") < 0 < heat_step(30, "higher")


def test_steps_grow_with_the_change_and_end():
    steps = [heat_step(-change, "lower") for change in (0.4, 0.6, 5, 20, 50, 80, 100, 5000)]
    assert steps == sorted(steps)
    assert steps[0] == 0
    assert steps[1] == 1
    assert steps[-2] == steps[-1] == STEPS


def test_nothing_to_compare_with_is_not_warm():
    assert heat_step(None, "lower") == 0
    assert heat_step(math.nan, "lower") == 0


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("step", range(-STEPS, STEPS + 1))
def test_ink_is_readable_on_every_shade(step, theme):
    assert contrast(*heat_colours(step, theme)) >= 4.5


def test_noise_is_marked_and_not_coloured():
    table = case_table(make_case(replicas=4), ("BSLD", "AWF"))
    cells = [cell for row in table.rows[1:] for cell in row]
    assert table.has_noise
    for cell in cells:
        assert cell.noise == cell.change.startswith("≈")
        assert not (cell.noise and cell.step)
        assert "±" in cell.value
    assert not any(cell.noise for cell in table.rows[0])


def test_baseline_of_zero_and_missing_cells():
    case = make_case(("list-reg", "easy"))
    nothing = Cell(0.0, None, None, None, None, 1)
    something = Cell(5.0, None, None, None, None, 1)
    for run, cell in zip(case.runs, (nothing, something), strict=True):
        run.cells["FST_misses"] = cell  # type: ignore[index]
    table = case_table(case, ("FST_misses", "AWF", "LOC"))
    assert [row[0].value for row in table.rows] == ["0", "5"]
    assert table.rows[1][0].change == "–"
    assert table.rows[0][2].value == ""
    assert ">–<" in rendered("heat_table.html", table=table)


def column(*samples):
    cells = [
        replica_cells({"base": samples[0], "own": sample}, "base", 0.95)["own"]
        for sample in samples
    ]
    kept = [tuple(sample) if len(sample) > 1 else () for sample in samples]
    return [cell.best for cell in heat_column(cells, kept, metric("AF"), 0, 0.95)]


def test_the_best_is_bold_and_all_that_tie_with_it():
    assert column([100.0], [50.0], [50.0]) == [False, True, True]
    assert column([100.0], [100.0], [100.0]) == [False, False, False]
    assert column([100.0, 100, 100], [48.0, 51, 48], [50.0, 49, 50]) == [False, True, True]
    assert column([100.0, 101, 102], [48.0, 49, 50], [50.0, 51, 52]) == [False, True, False]
    assert column([100.0, 100, 100], [60.0, 130, 90]) == [False, False]


def test_overview_has_a_row_for_every_policy_of_any_case():
    one, other = make_case(("list-reg", "easy")), make_case(("list-reg", "saf-aggressive"))
    table = overview_table(make_material(one, other), "AWF")
    assert table.labels == ("list-reg", "easy", "saf-aggressive")
    assert [bool(cell.value) for cell in table.rows[1]] == [True, False]


def test_css_has_every_shade_in_both_themes():
    css = shade_css()
    for step in range(1, STEPS + 1):
        assert css.count(f".better{step}{{") == css.count(f".worse{step}{{") == 3


@pytest.mark.parametrize(
    ("value", "name", "margin", "text"),
    [
        (8 * 3600.0, "AF", None, "8.00 h"),
        (8 * 3600.0, "AF", 720.0, "8.00 ± 0.20 h"),
        (0.8123, "utilization", None, "81.2 %"),
        (12345.6, "BSLD", None, "12,346"),
        (0.0, "BSLD", None, "0"),
        (math.nan, "BSLD", None, ""),
    ],
)
def test_readings(value, name, margin, text):
    assert reading(value, metric(name), margin) == text


def test_a_column_has_one_unit():
    case = make_case(jobs=800)
    table = case_table(case, ("AF", "P2SF"))
    for column in zip(*table.rows, strict=True):
        assert len({cell.value.split()[-1] for cell in column}) == 1


def test_signs_are_typeset():
    assert signed(-81.0) == "−81\N{NARROW NO-BREAK SPACE}%"
    assert signed(1776.0) == "+1,776\N{NARROW NO-BREAK SPACE}%"
    assert signed(None) == "–"
    assert typeset("list-3 wins (-3 %)") == "list-3 wins (−3\N{NARROW NO-BREAK SPACE}%)"
