"""The summary in words."""

from __future__ import annotations

from packwise.reports.material import Case, ReportRun
from packwise.reports.prose import metric_titles
from packwise.reports.readings import durations
from packwise.reports.verdicts.policies import policy_words
from packwise.reports.verdicts.replicas import replica_cells
from packwise.reports.verdicts.words import caution, over_all, summary


def plain(text):
    """With the minus and the blanks of a keyboard."""
    return text.replace("\N{MINUS SIGN}", "-").replace("\N{NARROW NO-BREAK SPACE}", " ")


def case_of(values, baseline=0, replicas=None):
    """{label: {metric: value, or a list of the values in the replicas}}"""
    labels = list(values)
    names = list(dict.fromkeys(name for one in values.values() for name in one))
    cells = {label: {} for label in labels}
    samples = {label: {} for label in labels}
    for name in names:
        rows = {
            label: one[name] if isinstance(one[name], list) else [one[name]]
            for label, one in values.items()
            if name in one
        }
        found = replica_cells(rows, labels[baseline], 0.95)
        for label, row in rows.items():
            cells[label][name] = found[label]
            if len(row) > 1:
                samples[label][name] = tuple(row)
    counts = [len(row) for one in samples.values() for row in one.values()]
    runs = tuple(
        ReportRun(label, label, cells[label], lambda: None, samples=samples[label])
        for label in labels
    )
    return Case("log", "", "", 10, 4, runs, baseline, replicas or max(counts, default=1))


def test_winner_and_price():
    case = case_of({"easy": {"AF": 100, "AWF": 100}, "sjf": {"AF": 50, "AWF": 130}})
    (said,) = summary(case, ("AF", "AWF"), 0.95)
    assert "sjf is best by AF" in said
    (told,) = policy_words(case, {}, ("AF", "AWF"), 0.95)
    assert told.label == "sjf"
    assert plain(told.price) == "Better than easy by AF (-50 %). The price: worse by AWF (+30 %)."


def test_a_difference_within_the_noise_wins_nothing():
    """AF: 50 below easy in every replica. AWF: 3 below on average, but between 20 above and 26 below."""
    case = case_of(
        {
            "easy": {"AF": [100, 110, 90], "AWF": [100, 100, 100]},
            "sjf": {"AF": [50, 60, 40], "AWF": [120, 74, 97]},
        }
    )
    (said,) = summary(case, ("AF", "AWF"), 0.95)
    assert said.startswith("sjf is best by AF (")
    assert (
        "No difference that means anything by AWF: tied within the noise of the 3 replicas" in said
    )
    assert "AWF (" not in said


def test_a_lead_over_another_policy_within_the_noise_is_a_tie():
    """one and two are both far below easy for certain; which of them is lower changes with the replica."""
    case = case_of(
        {
            "easy": {"AF": [100, 100, 100, 100]},
            "one": {"AF": [48, 51, 47, 50]},
            "two": {"AF": [50, 49, 50, 49]},
        }
    )
    (said,) = summary(case, ("AF",), 0.95)
    assert said == "Tied at the top: one and two by AF."


def test_a_small_lead_that_shows_in_every_replica_is_one():
    case = case_of(
        {
            "easy": {"AF": [100, 200, 300, 400]},
            "one": {"AF": [48, 96, 144.3, 192]},
            "two": {"AF": [50, 100, 150.3, 200]},
        }
    )
    (said,) = summary(case, ("AF",), 0.95)
    assert said.startswith("one is best by AF (−52 %).")


def test_the_lowest_mean_is_no_winner_if_the_baseline_ties():
    """one is lowest on average, but easy cannot be told from it; three is worse for certain."""
    case = case_of(
        {
            "easy": {"AF": [100, 100, 100]},
            "one": {"AF": [60, 130, 90]},
            "three": {"AF": [150, 152, 151]},
        }
    )
    assert summary(case, ("AF",), 0.95) == ["Tied at the top: easy and one by AF."]


def test_a_zero_in_every_replica_wins():
    case = case_of({"easy": {"wait": [5, 6, 7]}, "sjf": {"wait": [0, 0, 0]}})
    assert "sjf is best by wait" in summary(case, ("wait",), 0.95)[0]
    none = case_of({"easy": {"wait": [0, 0, 0]}, "sjf": {"wait": [5, 6, 7]}})
    assert "easy is best by wait" in summary(none, ("wait",), 0.95)[0]


def test_equal_values_tie():
    case = case_of({"easy": {"AF": 100}, "sjf": {"AF": 50}, "spf": {"AF": 50}})
    assert summary(case, ("AF",), 0.95) == ["Tied at the top: sjf and spf by AF."]


def test_what_the_table_shows_as_equal_ties():
    """1.00 both, and 0.001 both, though 3 % apart."""
    close = case_of({"a": {"BSLD": 2.0}, "b": {"BSLD": 1.004}, "c": {"BSLD": 1.002}})
    assert summary(close, ("BSLD",), 0.95) == ["Tied at the top: b and c by BSLD."]
    tiny = case_of({"a": {"LOC": 0.00104}, "b": {"LOC": 0.00101}})
    assert summary(tiny, ("LOC",), 0.95) == [
        "No difference that means anything by LOC: less than 0.5 % apart, or equal in the table."
    ]


