"""Changes that could be chance."""

from __future__ import annotations

import tracemalloc

import numpy as np

from packwise.metrics.chance import change_of_mean

DAY = 86400


def test_a_change_of_every_day_is_sure() -> None:
    submit = np.arange(100) * DAY
    before = np.linspace(100, 200, 100)
    found = change_of_mean(before, 0.5 * before, submit)
    assert found.sure
    assert found.percent == -50
    assert -60 < found.low < -50 < found.high < -40


def test_one_day_that_makes_the_difference_may_be_chance() -> None:
    submit = np.arange(100) * DAY
    before = np.full(100, 100.0)
    after = before - 1 + np.where(np.arange(100) == 7, 1000.0, 0.0)
    found = change_of_mean(before, after, submit)
    assert found.percent is not None
    assert found.percent > 5
    assert not found.sure
    assert found.low < 0 < found.high


def test_jobs_of_one_moment_tell_nothing_of_chance() -> None:
    one = np.ones(5)
    found = change_of_mean(one, 2 * one, np.zeros(5, np.int64))
    assert (found.percent, found.sure) == (100, False)


def test_from_nothing() -> None:
    found = change_of_mean(np.zeros(30), np.ones(30), np.arange(30) * DAY)
    assert found.percent is None
    assert found.sure
    assert not change_of_mean(np.zeros(3), np.ones(3), np.arange(3) * DAY).sure
    assert change_of_mean(np.zeros(3), np.zeros(3), np.arange(3) * DAY).percent == 0


def test_what_one_day_did_is_not_sure() -> None:
    before = np.where(np.arange(50) == 7, 100.0, 0.0)
    found = change_of_mean(before, 0.5 * before, np.arange(50) * DAY)
    assert found.percent == -50
    assert not found.sure


def test_the_same_twice() -> None:
    rng = np.random.default_rng(3)
    before, submit = rng.exponential(100, 500), np.sort(rng.integers(0, 50 * DAY, 500))
    after = before * rng.uniform(0.5, 1.4, 500)
    assert change_of_mean(before, after, submit) == change_of_mean(before, after, submit)


def test_days_without_jobs_say_nothing() -> None:
    rng = np.random.default_rng(4)
    before, submit = rng.exponential(100, 500), np.sort(rng.integers(0, 50 * DAY, 500))
    after = before * rng.uniform(0.5, 1.4, 500)
    later = np.where(submit < 25 * DAY, submit, submit + 1000 * DAY)
    later[0] = submit[0] = 0
    assert change_of_mean(before, after, later) == change_of_mean(before, after, submit)


def test_one_job_of_another_century_takes_no_memory() -> None:
    submit = np.append(np.arange(400) * 3600, 900 * 366 * DAY)
    before = np.full(401, 100.0)
    tracemalloc.start()
    found = change_of_mean(before, 0.5 * before, submit)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.sure
    assert most < 50_000_000


def test_a_job_a_day_for_centuries_takes_little_memory() -> None:
    submit = np.arange(30_000) * DAY
    before = np.full(30_000, 100.0)
    tracemalloc.start()
    found = change_of_mean(before, 0.5 * before, submit)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.percent == -50
    assert most < 100_000_000
