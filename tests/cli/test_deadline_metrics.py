"""Metrics of deadlines and promises on the command line, and what happens where there are none."""

from __future__ import annotations

import csv

import pytest

from packwise import Requested, load_workload, simulate, summarize
from packwise.metrics.unaffected import affected
from packwise.registry import policy

HALF = ("--deadlines", "slack(share=50%,seed=1)")
ALL = ("--deadlines", "slack(share=100%)")
SHORT = ("wait_regular", "wait_deadline", "deadline_misses", "deadline_usage")

STUDY = """
name = "Deadlines"
metrics = ["wait", "wait_regular", "wait_deadline", "deadline_misses", "promises_broken"]
policies = ["easy", "cbf"]
baseline = "easy"
store = "results"

[[workload]]
label = "patient"
generate = { jobs = 80, procs = 16, load = 1.2, seed = 3 }
deadlines = "slack(share=50%)"

[[workload]]
label = "all patient"
generate = { jobs = 80, procs = 16, load = 1.2, seed = 3 }
deadlines = "slack(share=100%)"

[[workload]]
label = "hurried"
generate = { jobs = 80, procs = 16, load = 1.2, seed = 3 }
"""


def test_replay_shows_the_most_telling(packwise, log):
    done = packwise("replay", log, *HALF, "--by", "deadline")
    for word in (*SHORT, "By deadline", "regular", "<= 24 h", "> 24 h"):
        assert word in done.stdout
    assert "max_wait_regular" not in done.stdout
    assert "wait_regular" not in packwise("replay", log).stdout


def test_replay_json_has_all(packwise, log):
    found = packwise("replay", log, *HALF, "--json").json["metrics"]
    assert {"max_wait_regular", "deadline_impossible", "deadline_usage_over_80", *SHORT} <= set(
        found
    )
    plain = packwise("replay", log, "--json").json["metrics"]
    assert "limit_stretch" in plain
    assert not set(SHORT) & set(plain)


def test_classes_without_jobs_are_dashes_and_null(packwise, log):
    done = packwise("replay", log, *ALL, "--metrics", "wait_regular,wait_deadline")
    row = next(line for line in done.stdout.splitlines() if line.startswith("wait_regular"))
    assert row.split()[1] == "–"
    found = packwise("replay", log, *ALL, "--metrics", "wait_regular", "--json").json["metrics"]
    assert found == {"wait_regular": None}


def test_compare_with_deadlines(packwise, log, tmp_path):
    table = tmp_path / "c.csv"
    done = packwise("compare", log, "--policies", "easy,list-saf", *HALF, "--csv", table)
    for name in SHORT:
        assert name in done.stdout
    assert set(SHORT) <= set(next(csv.reader(table.read_text().splitlines())))
    chosen = packwise(
        "compare", log, "--policies", "easy", *HALF, "--metrics", "wait", "--json"
    ).json
    assert list(chosen["metrics"]) == ["wait"]


def test_compare_where_a_class_is_empty(packwise, log, tmp_path):
    table = tmp_path / "c.csv"
    command = (
        "compare",
        log,
        "--policies",
        "easy,list-saf",
        *ALL,
        "--metrics",
        "wait,wait_regular",
    )
    done = packwise(*command, "--csv", table)
    assert "–" in done.stdout
    assert "nan" not in done.stdout + table.read_text()
    assert "wait_regular" not in done.stdout.split("Lower is better")[1]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["wait_regular"], row["wait_regular_change_percent"]) for row in rows] == [
        ("", "")
    ] * 2
    answer = packwise(*command, "--json").json
    assert answer["runs"][1]["metrics"]["wait_regular"] is None
    assert answer["runs"][1]["change_percent"]["wait_regular"] is None


def test_promises_where_one_policy_makes_them(packwise, log):
    command = ("compare", log, "--policies", "easy,cbf", "--json", "--metrics")
    easy, cbf = packwise(*command, "wait,promises_broken,promise_gain").json["runs"]
    assert easy["metrics"]["promises_broken"] is None
    assert cbf["metrics"]["promises_broken"] == 0
    assert cbf["metrics"]["promise_gain"] > 0
    assert "promise_gain" in packwise(*command, "all").json["metrics"]
    nobody = packwise(
        "compare", log, "--policies", "easy,list-saf", "--json", "--metrics", "all"
    ).json
    assert "promise_gain" not in nobody["metrics"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "--metrics", "wait,deadline_misses"),
        ("compare", "--metrics", "deadline_misses"),
        ("predict", "--metrics", "deadline_misses"),
        ("replay", "--by", "deadline"),
    ],
)
def test_without_deadlines_the_remedy_is_named(packwise, log, arguments):
    command, *options = arguments
    done = packwise(command, log, *options)
    assert done.status == 2
    said = " ".join(done.stderr.split())
    assert "expected a workload with deadlines, found none in 'small'" in said
    assert "--deadlines 'slack(share=20%)'" in said


def test_without_promises_the_remedy_is_named(packwise, log):
    done = packwise("compare", log, "--policies", "easy,list-saf", "--metrics", "promises_broken")
    assert done.status == 2
    assert "a policy that makes promises" in " ".join(done.stderr.split())


