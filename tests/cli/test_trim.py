"""--trim: without the jobs that end first or last, said in every table."""

from __future__ import annotations

import pytest

from packwise import Requested, load_workload, simulate, summarize
from packwise.metrics.trimming import Trim
from packwise.registry import policy

NAMES = ("wait", "BSLD", "utilization", "LOC")


@pytest.mark.parametrize("text", ["last", "5%", "5%:arrivals"])
def test_compare(packwise, log, tmp_path, text):
    command = ("compare", log, "--policies", "easy,list-saf", "--metrics", ",".join(NAMES))
    whole = packwise(*command, "--json").json
    part = packwise(*command, "--trim", text, "--by", "size", "--json").json
    assert (whole["trim"], part["trim"]) == (None, text)
    workload, cluster, *_ = load_workload(log)
    counts = []
    for name, before, after in zip(("easy", "list-saf"), whole["runs"], part["runs"], strict=True):
        run = simulate(workload, cluster, policy(name), Requested())
        kept = Trim.of(text).kept(workload, run.schedule)
        counts.append(int((~kept).sum()))
        expected = summarize(workload, cluster, run.schedule, NAMES, only=kept)
        assert after["metrics"] == pytest.approx(expected)
        assert after["metrics"]["LOC"] == before["metrics"]["LOC"]
        assert sum(row["jobs"] for row in part["breakdown"][name]) == int(kept.sum())
    assert part["left_out"] == max(counts)
    picture = tmp_path / "c.svg"
    said = " ".join(packwise(*command, "--trim", text, "--plot", picture).stdout.split())
    assert f"left out of each run: {Trim.of(text).words}: {min(counts)}" in said
    assert "utilization, LOC: all jobs" in said
    assert f"{max(counts)} job{'s' if max(counts) > 1 else ''} left out" in picture.read_text()


def test_metrics(packwise, log, tmp_path):
    plan = tmp_path / "plan.csv"
    packwise("replay", log, "--policy", "easy", "--output", plan)
    command = ("metrics", plan, "--procs", 32, "--by", "size", "--metrics", ",".join(NAMES))
    whole, part = (
        packwise(*command, "--json").json,
        packwise(*command, "--trim", "5%", "--json").json,
    )
    assert (whole["trim"], whole["left_out"]) == (None, 0)
    assert (part["trim"], part["left_out"]) == ("5%", 30)
    assert part["metrics"]["LOC"] == whole["metrics"]["LOC"]
    assert part["metrics"]["BSLD"] != whole["metrics"]["BSLD"]
    assert sum(row["jobs"] for row in part["breakdown"]) == 270
    said = " ".join(packwise(*command, "--trim", "5%").stdout.split())
    assert "left out: the 5 % that end first and the 5 % that end last: 30 of 300 jobs" in said
    assert "metrics of the machine are about all" in said


def test_report(packwise, log, tmp_path):
    page = tmp_path / "report.html"
    command = (
        "report",
        log,
        "--policies",
        "easy,list-saf",
        "--output",
        page,
        "--store",
        tmp_path / "s",
    )
    assert packwise(*command, "--trim", "last").status == 0
    assert "metrics in tables: left out: those that end last" in page.read_text()
    assert packwise(*command).status == 0
    assert "metrics in tables" not in page.read_text()


@pytest.mark.parametrize("command", ["compare", "report", "metrics"])
def test_what_is_no_trim(packwise, log, tmp_path, command):
    done = packwise(command, log, "--trim", "first")
    assert done.status == 2
    said = " ".join(done.stderr.split())
    assert "trim: expected 'last' (those that end last), '1%' (the 1 % that end first," in said
    assert "found 'first'" in said
    assert not list(tmp_path.iterdir())
