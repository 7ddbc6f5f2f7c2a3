"""The section about deadlines: values by hand, and workloads in which something is missing."""

from __future__ import annotations

import json
import math

import pytest

from packwise.reports.deadlines.quantities import (
    MISSES_DAY,
    MISSES_LONGER,
    STRETCH,
    USAGE,
    WAIT_ALL,
    WAIT_REGULAR,
)
from packwise.reports.figures import compute
from packwise.reports.material import DeadlineShare
from packwise.reports.page.payload import payload
from packwise.reports.page.writing import write_report
from packwise.reports.static_figures import write_figures
from tests.ink import drawn_figures, panel_ink
from tests.reports.deadline_materials import drawn_case, hand_case, jobs
from tests.reports.materials import make_case, make_material

DAY = 86400

#: Three regular jobs, of which one waits nowhere, and three with a deadline: 100 s, a day, two days.
SIX = jobs(
    (0, 10, None), (0, 10, None), (0, 20, None), (0, 10, 100), (0, 10, DAY), (0, 10, 2 * DAY)
)
STARTS = {
    "late": [0, 30, 0, 40, DAY, 2 * DAY],
    "early": [0, 0, 60, 0, 5, 10],
}


def case(**changes):
    return hand_case(SIX, STARTS, **changes)


def document(*cases):
    material = make_material(*cases)
    return json.loads(payload(material, compute(material)))


def chart(found, name):
    return next(one for one in found["deadlines"] if one["name"] == name)


def test_values_by_hand():
    (found,) = compute(make_material(case())).cases
    one = found.deadlines
    assert (one.regular, one.driven, one.left_out) == (3, 3, 1)
    # Jobs 2 and 3 are left: waits 30 and 0 s, or 0 and 60 s.
    assert one.value("late", WAIT_REGULAR) == 15
    assert one.value("early", WAIT_REGULAR) == 30
    assert one.value("late", WAIT_ALL) == (30 + 40 + DAY + 2 * DAY) / 6
    assert one.value("late", STRETCH) == 4  # (30 + 10) / 10
    assert one.value("early", STRETCH) == 4  # (60 + 20) / 20
    assert (one.value("late", MISSES_DAY), one.value("late", MISSES_LONGER)) == (1, 1)
    assert (one.value("early", MISSES_DAY), one.value("early", MISSES_LONGER)) == (0, 0)
    used = (50 / 100 + (DAY + 10) / DAY + (2 * DAY + 10) / (2 * DAY)) / 3
    assert one.value("late", USAGE) == pytest.approx(used)


def test_one_case_has_distributions_and_bars_but_no_lines():
    found = document(case())
    names = [one["name"] for one in found["deadlines"]]
    assert names == ["deadline-waits", "deadline-use", "deadline-misses"]
    (panel,) = chart(found, "deadline-waits")["panels"]
    assert [series["label"] for series in panel["series"]] == ["late", "early"]
    assert panel["series"][0]["y"] == [50, 100, 100]  # of two jobs one at once, one after 30 s
    (bars,) = chart(found, "deadline-misses")["panels"]
    assert bars["y"]["categories"] == ["late", "early"]
    day, longer = bars["series"][:2]
    assert (day["x"], longer["x"], longer["base"], longer["ends"]) == ([1], [1], [1], ["2"])
    assert "2 under late" in chart(found, "deadline-misses")["caption"]


def test_of_many_the_best_and_the_worst_are_named():
    """a misses none of four deadlines, b one, c two, d three and e all."""
    four = jobs((0, 10, 10), (0, 10, 10), (0, 10, 10), (0, 10, 10))
    starts = {label: [100] * late + [0] * (4 - late) for late, label in enumerate("abcde")}
    words = chart(document(hand_case(four, starts)), "deadline-misses")["caption"]
    assert "Missed: 0 under a, 1 under b, 2 under c and 4 under e." in words


