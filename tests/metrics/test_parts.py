"""Metrics without each part of a log."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.metrics.catalogue import chosen_metric, summarize
from packwise.metrics.parts import log_parts, parts_of, values_by_parts
from packwise.model.cluster import Cluster
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Workload
from packwise.registry import policy
from packwise.simulation import simulate
from packwise.workloads.lublin import generate

DAY = 86400


def jobs(submit: np.ndarray) -> Workload:
    n = len(submit)
    return Workload("w", np.arange(n), submit, np.full(n, 60), np.full(n, 60), np.ones(n, np.int64))


def test_parts_are_whole_days_of_a_long_log() -> None:
    submit = np.arange(90 * 4) * DAY // 4  # 90 days of four jobs
    part = log_parts(submit)
    assert part.max() + 1 == 30
    assert np.bincount(part).tolist() == [12] * 30  # three days each
    assert (np.diff(part) >= 0).all()


def test_parts_of_a_short_log_are_twentieths() -> None:
    part = log_parts(np.arange(200) * 60)
    assert part.max() + 1 == 20
    assert set(np.bincount(part).tolist()) == {10}
    assert log_parts(np.zeros(5, np.int64)).tolist() == [0] * 5


def test_days_without_jobs_are_no_parts() -> None:
    submit = np.array([0, 1, 100]) * DAY
    assert log_parts(submit).tolist() == [0, 0, 1]


def test_parts_are_long_beside_the_waits() -> None:
    workload = jobs(np.arange(400) * 600)  # three days
    at_once = Schedule(workload.submit, workload.submit + 60)
    assert parts_of(workload, at_once).max() + 1 == 20
    later = Schedule(workload.submit + 7200, workload.submit + 7260)
    assert parts_of(workload, later).max() + 1 == 9  # of eight hours
    much_later = Schedule(workload.submit + DAY, workload.submit + DAY + 60)
    assert parts_of(workload, much_later) is None
    never = Schedule(np.full(400, NEVER), np.full(400, NEVER))
    assert parts_of(workload, never) is None


def test_by_hand() -> None:
    """Twenty parts of one job: of a mean, the pseudo-values are the values."""
    workload = jobs(np.arange(20) * DAY)
    wait = np.arange(20) ** 2
    schedule = Schedule(workload.submit + wait, workload.submit + wait + 60)
    found = values_by_parts(workload, Cluster.pool(4), schedule, ["wait", "AF"], np.arange(20))
    assert found["wait"] == pytest.approx(wait)
    assert found["AF"] == pytest.approx(wait + 60)


def test_their_mean_is_the_metric() -> None:
    workload = generate(400, 64, 3, load=0.9)
    run = simulate(workload, Cluster.pool(64), policy("easy"))
    names = ["BSLD", "AWF", "P2SF", "wait_p90"]
    part = log_parts(workload.submit)
    whole = summarize(workload, 64, run.schedule, names)
    found = values_by_parts(workload, Cluster.pool(64), run.schedule, names, part)
    assert {name: column.mean() for name, column in found.items()} == pytest.approx(whole)
    assert {len(column) for column in found.values()} == {int(part.max()) + 1}


def test_what_parts_cannot_tell_is_left_out() -> None:
    workload = jobs(np.arange(20) * DAY)
    schedule = Schedule(workload.submit, workload.submit + 60)
    names = ["utilization", "makespan", "users_worse", "max_wait", "max_stretch", "wait"]
    part = np.arange(20)
    assert list(values_by_parts(workload, Cluster.pool(4), schedule, names, part)) == ["wait"]
    assert values_by_parts(workload, Cluster.pool(4), schedule, ["utilization"], part) == {}


def test_too_few_parts_tell_nothing() -> None:
    workload = jobs(np.arange(7) * DAY)
    assert parts_of(workload, Schedule(workload.submit, workload.submit + 60)) is None


def test_jobs_that_never_ran_make_no_part() -> None:
    workload = jobs(np.arange(20) * DAY)
    start, end = workload.submit.copy(), workload.submit + 60
    start[5:15], end[5:15] = NEVER, NEVER
    schedule = Schedule(start, end)
    found = values_by_parts(workload, Cluster.pool(4), schedule, ["wait"], np.arange(20))
    assert len(found["wait"]) == 10


def test_a_metric_that_needs_all_jobs_has_no_parts(tmp_path) -> None:
    """It raises where the first job is missing; the others are measured all the same."""
    mine = tmp_path / "mine.py"
    mine.write_text("def first(jobs):\n    return jobs.wait[jobs.submit == 0][0]\n")
    workload = jobs(np.arange(20) * DAY)
    schedule = Schedule(workload.submit + 5, workload.submit + 65)
    name = chosen_metric(f"{mine}:first").name
    found = values_by_parts(workload, Cluster.pool(4), schedule, [name, "wait"], np.arange(20))
    assert list(found) == ["wait"]