def test_drop_unaffected(packwise, log, tmp_path):
    """The values are those of the library over the jobs that are left; those of the machine do not change."""
    names = ["wait", "limit_stretch", "utilization", "LOC"]
    command = ("compare", log, "--policies", "easy,list-saf", "--metrics", ",".join(names))
    whole = packwise(*command, "--json").json
    part = packwise(*command, "--drop-unaffected", "--json").json
    workload, cluster, *_ = load_workload(log)
    runs = [simulate(workload, cluster, policy(name), Requested()) for name in ("easy", "list-saf")]
    only = affected(workload, [run.schedule for run in runs])
    assert whole["left_out"] == 0
    assert part["left_out"] == int((~only).sum()) > 0
    for run, before, after in zip(runs, whole["runs"], part["runs"], strict=True):
        expected = summarize(workload, cluster, run.schedule, names, only=only)
        assert after["metrics"] == pytest.approx(expected)
        assert after["metrics"]["wait"] > before["metrics"]["wait"]
        assert after["metrics"]["utilization"] == before["metrics"]["utilization"]
        assert after["metrics"]["LOC"] == before["metrics"]["LOC"]
    picture = tmp_path / "c.svg"
    done = packwise(*command, "--drop-unaffected", "--plot", picture)
    said = f"left out: {part['left_out']} of 300 jobs, which have no deadline and start at once under all runs"
    assert said in done.stdout
    assert "utilization, LOC: all jobs" in done.stdout
    assert f"{part['left_out']} jobs left out" in picture.read_text()


def test_drop_unaffected_leaves_fewer_out_where_jobs_have_deadlines(packwise, log):
    command = ("compare", log, "--policies", "easy,cbf", "--drop-unaffected", "--json")
    assert 0 < packwise(*command, *HALF).json["left_out"] < packwise(*command).json["left_out"]
    assert packwise(*command, *ALL).json["left_out"] == 0


def test_dropping_everything_is_refused(packwise, log):
    done = packwise("compare", log, "--policies", "easy", "--count", 1, "--drop-unaffected")
    assert done.status == 2
    said = " ".join(done.stderr.split())
    assert "--drop-unaffected: all 1 jobs" in said
    assert "Leave them in" in said


def test_a_table_keeps_deadlines_and_promises(packwise, log, tmp_path):
    plan = tmp_path / "plan.parquet"
    replayed = packwise("replay", log, "--policy", "cbf", *HALF, "--output", plan, "--json").json
    measured = packwise("metrics", plan, "--procs", 32, "--json").json
    assert measured["metrics"] == pytest.approx(replayed["metrics"])
    assert "promise_gain" in measured["metrics"]
    assert packwise("check", plan, "--procs", 32).status == 0


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study that was run, of workloads with and without deadlines."""
    from typer.testing import CliRunner

    from packwise.cli.app import app

    file = tmp_path_factory.mktemp("study") / "study.toml"
    file.write_text(STUDY)
    done = CliRunner().invoke(app, ["study", "run", str(file), "-w", "1"])
    assert done.exit_code == 0, done.output
    return file


def test_a_study_measures_deadlines_as_standard(packwise, study):
    cells = {
        (cell["workload"], cell["policy"], cell["metric"]): cell["value"]
        for cell in packwise("study", "table", study, "--json").json["cells"]
    }
    assert cells["patient", "easy", "wait_regular"] >= 0
    assert cells["all patient", "easy", "wait_regular"] is None
    assert cells["hurried", "easy", "wait_regular"] is None
    assert cells["hurried", "easy", "wait"] > 0
    assert cells["patient", "easy", "promises_broken"] is None
    assert cells["hurried", "cbf", "promises_broken"] == 0
    more = packwise(
        "study", "table", study, "--metric", "deadline_usage,max_wait_regular", "--json"
    ).json
    assert any(cell["value"] is not None for cell in more["cells"])


def test_a_study_shows_dashes(packwise, study, tmp_path):
    for shown in (
        packwise("study", "table", study).stdout,
        packwise("study", "table", study, "--values", "--markdown", "-").stdout,
        packwise("study", "table", study, "--latex", "-").stdout,
    ):
        assert "nan" not in shown.lower()
    assert "– marks what has no result." in packwise("study", "table", study).stdout
    rows = csv.DictReader(packwise("study", "table", study, "--csv", "-").stdout.splitlines())
    values = [row["value"] for row in rows if row["metric"] == "wait_regular"]
    assert [value == "" for value in values] == [False, False, True, True, True, True]


def test_nothing_is_left_to_run(packwise, study):
    again = packwise("study", "run", study, "--json").json
    assert again["ready_before"] == again["scenarios"] == 6


def test_a_report_of_a_study_where_some_have_no_value(packwise, study, tmp_path):
    page = tmp_path / "report.html"
    done = packwise("report", study, "--output", page)
    assert done.status == 0
    assert "Not compared, for want of results" in page.read_text()
    assert "nan" not in {word.lower() for word in done.stdout.split()}


def test_a_study_without_deadlines_says_why_there_is_nothing(packwise, tmp_path):
    file = tmp_path / "plain.toml"
    start = STUDY.index("[[workload]]")
    hurried = STUDY.rindex("[[workload]]")
    file.write_text(STUDY[:start] + STUDY[hurried:])
    assert packwise("study", "run", file, "-w", 1).status == 0
    done = packwise("study", "table", file, "--metric", "wait_regular")
    assert done.status == 2
    assert "jobs have deadlines" in " ".join(done.stderr.split())
