"""What would start a job sooner, in the same futures."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.forecasting import History, Situation, changes, draw_futures, forecast_starts
from packwise.forecasting.changes import Change, worth_it
from packwise.model.errors import InputError
from tests.forecasting.small_logs import log_of

#: Four processors: two are taken until 1000 s, the job of two behind needs four.
QUEUE = {
    "id": [1, 2, 3],
    "submit": [0, 10, 20],
    "start": [0, -1, -1],
    "demand": [2, 4, 2],
    "limit": [1000, 1000, 2000],
    "user": [1, 1, 2],
}


def futures(history=None, **change):
    return draw_futures(Situation.of(50, 4, {**QUEUE, **change}), history, count=20)


def test_half_of_the_processors_start_at_once():
    found = changes(futures(), 2)
    # It starts at once for as long as for longer: the one that asks for time enough is enough.
    assert [one.words for one in found] == ["with half its processors, for 2 times as long"]
    assert (found[0].start, found[0].certainty) == (50, 1.0)
    assert found[0].gain > 0
    assert (found[0].demand, found[0].given_up) == (2, 0.5)
    every = changes(futures(), 2, useless=True)
    assert len(every) >= 4
    assert [one.given_up for one in every] == sorted(one.given_up for one in every)


def test_a_shorter_limit_is_cheaper_than_fewer_processors():
    """Job 3 would fit beside job 1 if it ended before job 2 starts; its like took 100 s."""
    log = log_of([(i, 2, 100, 2000) for i in range(10)], [2] * 10)
    history = History.of(log, log.submit)
    situation = Situation.of(50_000, 4, _later(QUEUE, 49_950))
    drawn = draw_futures(situation, history, count=20, horizon=0)
    found = changes(drawn, 3)
    assert found[0].given_up == 0
    assert found[0].risk == 0
    assert "limit" in found[0].words
    assert found[0].start == 50_000
    assert found[0].limit <= 950
    words = [one.words for one in changes(drawn, 3, useless=True)]
    assert "with a limit just above what such jobs take" in words


def _later(queue, by):
    moved = {name: [one + by for one in queue[name]] for name in ("submit",)}
    start = [one + by if one >= 0 else -1 for one in queue["start"]]
    return {**queue, **moved, "start": start}


def change(words, given_up, gain):
    return Change(words, 1, 60, 0, gain, 1.0, given_up, 0.0)


@pytest.mark.parametrize(
    ("gains", "kept"),
    [
        ([100, 100, 104, 105], [0]),  # equal, but for a few per cent
        ([100, 106, 106, 111], [0, 1]),
        ([0, -5, 7, 20], [2, 3]),
        ([100, 90, 200, 210], [0, 2]),
        ([0, 0, 0, 0], []),
    ],
)
def test_a_dearer_change_has_to_gain_more(gains, kept):
    found = [change(str(k), (0.5, 0.5, 0.75, 0.75)[k], gain) for k, gain in enumerate(gains)]
    assert worth_it(found) == [found[k] for k in kept]


def test_each_future_is_a_step():
    steps = []
    every = changes(
        futures(), 2, useless=True, step=lambda done, total: steps.append((done, total))
    )
    total = 20 * (1 + len(every))
    assert steps == [(done, total) for done in range(1, total + 1)]
    calls = []
    forecast_starts(futures().situation, count=7, step=lambda: calls.append(1))
    assert len(calls) == 7


def test_nothing_helps_who_starts_at_once():
    assert changes(futures(start=[-1, -1, -1], demand=[1, 1, 1]), 2) == []


def test_others_keep_their_draws():
    """What is replayed differs by the job that asks for less, and by nothing else."""
    drawn = futures()
    before = drawn.runtime.copy()
    changes(drawn, 2)
    assert (drawn.runtime == before).all()
    assert (drawn.starts(wanted=[1]) == drawn.starts(wanted=[1])).all()
    assert np.array_equal(changes(drawn, 2), changes(drawn, 2))


def test_a_job_that_does_not_wait():
    with pytest.raises(InputError, match="job 1, which runs already"):
        changes(futures(), 1)
