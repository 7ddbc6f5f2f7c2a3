"""The data of the charts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from packwise.metrics.series import busy_processors, queue_length
from packwise.model.errors import InputError
from packwise.reports.charts.over_time import POINTS, Grid
from packwise.reports.charts.palette import styles
from packwise.reports.charts.pareto import front, pareto
from packwise.reports.figures import compute
from packwise.reports.page.payload import payload
from tests.reports.materials import METRICS, idle_workload, make_case, make_material, make_sweep


def test_every_run_is_read_once_and_told():
    case = make_case()
    told: list[str] = []
    compute(make_material(case), told.append)
    assert [run.load.count for run in case.runs] == [1, 1, 1]
    assert [label.rpartition(": ")[2] for label in told] == [run.label for run in case.runs]


def test_averages_over_time_keep_the_area():
    run = make_case(("easy",)).runs[0].load()
    grid = Grid.of(run)
    end = int(run.schedule.end.max())
    for step in (queue_length(*run), busy_processors(*run)):
        day, average = grid.averages(step, end)
        exact = float((np.diff(step.times) * step.values[:-1]).sum())
        assert float(average.sum()) * grid.width == pytest.approx(exact)
        assert len(day) <= POINTS


def test_front_of_lower_and_higher_metrics():
    x, y = [1.0, 2.0, 3.0, 2.0, np.nan], [3.0, 2.0, 2.5, 2.0, 0.0]
    assert front(x, y) == (0, 1, 3)
    assert front(x, y, "higher", "higher") == (2, 0)
    assert front([], []) == ()


def test_pareto_knows_every_pair():
    found = pareto(make_case(), METRICS)
    assert len(found.fronts) == len(METRICS) * (len(METRICS) - 1) // 2
    assert found.chart().panels[0].x.title.startswith("BSLD")


def test_the_baseline_is_ink_and_thirty_policies_differ():
    made = styles([f"p{k}" for k in range(30)], "p3")
    assert len({(style.light, style.dash) for style in made}) == 30
    assert made[3].light == "#1f242c"


@pytest.mark.parametrize(
    "case",
    [
        make_case(("easy",)),
        make_case(("easy", "list-reg"), jobs=1),
        make_case(("easy", "list-reg"), workload=idle_workload()),
    ],
    ids=["one policy", "one job", "idle"],
)
def test_degenerate_cases_have_figures(case):
    material = make_material(case, sweeps=(make_sweep(),))
    document = json.loads(payload(material, compute(material)))
    assert len(document["cases"][0]["charts"]) == 7
    assert document["sweeps"][0]["panels"][0]["series"][0]["y"] == [1, 2, None]


def test_runs_of_different_jobs_are_refused():
    one, other = make_case(("easy",)), make_case(("list-reg",), jobs=300)
    mixed = make_case(("easy",), runs=(one.runs[0], other.runs[0]))
    with pytest.raises(InputError, match="same jobs"):
        compute(make_material(mixed))
