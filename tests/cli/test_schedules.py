from __future__ import annotations

HEAD = "job_id,submit,wait,start,end,runtime,requested_time,demand,user\n"
#: Jobs 1 and 2 need 3 + 2 of 4 processors; they overlap from 5 to 10.
OVERLAP = HEAD + "1,0,0,0,10,10,20,3,1\n2,5,0,5,8,3,9,2,1\n"
FINE = HEAD + "1,0,0,0,10,10,20,3,1\n2,5,5,10,13,3,9,2,1\n"


def test_check_tells_which_job_when_and_by_how_much(packwise, tmp_path):
    plan = tmp_path / "plan.csv"
    plan.write_text(OVERLAP)
    done = packwise("check", plan, "--procs", 4)
    assert done.status == 1
    for word in ("not feasible", "from 5 until 8", "1 more than the 4", "job 2"):
        assert word in done.stdout
    answer = packwise("check", plan, "--procs", 4, "--json").json
    assert answer["feasible"] is False
    assert answer["over_allocated_seconds"] == 3
    assert answer["violations"][0]["job"] == 2
    assert packwise("check", plan, "--procs", 4, "--json").status == 1


def test_check_of_a_feasible_schedule(packwise, tmp_path):
    plan = tmp_path / "plan.csv"
    plan.write_text(FINE)
    done = packwise("check", plan, "--procs", 4)
    assert done.status == 0
    assert "feasible" in done.stdout
    assert "not feasible" not in done.stdout


def test_check_needs_a_machine(packwise, tmp_path):
    plan = tmp_path / "plan.csv"
    plan.write_text(FINE)
    done = packwise("check", plan)
    assert done.status == 2
    assert "--procs" in done.stderr


def test_metrics_by_hand(packwise, tmp_path):
    """Waits 0 and 5; responses 10 and 8."""
    plan = tmp_path / "plan.csv"
    plan.write_text(FINE)
    answer = packwise("metrics", plan, "--procs", 4, "--json").json
    assert answer["metrics"]["wait"] == 2.5
    assert answer["metrics"]["AF"] == 9
    assert "AF" in packwise("metrics", plan, "--procs", 4, "--by", "runtime").stdout


def test_metrics_are_explained(packwise):
    listed = packwise("metrics", "--list").stdout
    for name in ("BSLD", "P2SF", "FST_misses", "Area-weighted response time"):
        assert name in listed
    told = packwise("metrics", "--describe", "awf").stdout
    for word in ("formula", "unit", "SBAC-PAD 2022"):
        assert word in told
    assert packwise("metrics", "--describe", "P1.5SF").status == 0
    done = packwise("metrics", "--describe", "AWG")
    assert done.status == 2
    assert "Did you mean" in done.stderr


def test_metrics_without_anything(packwise):
    done = packwise("metrics")
    assert done.status == 2
    assert "--list" in done.stderr
