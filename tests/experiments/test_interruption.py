"""Runs that are killed, and two at once: nothing is lost but what was in flight, nothing is damaged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from packwise.experiments.execution import make_plan
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study
from tests.experiments.tasks import PATIENCE, wait_until

STUDY = """
policies = ["mine.py:easy", "mine.py:reg", "mine.py:saf", "mine.py:laf", "mine.py:cbf"]
estimates = ["exact", "requested"]
[[workload]]
generate = { jobs = 300, procs = 64, load = 1.0, seeds = [1, 2, 3] }
"""
SCENARIOS = 30
#: Nothing begins while there are more results than allowed, so that a run is not over before it is killed,
#: however fast the machine is.
MINE = """
import pathlib, time
folder = pathlib.Path({folder!r})
results = folder / "packwise-results" / "results"
while len(list(results.rglob("*.json"))) >= int((folder / "allowed").read_text()):
    time.sleep(0.02)

from packwise.registry import policy
easy, reg, saf, laf, cbf = map(policy, ("easy", "list-reg", "list-saf", "list-laf", "cbf"))
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    (tmp_path / "mine.py").write_text(MINE.format(folder=str(tmp_path)))
    allow(path, 10**6)
    return path


def allow(study: Path, results: int) -> None:
    """Let runs go on until there are about so many results."""
    new = study.parent / "allowed.new"
    new.write_text(str(results))
    new.replace(study.parent / "allowed")


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


def enough(study: Path, wanted: int) -> bool:
    return results(study) >= wanted


def gone(group: int) -> bool:
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def assert_whole(study: Path) -> None:
    """All results are there, none is damaged, and each schedule has its checksum."""
    read = read_study(study)
    store = Store.open(read.store)
    plan = make_plan(read, store)
    assert (plan.ready, plan.planned, plan.troubles) == (SCENARIOS, (), ())
    for scenario in read.scenarios:
        store.schedule(scenario.key)


@pytest.mark.kills
@pytest.mark.parametrize("whom", ["everybody", "the parent"])
def test_killed_at_any_moment(study, whom):
    """kill -9, again and again; each start goes on where the last one was."""
    moments = random.Random(7)
    for _ in range(3):
        before = results(study)
        wanted = before + moments.randint(1, 2)
        allow(study, wanted + 1)
        process = start(study)
        wait_until(partial(enough, study, wanted), f"there are {wanted} results")
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
    allow(study, 10**6)
    last = start(study)
    out, err = last.communicate(timeout=PATIENCE)
    assert last.returncode == 0, err
    assert f"{kept} were in the store" in out
    assert_whole(study)


@pytest.mark.kills
def test_two_runs_on_one_store(study):
    first, second = start(study), start(study)
    for process in (first, second):
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    assert_whole(study)


@pytest.mark.kills
def test_interrupt(study):
    """Ctrl-C: soon over, exit status 130, no worker left, and the next start goes on."""
    allow(study, 4)
    process = start(study)
    wait_until(partial(enough, study, 2), "there are 2 results")
    os.killpg(process.pid, signal.SIGINT)
    allow(study, 10**6)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    wait_until(partial(gone, process.pid), "no worker is left")
    again = start(study)
    again.communicate(timeout=PATIENCE)
    assert again.returncode == 0
    assert_whole(study)
