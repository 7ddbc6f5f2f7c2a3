"""Run times that are drawn from what like jobs took."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from packwise.forecasting import History, RunTimes, Situation
from packwise.model.errors import InputError
from tests.forecasting.small_logs import log_of, situations

#: Ten jobs of user 1, one after the other, that took 10, 20, ..., 100 s of 200.
TENS = [(1000 * i, 1, 10 * (i + 1), 200) for i in range(10)]


def asked(ran, user=1, limit=200, now=20_000):
    log = log_of([(now - 1000, 1, limit, limit)], [user])
    start = np.array([now - ran if ran else -1])
    return Situation(now, Situation.at(now, log, np.array([-1]), 1).cluster, log, start)


def drawn(history, situation, shares, **given):
    chances = np.array(shares)[:, None]
    return RunTimes(history, **given).draws(situation, chances)[:, 0].tolist()


def test_like_jobs_are_drawn_each_as_often():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    middle = np.arange(0.05, 1, 0.1)
    assert drawn(history, asked(0), middle) == list(range(10, 101, 10))


def test_only_those_who_took_longer():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    assert drawn(history, asked(70), [0.1, 0.5, 0.9]) == [80, 90, 100]


def test_who_outlives_all_may_take_anything():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    found = drawn(history, asked(100), [0.0, 0.5, 0.999])
    assert found == [110, 160, 200]
    assert drawn(history, asked(300), [0.0, 0.9]) == [360, 360]  # beyond its limit: a minute more


def test_without_history_anything_up_to_the_limit():
    assert drawn(None, asked(0), [0.0, 0.45, 0.95]) == [20, 100, 200]


def test_the_last_ones_only():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    assert drawn(history, asked(0), [0.0, 0.99], recent=2) == [90, 100]


def test_who_had_not_ended_is_not_known():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    # At 2030 the third job has ended, at 2029 it has not.
    assert drawn(history, asked(0, now=2030), [0.0, 0.5, 0.99]) == [10, 20, 30]
    assert drawn(history, asked(0, now=2029), [0.0, 0.99]) == [10, 20]


def test_strangers_give_shares_of_the_limit():
    log = log_of(TENS)
    history = History.of(log, log.submit)
    assert drawn(history, asked(0, user=2, limit=400), [0.05, 0.95]) == [20, 200]


def test_like_jobs_count_more():
    """Two like jobs, and eight others of the user: with doubt 2 the two count for a half."""
    jobs = [(1000 * i, 1, 10, 100) for i in range(8)] + [
        (8000 + 1000 * i, 1, 150, 200) for i in range(2)
    ]
    log = log_of(jobs)
    history = History.of(log, log.submit)
    found = drawn(history, asked(0), np.linspace(0, 0.999, 1000), doubt=2.0, recent=8)
    # Alike in all: 2 of 2 + 2, a half; user and limit: a half of what is left. Then shares of limits: two of
    # them 150 of 200, six 10 of 100.
    assert 0.75 <= np.mean(np.array(found) == 150) <= 0.85
    assert set(found) == {20, 150}


@given(situations())
def test_between_what_has_run_and_the_limit(case):
    log, start, situation = case
    history = History.of(log, start)
    chances = np.random.default_rng(0).random((20, len(situation.jobs)))
    found = RunTimes(history).draws(situation, chances)
    assert (found > situation.elapsed).all()
    overdue = situation.elapsed >= situation.jobs.requested_time
    assert (found[:, ~overdue] <= situation.jobs.requested_time[~overdue]).all()


def test_mistakes():
    log = log_of(TENS)
    with pytest.raises(InputError, match="should tell when its jobs started, found no start"):
        History.of(log)
    with pytest.raises(InputError, match="a start for each of the 10 jobs"):
        History.of(log, np.array([1, 2]))
    with pytest.raises(InputError, match="should tell the end of each of its 10 jobs"):
        History(log, log.submit, np.array([1.0]))