def test_a_sweep_has_lines_over_the_share():
    few = case(share=DeadlineShare("w", 20.0))
    many = hand_case(
        SIX, {"late": [0] * 6, "early": [0, 0, 7200, 0, 0, 0]}, share=DeadlineShare("w", 80.0)
    )
    found = document(many, few)
    names = [one["name"].removeprefix("deadline-") for one in found["deadlines"]]
    assert names == ["regular-wait", "all-wait", "waits", "regular-stretch", "usage", "misses"]
    (panel,) = chart(found, "deadline-regular-wait")["panels"]
    assert panel["y"]["title"] == "average wait, h"
    lines = {series["label"]: (series["x"], series["y"]) for series in panel["series"]}
    # At 80 % only the third job waits, and only under "early".
    assert lines["late"][0] == [20, 80]
    assert lines["late"][1] == pytest.approx([15 / 3600, 0], abs=1e-5)
    assert lines["early"][1] == pytest.approx([30 / 3600, 2], abs=1e-5)
    (panel,) = chart(found, "deadline-all-wait")["panels"]
    assert panel["series"][1]["y"] == pytest.approx([75 / 360, 7200 / 360], abs=1e-4)
    (panel,) = chart(found, "deadline-usage")["panels"]
    assert panel["series"][0]["y"][1] is None  # no job with a deadline waits: no mean
    titles = [panel["title"] for panel in chart(found, "deadline-waits")["panels"]]
    assert titles == ["20 % with a deadline", "80 % with a deadline"]
    bars = chart(found, "deadline-misses")["panels"][0]["y"]["categories"]
    assert bars == ["late, 20 %", "late, 80 %", "early, 20 %", "early, 80 %"]
    words = chart(found, "deadline-regular-wait")["caption"]
    assert "Lowest: late in 2 of 2 cases" in words
    assert "from 30.0 s to 2.00 h under early" in words


def test_ties_are_nobodys_lowest():
    """a and b wait equally long and c longer; in the second case a waits less; in the third all wait alike."""
    four = jobs((0, 10, None), (0, 10, 100))
    starts = (
        {"a": [30, 0], "b": [30, 0], "c": [60, 0]},
        {"a": [10, 0], "b": [30, 0], "c": [60, 0]},
        {"a": [30, 0], "b": [30, 0], "c": [30, 0]},
    )
    cases = [
        hand_case(four, one, share=DeadlineShare("w", float(percent)))
        for percent, one in zip((10, 20, 30), starts, strict=True)
    ]
    words = chart(document(*cases), "deadline-regular-wait")["caption"]
    assert "Lowest: a in 1 of 2 cases and tied in 1." in words


def test_noise_is_nobodys_lowest():
    """In replica 1 a waits 20 s less than b, in replica 2 it waits 20 s more."""
    two = jobs((0, 10, None), (0, 10, 100))
    noisy = [
        hand_case(
            two,
            {"a": [30, 0], "b": [50, 0]},
            others=[{"a": [50, 0], "b": [31, 0]}],
            share=DeadlineShare("w", percent),
        )
        for percent in (10.0, 20.0)
    ]
    assert "Lowest" not in chart(document(*noisy), "deadline-regular-wait")["caption"]


def test_workloads_have_panels_of_their_own():
    cases = [drawn_case(percent, of, seed) for seed, of in enumerate("ab") for percent in (20, 60)]
    found = document(*cases)
    assert [p["title"] for p in chart(found, "deadline-usage")["panels"]] == ["a", "b"]
    waits = chart(found, "deadline-waits")
    assert [p["title"] for p in waits["panels"]] == ["a, 20 %", "a, 60 %", "b, 20 %", "b, 60 %"]
    assert waits["columns"] == 2
    assert "median over workloads" in chart(found, "deadline-regular-wait")["caption"]


def test_replicas_are_averaged_each_with_its_own_filter():
    # In the second replica job 1 waits, too, so that three regular jobs count.
    other = {"late": [90, 30, 0, 0, 0, 0], "early": [0, 0, 60, 0, 0, 0]}
    whole = case(others=[other])
    (found,) = compute(make_material(whole)).cases
    cell = found.deadlines.wait_regular["late"]
    assert cell.value == (15 + 40) / 2
    assert cell.replicas == 2
    assert cell.half_width is not None
    early = found.deadlines.wait_regular["early"]
    assert early.value == (30 + 20) / 2
    assert early.change == pytest.approx((100 - 50) / 2)
    assert early.significant is False
    assert [run.others[0].count for run in whole.runs] == [1, 1]
    words = chart(document(whole), "deadline-waits")["caption"]
    assert "one of the 2 replicas" in words


def test_jobs_that_a_replica_did_not_run_everywhere_do_not_count():
    other = {"late": [0, 30, 100, 0, 0, 0], "early": [0, 10, -1, 0, 0, 0]}
    (found,) = compute(make_material(case(others=[other]))).cases
    assert found.deadlines.wait_regular["late"].value == (15 + 30) / 2
    assert found.deadlines.wait_regular["early"].value == (30 + 10) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "starts", "empty"),
    [
        (jobs((0, 10, 100), (0, 10, 100)), [5, 0], "deadline-waits"),
        (jobs((0, 10, 100), (0, 10, None)), [0, 5], "deadline-use"),
    ],
    ids=["all have deadlines", "no deadline job waits"],
)
def test_where_a_kind_of_jobs_is_missing(workload, starts, empty, tmp_path, drawing_only):
    one = hand_case(workload, {"easy": starts, "cbf": starts})
    found = document(one)
    assert {name["name"] for name in found["deadlines"] if name["empty"]} == {empty}
    write_report(make_material(one), tmp_path / "report.html")
    names = ("deadline-waits", "deadline-use")
    drawing_only(*names)
    with drawn_figures() as figures:
        paths = write_figures(make_material(one), tmp_path / "figures", ("png",))
    there = [path.stem for path in paths if path.exists()]
    drawn = dict(zip(there, map(panel_ink, figures), strict=True))
    for name in names:
        assert bool(drawn[name]) == (name != empty)
        assert all(covered > 200 for covered in drawn[name])


