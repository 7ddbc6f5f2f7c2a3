"""The summary in words."""

from __future__ import annotations

from packwise.experiments.tables.cells import Cell
from packwise.reports.material import Case, ReportRun
from packwise.reports.prose import metric_titles
from packwise.reports.words import over_all, summary


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


def simple(replicas=1, **values):
    """Values of AF and AWF by label, against the first."""
    base = next(iter(values.values()))
    return case_of(
        {
            label: {
                name: (v, 100 * (v - b) / b, None if replicas == 1 else abs(v - b) > 20)
                for name, v, b in zip(("AF", "AWF"), pair, base, strict=True)
            }
            for label, pair in values.items()
        },
        replicas,
    )


def test_most_cases_have_a_leader_by_metric():
    usual = simple(easy=(100, 100), sjf=(50, 130), laf=(120, 60))
    other = simple(easy=(100, 100), sjf=(110, 40), laf=(60, 130))
    assert over_all([usual, usual, other], ("AF", "AWF")) == [
        "Over all 3 cases: sjf is best by AF in 2; laf by AWF in 2."
    ]


def test_ties_share_the_lead():
    equal = simple(easy=(100, 100), sjf=(50, 70), spf=(50, 90))
    (said,) = over_all([equal, equal], ("AF", "AWF"))
    assert said == "Over all 2 cases: sjf and spf are best by AF in 2 each; sjf by AWF in 2."
    scattered = [
        simple(
            **({"easy": (100, 100), "a": (90, 50), "b": (90, 50), "c": (90, 50)} | {k: (10, 50)})
        )
        for k in "abc"
    ]
    (said,) = over_all(scattered, ("AF", "AWF"))
    assert said == "Over all 3 cases: no policy stands out by AF and AWF."


def test_noise_leads_nowhere():
    clear = simple(3, easy=(100, 100), sjf=(50, 70))
    noisy = simple(3, easy=(100, 100), sjf=(90, 70))
    (said,) = over_all([clear, noisy], ("AF", "AWF"))
    assert said.startswith("Over all 2 cases: sjf is best by AF in 1 and AWF in 2.")
    assert said.endswith("Cases in which a metric shows no clear difference count for none.")


def test_one_case_needs_no_overview():
    case = simple(easy=(100, 100), sjf=(50, 70))
    assert over_all([case], ("AF", "AWF")) == []
    assert over_all([case, simple(easy=(1, 1))], ("AF", "AWF")) == []
    (said,) = over_all([case, case, simple(easy=(1, 1))], ("AF",))
    assert said == "Over the 2 cases with something to compare: sjf is best by AF in 2."


def test_metrics_have_their_title_and_labels_are_left_alone():
    html = metric_titles(["AF", "my AWF", "<b>"], ("AF", "AWF"))
    assert html("LAF, AWF-x & AF") == "LAF, AWF-x &amp; AF"
    assert html("my AWF") == "my AWF"
    assert html("<b>: AWF (3)").startswith('&lt;b&gt;: <abbr title="')
    assert html("AWF").endswith('">AWF</abbr>')
