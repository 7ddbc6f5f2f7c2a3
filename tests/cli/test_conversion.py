"""packwise workload convert: nothing that the product reads gets lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise import load_workload
from tests.workloads.small_log import LOG, SUFFIXES

pytestmark = pytest.mark.usefixtures("untried")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.1.swf"
    path.write_text(LOG)
    return path


@SUFFIXES
def test_the_command_there_and_back(packwise, log: Path, tmp_path: Path, suffix: str) -> None:
    """What a predictor says is the same, and the log that comes back has the header it had."""
    table, back = tmp_path / f"small.1.{suffix}", tmp_path / "small.1.back.swf"
    done = packwise("workload", "convert", log, table)
    assert (done.status, done.stderr) == (0, "")
    assert packwise("workload", "convert", table, back).status == 0
    for line in LOG.splitlines()[:6]:
        assert line in back.read_text().splitlines()
    first, last = load_workload(log).workload, load_workload(back).workload
    for name in ("id", "wait", "queue", "partition", "app", "group", "status", "think_time"):
        columns = [
            one.extra[name] if name in one.extra else getattr(one, name) for one in (first, last)
        ]
        assert columns[0].tolist() == columns[1].tolist()
    assert (last.start_time, last.time_zone) == (first.start_time, first.time_zone)
    answers = [
        packwise("predict", path, "-e", "last2,hierarchy,sp-2%,knn,data-driven", "--json").json
        for path in (log, table)
    ]
    for answer in answers:
        for run in answer["policies"][0]["effect"]["runs"]:
            del run["seconds"]
    assert answers[0] == answers[1]


def test_losses_are_told_on_the_terminal(packwise, log: Path, tmp_path: Path) -> None:
    table, plan = tmp_path / "due.csv", tmp_path / "plan.swf"
    assert packwise("workload", "convert", log, table, "--deadlines", "slack").status == 0
    done = packwise("replay", table, "--output", plan)
    assert "warning: " in done.stderr
    assert "the deadlines of 3 jobs are not in this file" in done.stderr
    done = packwise("replay", table, "--output", tmp_path / "jobs.csv", "--format", "batsim")
    assert (
        "not in this file: user, group, app, queue, status, used_procs, cpu_time, used_memory, "
        "requested_procs, requested_memory, partition, preceding_job, think_time, names of queues, the date "
        "of the log"
    ) in done.stderr
