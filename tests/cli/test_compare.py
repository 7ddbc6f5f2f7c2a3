from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from packwise import load_workload
from packwise.cli.tables.comparison import print_comparison
from packwise.metrics.catalogue import metric
from packwise.metrics.comparison import Comparison, Entry, find_baseline
from packwise.model.errors import UnknownName
from packwise.readable import percent
from packwise.warm_up import crew
from packwise.workloads.swf import write_swf


def comparison(metrics, baseline=0, **values):
    """Entries with given values."""
    names = metrics.split(",")
    entries = tuple(
        Entry(label, dict(zip(names, map(float, row), strict=True)))
        for label, row in values.items()
    )
    return Comparison(tuple(metric(name) for name in names), entries, baseline)


def test_percent_arithmetic_by_hand():
    """wait 200 -> 150: -25 %, better; utilization 0.8 -> 0.72: -10 %, worse (higher is better)."""
    table = comparison("wait,utilization", base=(200, 0.8), other=(150, 0.72))
    base, other = table.entries
    wait, utilization = table.metrics
    assert table.change(other, wait) == pytest.approx(-25)
    assert table.change(other, utilization) == pytest.approx(-10)
    assert table.change(base, wait) == 0
    assert (table.verdict(other, wait), table.verdict(other, utilization)) == (1, -1)


def test_half_a_percent_is_nothing():
    table = comparison("wait", base=(1000,), near=(1004,), far=(1006,))
    assert [table.verdict(entry, table.metrics[0]) for entry in table.entries] == [0, 0, -1]


def test_a_baseline_of_zero_has_no_percent():
    table = comparison("wait", base=(0,), same=(0,), more=(5,))
    wait = table.metrics[0]
    assert [table.change(entry, wait) for entry in table.entries] == [0, 0, None]
    assert table.verdict(table.entries[2], wait) == -1


def test_the_best_may_be_several():
    table = comparison("wait,utilization", a=(3, 0.5), b=(2, 0.9), c=(2, 0.7))
    wait, utilization = table.metrics
    assert [entry.label for entry in table.outstanding(wait)] == ["b", "c"]
    assert [entry.label for entry in table.outstanding(utilization)] == ["b"]


def test_nobody_stands_out_where_all_lead_and_half_a_percent_behind_is_no_loss():
    table = comparison("wait,BSLD", a=(1000, 1000), b=(1004, 1004), c=(1001, 1200))
    wait, bsld = table.metrics
    assert table.outstanding(wait) == []
    assert [entry.label for entry in table.outstanding(bsld)] == ["a", "b"]


def test_the_summary_says_who_wins_and_who_pays():
    table = comparison("BSLD,wait,max_wait", base=(10, 100, 50), saf=(5, 90, 150))
    assert table.words() == (
        "saf is best by BSLD (-50 %) and wait (-10 %), base by max_wait. "
        "The price of saf against base: max_wait (+200 %)."
    )
    level = comparison("BSLD,makespan", base=(10, 1000), saf=(5, 1001))
    assert "makespan differs by less than 0.5 %" in level.words()
    assert "loses in none" in level.words()


def test_a_tie_is_nobodys_win():
    """Equal, or less than half a per cent apart; also with the baseline, which then has not won either."""
    table = comparison("BSLD,wait", base=(10, 100), a=(5, 100.2), b=(5.01, 120))
    assert table.words() == "Tied at the top: a and b by BSLD; base and a by wait."
    many = comparison("wait", base=(9,), **{f"p{k}": (5,) for k in range(6)})
    assert many.words() == "Tied at the top: 6 of 7 by wait."


def test_what_is_not_a_number_is_never_best_nor_compared(capsys):
    """No regular jobs in one run, none in the baseline, none at all: a dash, and no word about it."""
    nan = math.nan
    table = comparison(
        "wait,wait_regular,max_wait_regular,wait_deadline",
        base=(200, 100, nan, nan),
        some=(100, 50, 40, nan),
        none=(100, nan, 30, nan),
    )
    wait, regular, longest, driven = table.metrics
    base, some, none = table.entries
    assert table.outstanding(regular) == [some]
    assert table.outstanding(longest) == [none]
    assert table.outstanding(driven) == []
    assert (table.change(none, regular), table.change(some, longest)) == (None, None)
    assert [table.verdict(entry, regular) for entry in (base, some, none)] == [0, 1, 0]
    assert [table.verdict(entry, longest) for entry in table.entries] == [0, 0, 0]
    assert table.verdict(some, wait) == 1
    assert table.words() == (
        "some is best by wait_regular (-50 %). Tied at the top: some and none by wait. Against base, some "
        "loses in none of the metrics shown."
    )
    print_comparison(table)
    shown = capsys.readouterr().out
    assert "–" in shown
    assert "nan" not in shown
    assert "max_wait_regular" in shown


def test_nothing_to_compare_at_all():
    table = comparison("wait_regular", base=(math.nan,), other=(math.nan,))
    assert table.words() == ""


def test_percent_for_people():
    assert [percent(x) for x in (None, 0.01, -3.14, 42.4, 1234.5)] == [
        "–",
        "0 %",
        "-3.1 %",
        "+42 %",
        "+1,234 %",
    ]