def test_all_jobs_have_deadlines_and_the_share_is_swept(tmp_path):
    cases = [
        hand_case(
            jobs((0, 10, 100), (0, 10, 100 if percent == 100 else None)),
            {"easy": [0, 5], "cbf": [9, 0]},
            share=DeadlineShare("w", percent),
        )
        for percent in (50.0, 100.0)
    ]
    found = document(*cases)
    (panel,) = chart(found, "deadline-regular-wait")["panels"]
    assert panel["series"][0]["y"] == [5, None]
    assert len(chart(found, "deadline-waits")["panels"]) == 1
    write_report(make_material(*cases), tmp_path / "report.html")


def test_nobody_waits():
    one = hand_case(jobs((0, 10, 100), (0, 10, None)), {"easy": [0, 0], "cbf": [0, 0]})
    found = document(one)
    empty = {name["name"] for name in found["deadlines"] if name["empty"]}
    assert empty == {"deadline-waits", "deadline-use"}
    assert "No deadline was missed." in chart(found, "deadline-misses")["caption"]
    value = compute(make_material(one)).cases[0].deadlines.value("easy", WAIT_REGULAR)
    assert math.isnan(value)


def test_no_section_without_deadlines(tmp_path):
    material = make_material(make_case(("easy", "list-reg"), jobs=80))
    figures = compute(material)
    assert figures.deadlines is None
    assert json.loads(payload(material, figures))["deadlines"] == []
    write_report(material, tmp_path / "report.html", figures=figures)
    text = (tmp_path / "report.html").read_text()
    assert "<h2>Deadlines</h2>" not in text
    assert "<h2>Promises kept</h2>" not in text


def test_a_share_of_nothing_is_a_point_of_a_sweep_but_no_section_of_its_own():
    none = drawn_case(0)
    assert compute(make_material(none)).deadlines is None
    both = compute(make_material(none, drawn_case(50))).deadlines
    assert both.places[0].percents == (0.0, 50.0)


def test_runs_whose_deadlines_differ_are_not_compared():
    """On a smaller machine the share may be drawn from other jobs."""
    one, other = (
        case(),
        hand_case(jobs(*[(0, 10, None)] * 2, (0, 20, None), *[(0, 10, 99)] * 3), STARTS),
    )
    mixed = case(runs=(one.runs[0], other.runs[1]))
    assert compute(make_material(mixed)).deadlines is None


@pytest.mark.slow
def test_many_panels_stay_small():
    cases = [drawn_case(percent, of, count=600) for of in "abcd" for percent in (20, 40, 60, 80)]
    waits = chart(document(*cases), "deadline-waits")
    lengths = [len(series["x"]) for panel in waits["panels"] for series in panel["series"]]
    assert len(waits["panels"]) == 16
    assert max(lengths) <= 4800 // 16 + 6


def test_numbers_without_a_script(tmp_path):
    write_report(make_material(drawn_case(20), drawn_case(60)), tmp_path / "sweep.html")
    text = (tmp_path / "sweep.html").read_text()
    section = text[text.index('id="deadlines"') : text.index('id="promises"')]
    assert section.count("<table") == 4 + 2
    assert "w, 20\N{NARROW NO-BREAK SPACE}%" in section
    write_report(make_material(case()), tmp_path / "one.html")
    text = (tmp_path / "one.html").read_text()
    section = text[text.index('id="deadlines"') : text.index('id="gantt"')]
    assert section.count("<table") == 1
    assert "3 of 6 jobs have a deadline (50.0\N{NARROW NO-BREAK SPACE}%)" in section
    assert "that is compared (1) are left out" in section


def test_every_figure_is_a_file(tmp_path, drawing_only):
    """They are drawn in test_drawing.py."""
    drawing_only()
    paths = write_figures(make_material(drawn_case(20), drawn_case(60)), tmp_path, ("png",))
    stems = {path.stem for path in paths}
    assert {"deadline-regular-wait", "deadline-misses", "deadline-waits"} <= stems
    assert sum(stem.endswith("promised-waits") for stem in stems) == 2
