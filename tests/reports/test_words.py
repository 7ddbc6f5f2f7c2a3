"""The summary in words."""

from __future__ import annotations

from packwise.experiments.tables.cells import Cell
from packwise.reports.material import Case, ReportRun
from packwise.reports.words import summary


def case_of(values, replicas=1, baseline=0):
    """{label: {metric: (value, change, significant)}}"""
    runs = tuple(
        ReportRun(
            label,
            label,
            {name: Cell(v, None, c, None, s, replicas) for name, (v, c, s) in cells.items()},
            lambda: None,
        )
        for label, cells in values.items()
    )
    return Case("log", "", "", 10, 4, runs, baseline, replicas)


def test_winner_and_price():
    case = case_of(
        {
            "easy": {"AF": (100, 0, None), "AWF": (100, 0, None)},
            "sjf": {"AF": (50, -50, None), "AWF": (130, 30, None)},
        }
    )
    (said,) = summary(case, ("AF", "AWF"), 0.95)
    assert "sjf is best by AF" in said
    assert "The price of sjf against easy: AWF" in said


def test_noise_is_said_and_wins_nothing():
    case = case_of(
        {
            "easy": {"AF": (100, 0, None), "AWF": (100, 0, None)},
            "sjf": {"AF": (50, -50, True), "AWF": (97, -3, False)},
        },
        replicas=5,
    )
    first, second = summary(case, ("AF", "AWF"), 0.95)
    assert "AWF" not in first
    assert "AWF: no policy differs from easy by more than the noise of the 5 replicas" in second


def test_doubtful_lead():
    case = case_of(
        {
            "easy": {"AF": (100, 0, None)},
            "one": {"AF": (80, -20, False)},
            "two": {"AF": (90, -10, True)},
        },
        replicas=3,
    )
    assert "the lead of one in AF" in summary(case, ("AF",), 0.95)[1]


def test_changes_are_those_of_the_replicas():
    case = case_of({"easy": {"AF": (100, 0, None)}, "sjf": {"AF": (50, -42, True)}}, replicas=3)
    assert "42" in summary(case, ("AF",), 0.95)[0]


def test_nothing_to_compare():
    case = case_of({"easy": {"AF": (100, 0, None)}})
    assert "nothing to compare" in summary(case, ("AF",), 0.95)[0]


def test_zero_baseline_and_missing_metric():
    case = case_of({"easy": {"wait": (0, None, None)}, "sjf": {"wait": (10, None, None)}})
    said = " ".join(summary(case, ("wait", "AF"), 0.95))
    assert "easy is best by wait" in said
    assert "Not compared, for want of results: AF." in said
