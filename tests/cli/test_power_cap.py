"""Power caps and nodes that sleep, on the command line and in studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lanes import broad

CAPPED = f"""
name = "capped"
[cap]
unit = "W"
hours = {[290] * 8 + [200] * 10 + [290] * 6}
[machine]
idle_watts_per_core = 2
"""
SLEEPY = """
name = "sleepy"
[machine]
idle_watts_per_core = 4
[sleep]
after = "10m"
boot_time = "3m"
"""


@pytest.fixture
def capped(tmp_path) -> Path:
    path = tmp_path / "capped.toml"
    path.write_text(CAPPED)
    return path


def test_all_policies_of_a_table_have_the_same_jobs(packwise, log, capped):
    names = "easy,easy(power_cap=on),cbf(power_cap=on),packwise(power_cap=on,budget=5)"
    given = "compare", log, "--policies", names, "--energy", capped, "--metrics", "wait,over_cap"
    answer = packwise(*given, "--json").json
    assert answer["dropped_power"] > 0
    assert answer["jobs"] + answer["dropped_power"] == 300
    rows = {run["policy"]: run for run in answer["runs"]}
    assert len({run["jobs"] for run in rows.values()}) == 1
    assert rows.pop("easy")["metrics"]["over_cap"] > 0
    assert all(run["metrics"]["over_cap"] == 0 for run in rows.values())
    words = packwise(*given).stdout
    assert "jobs, which easy(power_cap=on) could never run (job " in " ".join(words.split())


def test_a_replay_rejects_who_never_could_run(packwise, log, capped):
    given = "replay", log, "--policy", "easy(power_cap=on)", "--energy", capped
    answer = packwise(*given, "--json").json
    assert answer["rejected"] > 0
    assert answer["jobs"] + answer["rejected"] == 300
    assert "could never run" in " ".join(packwise(*given).stdout.split())
    low = packwise(*given[:3], "easy(power_cap=65W)", *given[4:])
    assert low.status == 2
    assert "Raise the cap" in low.stderr


@pytest.mark.parametrize("name", broad(["easy(power_cap=on)", "packwise(power_cap=on,budget=5)"]))
def test_who_waits_for_power(packwise, log, capped, tmp_path, sketched, name):
    picture = tmp_path / "plan.png"
    given = "explain", log, "--policy", name, "--energy", capped, "--count", 150
    answer = packwise(*given, "--json").json
    waits = [job for job in answer["queue"] if job["status"] == "no power"]
    assert waits
    for job in waits:
        assert "W more than its cores idle" in job["why"]
        assert set(job["power"]) == {"draws", "left"}
    done = packwise(*given, "--plot", picture)
    assert done.status == 0
    assert "Under the power cap" in done.stdout
    assert picture.exists()
    refused = packwise(*given, "--cp", 1)
    assert refused.status == 2
    assert "without a power cap only" in refused.stderr


def test_who_waits_for_nodes_to_boot(packwise, log, tmp_path):
    sleepy = tmp_path / "sleepy.toml"
    sleepy.write_text(SLEEPY)
    done = packwise("replay", log, "--policy", "easy", "--energy", sleepy)
    assert "300 job(s) waited for some to boot, up to 3.0 min" in " ".join(done.stdout.split())
    done = packwise("compare", log, "--policies", "easy,packwise(budget=5)", "--energy", sleepy)
    assert "packwise(budget=5): nodes sleep" in done.stdout


def test_a_study_tells_who_was_left_out(packwise, capped):
    study = capped.parent / "study.toml"
    study.write_text(
        f"""metrics = ["wait", "over_cap"]
        [[workload]]
        generate = {{ jobs = 120, procs = 32, load = 1.0 }}
        [[machine]]
        energy = "{capped.name}"
        [[policy]]
        name = "easy"
        [[policy]]
        name = "easy"
        power_cap = "on"
        """
    )
    done = packwise("study", "run", study)
    assert done.status == 0, done.stderr
    table = packwise("study", "table", study, "--metric", "over_cap")
    assert table.status == 0, table.stderr
    assert "easy(power_cap=on)" in table.stdout
    assert "rejected" in table.stdout + table.stderr