def test_many_that_tie_are_counted():
    case = case_of({"easy": {"AF": 100}} | {f"p{k}": {"AF": 50} for k in range(7)})
    assert summary(case, ("AF",), 0.95) == ["Tied at the top: 7 of 8 by AF."]


def test_single_runs_come_with_a_warning():
    single = case_of({"easy": {"AF": 100}, "sjf": {"AF": 50}})
    copied = case_of({"easy": {"AF": [1, 2]}, "sjf": {"AF": [2, 3]}})
    alone = case_of({"easy": {"AF": 100}})
    assert caution([single, alone]).startswith("Each policy ran once. One run has no interval")
    assert caution([single, copied]).startswith(
        "In the cases without replicas, each policy ran once."
    )
    assert caution([copied, alone]) == ""


def test_changes_are_those_of_the_replicas():
    """Paired: -50 % and -34 %, 42 % on average; the means alone would say -36 %."""
    case = case_of({"easy": {"AF": [100, 700]}, "sjf": {"AF": [50, 462]}})
    assert "sjf is best by AF (−42" in summary(case, ("AF",), 0.5)[0]


def test_nothing_to_compare():
    assert "nothing to compare" in summary(case_of({"easy": {"AF": 100}}), ("AF",), 0.95)[0]


def test_zero_baseline_and_missing_metric():
    case = case_of({"easy": {"wait": 0}, "sjf": {"wait": 10}})
    said = " ".join(summary(case, ("wait", "AF"), 0.95))
    assert "easy is best by wait" in said
    assert "Not compared, for want of results: AF." in said


def simple(**values):
    """Values of AF and AWF by label, against the first."""
    return case_of(
        {label: dict(zip(("AF", "AWF"), pair, strict=True)) for label, pair in values.items()}
    )


def test_most_cases_have_a_leader_by_metric():
    usual = simple(easy=(100, 100), sjf=(50, 130), laf=(120, 60))
    other = simple(easy=(100, 100), sjf=(110, 40), laf=(60, 130))
    assert over_all([usual, usual, other], ("AF", "AWF"), 0.95) == [
        "Over all 3 cases: sjf is best by AF in 2; laf by AWF in 2."
    ]


def test_ties_are_nobodys_win():
    tie = simple(easy=(100, 100), sjf=(50, 70), spf=(50, 90))
    clear = simple(easy=(100, 100), sjf=(40, 70), spf=(50, 90))
    (said,) = over_all([tie, tie, clear], ("AF", "AWF"), 0.95)
    assert said == (
        "Over all 3 cases: sjf is best by AF in 1 and AWF in 3. Tied at the top, and nobody's win: AF in 2."
    )


def test_nobody_stands_out():
    values = {"easy": (100, 100), "a": (90, 50), "b": (90, 50), "c": (90, 50)}
    scattered = [simple(**(values | {k: (10, 50)})) for k in "abc"]
    (said,) = over_all(scattered, ("AF", "AWF"), 0.95)
    assert said == (
        "Over all 3 cases: no policy stands out by AF. Tied at the top, and nobody's win: AWF in 3."
    )


def test_noise_leads_nowhere():
    clear = case_of({"easy": {"AF": [100, 101, 99]}, "sjf": {"AF": [50, 51, 49]}})
    noisy = case_of({"easy": {"AF": [100, 101, 99]}, "sjf": {"AF": [70, 130, 80]}})
    (said,) = over_all([clear, noisy], ("AF",), 0.95)
    assert said == (
        "Over all 2 cases: sjf is best by AF in 1. No difference that means anything: AF in 1."
    )
    (said,) = over_all([noisy, noisy], ("AF",), 0.95)
    assert said == "Over all 2 cases: no difference that means anything: AF in 2."


def test_one_case_needs_no_overview():
    case = simple(easy=(100, 100), sjf=(50, 70))
    assert over_all([case], ("AF", "AWF"), 0.95) == []
    assert over_all([case, simple(easy=(1, 1))], ("AF", "AWF"), 0.95) == []
    (said,) = over_all([case, case, simple(easy=(1, 1))], ("AF",), 0.95)
    assert said == "Over the 2 cases with something to compare: sjf is best by AF in 2."


def test_metrics_have_their_title_and_labels_are_left_alone():
    html = metric_titles(["AF", "my AWF", "<b>"], ("AF", "AWF"))
    assert html("LAF, AWF-x & AF") == 'LAF, AWF-x &amp; <span class="short">AF</span>'
    assert html("my AWF") == '<span class="short">my AWF</span>'
    assert html("<b>: AWF (3)").startswith('<span class="short">&lt;b&gt;</span>: <abbr title="')
    assert html("AWF").endswith('">AWF</abbr>')


def test_durations_side_by_side():
    assert durations([14400.0, 7200.0, 0.0]) == ["4.00 h", "2.00 h", "0 h"]
    assert durations([14534.0, 25.9]) == ["4.0 h", "26 s"]
    assert durations([]) == []
