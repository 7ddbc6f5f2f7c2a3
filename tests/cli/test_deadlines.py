"""Deadlines and the new filters on the command line."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.workloads.lublin import generate
from packwise.workloads.swf import write_swf


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """40 jobs in partitions 1, 2, 1, 2, ...; every fourth without allocated processors."""
    path = tmp_path_factory.mktemp("parts") / "parts.swf"
    made = generate(40, 16, 1)
    rows = np.arange(len(made))
    extra = {"partition": 1 + rows % 2, "used_procs": np.where(rows % 4, made.demand, -1)}
    write_swf(path, made.replace(extra=extra), procs=16)
    return path


def test_info_tells_of_deadlines(packwise, log):
    done = packwise("workload", "info", log, "--deadlines", "slack(share=20%)")
    assert done.status == 0
    assert "deadline-driven jobs: 60 of 300 (20.0 %)" in done.stdout
    assert "median slack: " in done.stdout
    assert "deadlines by slack(share=20%)" in done.stdout
    assert "never be met" not in done.stdout
    answer = packwise("workload", "info", log, "--deadlines", "slack(share=20%)", "--json").json
    assert answer["deadlines"]["jobs"] == 60
    assert answer["deadlines"]["share"] == 0.2
    assert answer["deadlines"]["impossible"] == 0
    plain = packwise("workload", "info", log)
    assert "deadline" not in plain.stdout
    assert packwise("workload", "info", log, "--json").json["deadlines"] is None


def test_impossible_deadlines(packwise, log):
    rule = ("--deadlines", "slack(least=1,factor=0.5)")
    refused = packwise("workload", "info", log, *rule)
    assert refused.status == 2
    assert "--impossible-deadlines count" in refused.stderr
    counted = packwise("workload", "info", log, *rule, "--impossible-deadlines", "count")
    assert counted.status == 0
    assert "deadlines that could never be met: 300" in counted.stdout
    other = packwise("workload", "info", log, "--impossible-deadlines", "ignore")
    assert other.status == 2


def test_replay_counts_them(packwise, log):
    rule = ("--deadlines", "slack(least=1,factor=0.5)", "--impossible-deadlines", "count")
    done = packwise("replay", log, *rule)
    assert done.status == 0
    assert "deadlines that could never be met: 300" in done.stdout
    assert packwise("replay", log, *rule, "--json").json["deadlines"]["impossible"] == 300
    assert "deadlines" not in packwise("replay", log, "--json").json


def test_several_rules(packwise, log, tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("job_id,deadline\n1,100000000\n")
    done = packwise("workload", "info", log, "--deadlines", f"column(file={file})")
    assert "deadline-driven jobs: 1 of 300" in done.stdout
    both = ("--deadlines", f"column(file={file})", "--deadlines", "slack")
    done = packwise("workload", "info", log, *both)
    assert done.status == 2
    assert "contradict each other: job 1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--deadlines", "slak"), "Did you mean slack"),
        (("--deadlines", "slack(share=120%)"), "between 0% and 100%"),
        (("--deadlines", "column"), "no deadlines of its own"),
        (("--deadlines", "column(file=nowhere.csv)"), "no such file"),
        (("--drop-partition", "x"), "--drop-partition: expected partition numbers such as 0,1"),
        (("--drop-partition", "99"), "no partition 99"),
    ],
)
def test_mistakes(packwise, log, arguments, expected):
    done = packwise("replay", log, *arguments)
    assert done.status == 2
    assert done.stdout == ""
    assert expected in done.stderr


def test_a_rule_is_refused_before_the_log_is_read(packwise):
    done = packwise("replay", "nowhere.swf", "--deadlines", "slak")
    assert "unknown deadline rule" in done.stderr


def test_filters(packwise, parts):
    def jobs(*arguments):
        return packwise("workload", "info", parts, *arguments, "--json").json["jobs"]

    assert jobs() == 40
    assert jobs("--drop-partition", "1") == 20
    assert jobs("--drop-unallocated") == 30
    assert jobs("--drop-partition", "1", "--drop-unallocated") == 20


def test_files_that_cannot_hold_deadlines_say_so(packwise, log, tmp_path):
    import polars as pl

    rule = ("--deadlines", "slack(share=20%)")
    lost = "the deadlines of 60 jobs are not in this file"
    table = tmp_path / "plan.csv"
    done = packwise("replay", log, *rule, "--output", table)
    assert done.status == 0
    assert lost not in done.stderr
    assert (pl.read_csv(table)["deadline"] != -1).sum() == 60
    for arguments in (
        ("replay", log, *rule, "--output", tmp_path / "plan.swf"),
        ("replay", log, *rule, "--output", tmp_path / "plan", "--format", "swf"),
        ("replay", log, *rule, "--output", tmp_path / "jobs.csv", "--format", "batsim"),
        ("replay", table, "--procs", 32, "--output", tmp_path / "again.swf"),
        ("workload", "convert", log, tmp_path / "due.swf", *rule),
        ("workload", "clean", table, tmp_path / "clean.swf", "--procs", 32),
    ):
        done = packwise(*arguments)
        assert done.status == 0, done.stderr
        assert lost in done.stderr
    assert lost in (tmp_path / "plan.swf").read_text()
    done = packwise("workload", "convert", table, tmp_path / "kept.parquet", "--procs", 32)
    assert lost not in done.stderr
    assert (pl.read_parquet(tmp_path / "kept.parquet")["deadline"] != -1).sum() == 60


def test_help_teaches(packwise):
    text = packwise("replay", "--help").stdout
    for word in ("--deadlines", "--impossible-deadlines", "--drop-partition", "--drop-unallocated"):
        assert word in text


@pytest.fixture
def wide(packwise, log, tmp_path):
    """The log as a table, in which all jobs have a deadline."""
    made = tmp_path / "due.csv"
    assert packwise("workload", "convert", log, made, "--deadlines", "slack").status == 0
    return made


def test_deadlines_of_jobs_wider_than_the_machine(packwise, wide):
    """They are refused, or counted: as impossible, and not as missed."""
    rows = [line.split(",") for line in wide.read_text().splitlines()]
    too_wide = sum(int(row[rows[0].index("demand")]) > 8 for row in rows[1:])
    assert too_wide > 3
    refused = packwise("replay", wide, "--procs", 8)
    assert refused.status == 2
    assert "processors and the machine has 8, so it never runs" in refused.stderr
    plan = wide.with_name("plan.csv")
    counted = packwise(
        "replay", wide, "--procs", 8, "--policy", "dbf", "--impossible-deadlines", "count", "--json",
        "--metrics", "deadline_impossible,deadline_misses,promises_broken", "-o", plan,
    ).json  # fmt: skip
    assert counted["metrics"]["deadline_impossible"] == too_wide
    assert counted["metrics"]["deadline_misses"] < len(rows) - 1 - too_wide
    assert counted["rejected"] == too_wide
    assert counted["jobs"] == len(rows) - 1 - too_wide
    assert len(plan.read_text().splitlines()) == len(rows)
    again = packwise("metrics", plan, "--procs", 8, "--metrics", "deadline_impossible", "--json")
    assert again.json["metrics"]["deadline_impossible"] == too_wide


def test_converting_keeps_what_a_table_tells(packwise, log, tmp_path):
    plan, back = tmp_path / "plan.csv", tmp_path / "back.csv"
    rule = ("--deadlines", "slack(share=50%)")
    assert packwise("replay", log, "--policy", "dbf", *rule, "-o", plan).status == 0
    assert packwise("workload", "convert", plan, back, "--procs", 32).status == 0
    assert back.read_text() == plan.read_text()


def test_a_word_where_a_policy_has_no_deadlines_to_look_at(packwise, log):
    told = "dbf: no job has a deadline, so it does what cbf does."
    assert told in packwise("replay", log, "--policy", "dbf").stdout
    both = packwise("compare", log, "-p", "dbf,edf-easy,easy").stdout
    assert told in both
    assert "edf-easy: no job has a deadline, so jobs come in their order." in both
    rule = ("--deadlines", "slack(share=50%)")
    assert "no job has a deadline" not in packwise("replay", log, "-p", "dbf", *rule).stdout


def test_who_does_not_look_at_deadlines_says_so(packwise, log):
    rule = ("--deadlines", "slack(share=50%)")
    solved = [packwise("solve", log, "--budget", "20", *extra) for extra in ((), rule)]
    assert "deadlines are not looked at here" in solved[1].stderr
    assert "deadlines" not in solved[0].stderr
    values = [packwise("solve", log, "--budget", "20", "--json", *r).json for r in ((), rule)]
    assert values[0]["metrics"] == values[1]["metrics"]
    shown = packwise("explain", log, "--policy", "dbf", *rule)
    assert shown.status == 0
    assert "waiting jobs have a deadline. The policy may look at deadlines" in shown.stderr
