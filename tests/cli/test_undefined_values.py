"""What has no value is a dash, null or an empty cell: never a number that means nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from packwise import Schedule, Workload, summarize
from packwise.metrics.estimation import determination
from packwise.workloads.schedule_files import write_schedule

NAMES = "R2,promise_gain"


@pytest.mark.parametrize("constant", [1, 7, 999_999_999_989, 2**40 - 1, 2**40])
@pytest.mark.parametrize("count", [1, 2, 3, 9001, 9003])
def test_equal_run_times_have_no_r2(constant: int, count: int) -> None:
    """The mean of 9,001 times 2^40 - 1 is off by a ten-thousandth once rounded: R² was -1,677,721,599."""
    runtime = np.full(count, float(constant))
    assert math.isnan(determination(runtime, np.full(count, 5.0)))


def test_nearly_equal_run_times_have_one() -> None:
    runtime = np.array([2.0**40 - 1] * 5000 + [2.0**40 - 2] * 5000)
    assert determination(runtime, np.zeros(10_000)) == 1
    assert determination(runtime, np.full(10_000, 0.5)) == pytest.approx(0, abs=1e-6)


def plan(tmp_path, runtime: int, count: int, promised: int):
    """Equal jobs at once, told their limits, on a machine that has room for all of them."""
    jobs = Workload.of([(0, 1, runtime, runtime + 5)] * count, "equal")
    start = np.zeros(count, np.int64)
    schedule = Schedule(start, start + runtime, jobs.requested_time, np.full(count, promised))
    path = tmp_path / "equal.parquet"
    write_schedule(path, jobs, count, schedule)
    return path


@pytest.mark.parametrize(("runtime", "count"), [(10, 1), (10, 4), (2**39 + 1, 20_001)])
def test_on_the_terminal_and_in_json(packwise, tmp_path, runtime: int, count: int) -> None:
    path = plan(tmp_path, runtime, count, -1)
    lines = packwise("metrics", path, "--metrics", NAMES).stdout.splitlines()
    shown = {
        line.split()[0]: line.split()[1] for line in lines if line.startswith(("R2", "promise"))
    }
    assert shown == {"R2": "–", "promise_gain": "–"}
    assert packwise("metrics", path, "--metrics", NAMES, "--json").json["metrics"] == {
        "R2": None,
        "promise_gain": None,
    }


def test_a_comparison_of_nothing(packwise, tmp_path) -> None:
    """No value, no change, no best, no word."""
    log = tmp_path / "log.swf"
    row = "{} 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
    log.write_text("; MaxProcs: 4\n" + "".join(row.format(i) for i in range(1, 9)))
    table = tmp_path / "t.csv"
    command = ("compare", log, "-p", "easy,list-saf", "--metrics", "R2,wait", "--csv", table)
    answer = packwise(*command, "--json").json
    for run in answer["runs"]:
        assert run["metrics"]["R2"] is None
        assert run["change_percent"]["R2"] is None
    assert "R2" not in answer["summary"]
    head, *rows = (line.split(",") for line in table.read_text().splitlines())
    assert [row[head.index("R2")] for row in rows] == ["", ""]
    assert [row[head.index("R2_change_percent")] for row in rows] == ["", ""]
    assert "–" in packwise(*command).stdout
    judged = packwise("predict", log, "-e", "last2", "--json").json["policies"][0]["accuracy"]
    assert [one["r2"] for one in judged] == [None, None]


@pytest.mark.parametrize("cell", ["3", "-5", "99"])
def test_a_promise_before_the_submission_is_none(packwise, tmp_path, cell: str) -> None:
    path = tmp_path / "s.csv"
    head = "job_id,submit,wait,start,end,runtime,requested_time,demand,promised_start"
    path.write_text(f"{head}\n1,100,0,100,110,10,20,1,100\n2,100,0,100,110,10,20,1,{cell}\n")
    done = packwise("metrics", path, "--procs", 4, "--metrics", "promise_gain")
    assert done.status == 2
    assert (
        "line 3: expected in column 'promised_start' -1 or a time from the submission at 100 s on, "
        f"found '{cell}'. Write -1 for a job that was promised nothing."
    ) in done.stderr


def test_one_promise_is_a_mean_of_one() -> None:
    jobs = Workload.of([(0, 1, 10, 20), (0, 1, 10, 20)])
    schedule = Schedule([5, 5], [15, 15], promised=[7, -1])
    assert summarize(jobs, 4, schedule, ["promise_gain"]) == {"promise_gain": 2.0}
