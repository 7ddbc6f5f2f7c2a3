"""Runs that are killed, and two at once: nothing is lost but what was in flight, nothing is damaged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from packwise.experiments.execution import make_plan
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study

STUDY = """
policies = ["easy", "list-reg", "list-saf", "list-laf", "cbf"]
estimates = ["exact", "requested"]
[[workload]]
generate = { jobs = 300, procs = 64, load = 1.0, seeds = [1, 2, 3, 4] }
"""
SCENARIOS = 40


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def start(study: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "packwise", "study", "run", str(study), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def results(study: Path) -> int:
    folder = study.parent / "packwise-results" / "results"
    return len(list(folder.rglob("*.json"))) if folder.exists() else 0


def gone(group: int) -> bool:
    """Whether no process of a group is left, after a moment."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def assert_whole(study: Path) -> None:
    """All results are there, none is damaged, and each schedule has its checksum."""
    read = read_study(study)
    store = Store.open(read.store)
    plan = make_plan(read, store)
    assert (plan.ready, plan.planned, plan.troubles) == (SCENARIOS, (), ())
    for scenario in read.scenarios:
        store.schedule(scenario.key)


@pytest.mark.parametrize("whom", ["the parent", "everybody"])
def test_killed_at_any_moment(study, whom):
    """kill -9, again and again; each start goes on where the last one was."""
    moments = random.Random(7)
    for _ in range(3):
        before = results(study)
        process = start(study)
        deadline = time.monotonic() + 60
        wanted = before + moments.randint(1, 6)
        while results(study) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        if whom == "everybody":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert results(study) >= before
        store = Store.open(study.parent / "packwise-results")
        assert store.survey()[1] == []
    kept = results(study)
    assert 0 < kept < SCENARIOS
    last = start(study)
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    assert f"{kept} were in the store" in out
    assert_whole(study)


def test_two_runs_on_one_store(study):
    first, second = start(study), start(study)
    for process in (first, second):
        _, err = process.communicate(timeout=180)
        assert process.returncode == 0, err
    assert_whole(study)


def test_interrupt(study):
    """Ctrl-C: soon over, exit status 130, no worker left, and the next start goes on."""
    process = start(study)
    deadline = time.monotonic() + 60
    while results(study) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert gone(process.pid)
    again = start(study)
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert_whole(study)
