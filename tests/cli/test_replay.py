from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Requested, load_workload, simulate, summarize
from packwise.registry import policy

pytestmark = pytest.mark.usefixtures("untried")

OF_ESTIMATES = ("R2", "MAE", "underpredicted")

CLASS = """
from packwise import Decision

class Mine:
    '''Takes what fits.'''
    name = "mine"

    def decide(self, view):
        free, start = view.free, []
        for job in view.queue:
            if view.demand[job] <= free:
                start.append(int(job))
                free -= int(view.demand[job])
        return Decision(start=start)
"""
FUNCTION = """
from packwise import Decision

def mine(view):
    free, start = view.free, []
    for job in view.queue:
        if view.demand[job] <= free:
            start.append(int(job))
            free -= int(view.demand[job])
    return Decision(start=start)
"""
ORDER = """
from packwise import order_key

@order_key
def mine(demand, estimate):
    return demand * estimate
"""


def test_json_is_all_there_is_on_stdout(packwise, log):
    answer = packwise("replay", log, "--policy", "easy", "--json").json
    assert {"policy", "estimate", "workload", "jobs", "rejected", "seconds", "metrics"} <= set(
        answer
    )
    assert answer["policy"] == "easy"
    assert answer["estimate"] == "requested"
    assert answer["jobs"] == 300
    assert answer["rejected"] == 0


def test_the_numbers_are_those_of_the_library(packwise, log):
    workload, cluster, _, _ = load_workload(log)
    run = simulate(workload, cluster, policy("easy-sjbf"), Requested())
    expected = summarize(workload, cluster, run.schedule)
    answer = packwise("replay", log, "--policy", "easy-sjbf", "--json").json
    assert answer["metrics"] == pytest.approx(expected)


def test_metrics_and_breakdown_and_fairness(packwise, log):
    answer = packwise("replay", log, "--metrics", "BSLD,wait_p95", "--by", "size", "--json").json
    assert list(answer["metrics"]) == ["BSLD", "wait_p95"]
    assert sum(row["jobs"] for row in answer["breakdown"]) == 300
    answer = packwise("replay", log, "--metrics", "AF", "--fairness", "--json").json
    assert list(answer["metrics"]) == ["AF", "FST_misses", "FST_mean_miss", "FST_gold", "jain"]


def test_the_table_names_metrics_and_counts(packwise, log):
    done = packwise("replay", log, "--policy", "list-saf", "--by", "user")
    assert done.status == 0
    for word in ("BSLD", "lower", "P2SF", "300 jobs ran", "0 rejected", "jobs/s", "By user"):
        assert word in done.stdout


def test_wide_jobs_are_counted_as_rejected(packwise, log):
    workload, _, _, _ = load_workload(log)
    wide = int((workload.demand > 16).sum())
    assert wide > 0
    answer = packwise("replay", log, "--procs", 16, "--json").json
    assert answer["rejected"] == wide == answer["cleaning"]["dropped_wide"]
    assert answer["jobs"] == 300 - wide
    assert f"wider than the machine: {wide}" in packwise("replay", log, "--procs", 16).stdout


def test_jobs_that_a_policy_refuses_are_counted(packwise, log, tmp_path):
    file = tmp_path / "picky.py"
    file.write_text(
        "from packwise import Decision\n"
        "def picky(view):\n"
        "    job = int(view.queue[0]) if len(view.queue) else None\n"
        "    return Decision() if job is None else (\n"
        "        Decision(reject=[job]) if job % 2 else Decision(start=[job])\n"
        "        if view.demand[job] <= view.free else Decision(wake_at=view.now + 60))\n"
    )
    answer = packwise("replay", log, "--policy", f"{file}:picky", "--count", 20, "--json").json
    assert answer["jobs"] + answer["rejected"] == 20
    assert answer["rejected"] > 0


