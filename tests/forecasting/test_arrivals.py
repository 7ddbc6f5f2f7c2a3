"""Those who come later: pieces of the history."""

from __future__ import annotations

import numpy as np

from packwise.forecasting import Arrivals, History
from packwise.forecasting.arrivals import DAY, HOUR, WEEK
from tests.forecasting.small_logs import log_of


def history_of(span, step=HOUR):
    log = log_of([(at, 1, 60, 60) for at in range(0, span, step)])
    return History.of(log, log.submit)


def days(span, now=None, count=3, **given):
    arrivals = Arrivals(history_of(span), **given)
    return arrivals.days(span if now is None else now, count, np.random.default_rng(1))


def test_the_same_hour_of_the_same_weekday():
    now = 10 * WEEK
    for day, (begin, length) in enumerate(days(now)):
        assert length == DAY
        assert (now + day * DAY - begin) % WEEK == 0
        assert begin + DAY <= now


def test_the_last_weeks_only():
    now = 20 * WEEK
    arrivals = Arrivals(history_of(now), weeks=2)
    rng = np.random.default_rng(1)
    begins = {arrivals.days(now, 1, rng)[0][0] for _ in range(50)}
    assert begins == {now - WEEK, now - 2 * WEEK}


def test_the_same_hour_of_any_day_if_the_history_is_short():
    now = 5 * DAY
    for day, (begin, _) in enumerate(days(now)):
        assert (now + day * DAY - begin) % DAY == 0
        assert -1 <= begin <= now - DAY


def test_any_time_if_it_is_shorter_still():
    for begin, length in days(DAY):
        assert length == DAY // 2
        assert begin + length <= DAY


def test_nobody_without_a_history():
    assert days(HOUR - 1, now=HOUR - 1) == []
    assert Arrivals(None).days(0, 5, np.random.default_rng(0)) == []
    places, times = Arrivals(None).jobs(0, [], 100)
    assert len(places) == len(times) == 0


def test_a_piece_is_moved_to_the_future():
    arrivals = Arrivals(history_of(WEEK))
    places, times = arrivals.jobs(WEEK, [(0, DAY), (DAY + 1, DAY)], WEEK + 2 * DAY)
    # The first piece has the hours 1 to 24 of the history, the second those from 25 on, a second later.
    assert places.tolist() == [*range(1, 25), *range(25, 49)]
    assert times[0] == WEEK + HOUR
    assert times[24] == WEEK + DAY + HOUR - 1


def test_a_shorter_future_is_the_beginning_of_a_longer_one():
    arrivals = Arrivals(history_of(WEEK))
    pieces = [(0, DAY), (3 * DAY, DAY)]
    long = arrivals.jobs(WEEK, pieces, WEEK + 2 * DAY)
    short = arrivals.jobs(WEEK, pieces, WEEK + DAY + 5 * HOUR)
    count = len(short[0])
    assert 0 < count < len(long[0])
    assert short[0].tolist() == long[0][:count].tolist()
    assert short[1].tolist() == long[1][:count].tolist()


def test_who_has_not_ended_yet_is_not_known():
    log = log_of([(10, 1, 100, 100), (20, 1, 10_000, 10_000)])
    arrivals = Arrivals(History.of(log, log.submit))
    places, _ = arrivals.jobs(5000, [(0, HOUR)], 9000)
    assert places.tolist() == [0]