def test_baseline_by_name():
    labels = ["easy / exact", "list-saf / exact"]
    assert find_baseline("first", labels) == 0
    assert find_baseline("list-saf", labels) == 1
    assert find_baseline("list-saf/exact", labels) == 1
    with pytest.raises(UnknownName, match="list-saf"):
        find_baseline("list-sav", labels)


def test_the_command(packwise, log, tmp_path, sketched):
    table, picture = tmp_path / "c.csv", tmp_path / "c.png"
    done = packwise(
        "compare", log, "--policies", "easy,list(order=saf,depth=4),list-laf",
        "--csv", table, "--plot", picture,
    )  # fmt: skip
    assert done.status == 0
    assert "list(order=saf,depth=4)" in done.stdout
    assert "baseline" in done.stdout
    assert "is best by" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["policy"] for row in rows] == ["easy", "list(order=saf,depth=4)", "list-laf"]
    base, other = float(rows[0]["wait"]), float(rows[1]["wait"])
    assert float(rows[1]["wait_change_percent"]) == pytest.approx(
        100 * (other - base) / base, abs=1e-3
    )


def test_the_picture_of_the_queue(packwise, log, tmp_path):
    picture = tmp_path / "queue.svg"
    done = packwise(
        "compare", log, "--policies", "easy,list-saf", "--baseline", "list-saf", "--queue", picture
    )
    assert f"Wrote {picture}" in done.stdout.replace("\n", "")
    for words in (
        "easy",
        "list-saf",
        "Jobs waiting over time",
        "Rounds by the length of the queue",
    ):
        assert f"<!-- {words} -->" in picture.read_text()
    refused = packwise("compare", log, "--policies", "easy", "--queue", tmp_path / "queue.txt")
    assert refused.status == 2


def test_json_and_estimates(packwise, log):
    answer = packwise(
        "compare", log, "--policies", "easy,cbf", "--estimates", "requested,exact",
        "--baseline", "cbf", "--metrics", "AF,AWF", "--json",
    ).json  # fmt: skip
    assert answer["baseline"] == "cbf / requested"
    assert [(run["policy"], run["estimate"]) for run in answer["runs"]] == [
        ("easy", "requested"),
        ("cbf", "requested"),
        ("easy", "exact"),
        ("cbf", "exact"),
    ]
    assert answer["runs"][1]["change_percent"] == {"AF": 0, "AWF": 0}
    assert set(answer["metrics"]) == {"AF", "AWF"}


def test_json_counts_deadlines_as_replay_does(packwise, log):
    given = (log, "--deadlines", "slack(share=20%)", "--json")
    found = packwise("compare", *given, "-p", "easy,cbf").json
    assert found["deadlines"] == packwise("replay", *given).json["deadlines"]
    assert (found["deadlines"]["jobs"], found["deadlines"]["impossible"]) == (60, 0)
    assert "deadlines" not in packwise("compare", log, "-p", "easy", "--json").json


def test_the_price_of_who_takes_least_is_told_too():
    table = comparison("BSLD,AF,AWF", base=(9, 9, 9), bold=(1, 1, 20), kind=(8, 9, 8))
    assert "The price of bold against base: AWF (+122 %)." in table.words()
    assert "Against base, kind loses in none of the metrics shown." in table.words()


def test_from_nothing_to_something_is_told_by_its_value():
    table = comparison("users_worse,AF", base=(0, 9), other=(4.5, 5))
    assert "The price of other against base: users_worse (4.50 %)." in table.words()


def test_what_is_compared_by_default(packwise, log):
    found = packwise("compare", log, "--json")
    assert [run["policy"] for run in found.json["runs"]] == [
        "easy",
        "easy-sjbf",
        "list-reg",
        "list-saf",
        "packwise",
    ]
    assert found.json["baseline"] == "easy"
    assert "users_worse" in found.json["metrics"]
    mine = found.json["effects"]["packwise"]
    assert mine["users_worse"] == sum(one["change_percent"] > 10 for one in mine["users"])
    said = packwise("compare", log).stdout
    assert "packwise against easy: the mean response time" in " ".join(said.split())


def test_a_log_without_users_says_so(packwise, log, tmp_path):
    jobs = load_workload(log).workload
    write_swf(tmp_path / "log.swf", jobs.replace(user=np.full(len(jobs), -1)), procs=32)
    found = packwise("compare", tmp_path / "log.swf", "--policies", "easy,fcfs")
    assert "users_worse" not in found.stdout
    assert "the log does not say whose jobs these are" in " ".join(found.stdout.split())


def test_what_is_compiled_is_replayed_first_and_shown_while_the_others_wait(
    packwise, log, monkeypatch
):
    """The answer is the same; what is known before it comes on stderr."""
    given = "compare", log, "-p", "cbf,easy,list-saf", "--metrics", "BSLD,AF,FST_misses"
    usual = packwise(*given)
    monkeypatch.setattr(crew, "are_ready", lambda names: "lists" in names)
    waiting = packwise(*given)
    assert waiting.stdout == usual.stdout
    assert "so far" not in usual.stderr
    told = [line for line in waiting.stderr.splitlines() if line.startswith("... ")]
    rows = [line.split()[1] for line in told]
    assert [name for name in rows if name in ("cbf", "easy", "list-saf")] == ["easy", "list-saf"]
    assert "FST_misses" not in waiting.stderr  # that would take a while