@pytest.mark.parametrize("suffix", [".swf", ".swf.gz", ".csv", ".parquet"])
def test_the_schedule_can_be_written_checked_and_measured(packwise, log, tmp_path, suffix):
    plan = tmp_path / f"plan{suffix}"
    answer = packwise("replay", log, "--output", plan, "--json").json
    assert packwise("check", plan, "--procs", 32).status == 0
    measured = packwise("metrics", plan, "--procs", 32, "--json").json
    expected = answer["metrics"]
    if "swf" in suffix:  # it has no field for estimates
        expected = {name: expected[name] for name in expected if name not in OF_ESTIMATES}
    assert measured["metrics"] == pytest.approx(expected)


def test_batsim_format(packwise, log, tmp_path):
    plan = tmp_path / "jobs.csv"
    assert packwise("replay", log, "--output", plan, "--format", "batsim").status == 0
    assert "submission_time" in plan.read_text().splitlines()[0]
    assert packwise("check", plan, "--procs", 32).status == 0


def test_windows_and_changes(packwise, log):
    workload, _, _, _ = load_workload(log)
    since = workload.submit - workload.submit[0]
    jobs = int(((since >= 3600) & (since < 2 * 86400)).sum())
    assert packwise("replay", log, "--from", "1h", "--until", "2d", "--json").json["jobs"] == jobs
    assert packwise("replay", log, "--first", 10, "--count", 50, "--json").json["jobs"] == 50
    plain = packwise("replay", log, "--json").json["metrics"]["wait"]
    dense = packwise("replay", log, "--scale-load", "1.5", "--json").json["metrics"]["wait"]
    assert dense > plain
    words = packwise("replay", log, "--shake", 3, "--shake-seconds", 30).stdout
    assert "submissions shaken by up to 30 s, seed 3" in words


def test_estimates(packwise, log):
    answer = packwise("replay", log, "--estimate", "exact*1.5", "--json").json
    assert answer["estimate"] == "exact*1.5"


@pytest.mark.parametrize(("source", "name"), [(CLASS, "Mine"), (FUNCTION, "mine"), (ORDER, "mine")])
def test_a_policy_from_a_file(packwise, log, tmp_path, source, name):
    file = tmp_path / "my.py"
    file.write_text(source)
    answer = packwise("replay", log, "--policy", f"{file}:{name}", "--json").json
    assert answer["jobs"] == 300
    like = "list-saf" if source is ORDER else "fcfs-aggressive"
    expected = packwise("replay", log, "--policy", like, "--json").json
    assert answer["metrics"] == pytest.approx(expected["metrics"])


def test_the_plot_is_a_picture(packwise, log, tmp_path, sketched):
    picture = tmp_path / "run.png"
    assert packwise("replay", log, "--plot", picture).status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_table_written_by_packwise_can_be_replayed(packwise, log, tmp_path):
    table = tmp_path / "small.parquet"
    assert packwise("workload", "convert", log, table).status == 0
    from_table = packwise("replay", table, "--procs", 32, "--json").json
    assert from_table["metrics"] == packwise("replay", log, "--json").json["metrics"]


@pytest.mark.shared
def test_a_real_trace(packwise, shared):
    answer = packwise("replay", shared / "traces" / "KTH-SP2.swf.gz", "--json").json
    assert answer["jobs"] == 28481
    assert all(np.isfinite(value) for value in answer["metrics"].values())
    assert Cluster.pool(answer["procs"]).procs == 100


def test_a_log_that_loses_most_of_its_jobs_is_warned_about(tmp_path, packwise):
    log = tmp_path / "thin.swf"
    job = "{0} {0} 0 10 1 -1 -1 1 {1} -1 1 1 1 -1 -1 -1 -1 -1\n"
    log.write_text(
        "; MaxProcs: 4\n" + "".join(job.format(i, 20 if i < 3 else -1) for i in range(1, 7))
    )
    answer = packwise("replay", log)
    assert answer.status == 0
    assert "67% of the jobs were dropped (4 of 6)" in answer.stderr
    assert "--missing-limit runtime" in answer.stderr
