"""Who runs and who waits at one moment."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster
from packwise.forecasting import Situation
from packwise.model.errors import InputError
from tests.forecasting.small_logs import log_of

QUEUE = {
    "id": [7, 5, 6],
    "submit": [30, 10, 20],
    "start": [-1, 12, -1],
    "demand": [1, 2, 3],
    "limit": [100, 200, 300],
}


def test_at_a_moment_of_a_log():
    log = log_of([(0, 1, 10, 10), (5, 1, 50, 60), (20, 2, 30, 40), (40, 1, 5, 5)])
    found = Situation.at(30, log, np.array([0, 10, 60, 90]), 2)
    assert found.jobs.id.tolist() == [2, 3]
    assert found.start.tolist() == [10, -1]
    assert found.elapsed.tolist() == [20, 0]
    assert (found.running.tolist(), found.waiting.tolist()) == ([0], [1])


def test_what_nobody_knows_yet_is_not_in_it():
    log = log_of([(0, 1, 10, 100), (5, 1, 50, 60)])
    log = log.replace(extra={"wait": np.array([0, 10]), "partition": np.array([1, 2])})
    found = Situation.at(6, log, np.array([0, 15]), 1)
    assert found.jobs.runtime.tolist() == [100, 60]
    assert list(found.jobs.extra) == ["partition"]


def test_before_anybody_is_started_at_that_moment():
    log = log_of([(0, 1, 10, 10), (10, 1, 5, 5)])
    start = np.array([0, 10])
    assert Situation.at(10, log, start, 1).running.tolist() == [0]
    undecided = Situation.at(10, log, start, 1, undecided=True)
    assert undecided.jobs.id.tolist() == [2]
    assert undecided.waiting.tolist() == [0]


def test_from_columns_in_any_order():
    found = Situation.of(40, Cluster.pool(4), QUEUE)
    assert found.jobs.id.tolist() == [5, 6, 7]
    assert found.start.tolist() == [12, -1, -1]
    assert found.place(7) == 2


def test_in_the_order_of_priorities():
    found = Situation.of(40, 4, QUEUE).in_order_of([0, 1, 9])
    order = found.jobs.id[found.waiting].tolist()
    assert order == [7, 6]
    assert (np.diff(found.jobs.submit[found.waiting]) > 0).all()
    assert found.jobs.demand[found.waiting].tolist() == [1, 3]


def test_priorities_of_jobs_that_came_at_the_same_time():
    at_once = {**QUEUE, "submit": [0, 0, 0], "start": [-1, -1, -1]}
    found = Situation.of(40, 4, at_once).in_order_of([1, 2, 3])
    assert found.jobs.id.tolist() == [7, 6, 5]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": [-1, 50, -1]}, r"at 40 should have jobs started by then, found job 5 at 50"),
        ({"submit": [41, 10, 20]}, r"submitted by then, found job 7 at 41"),
        ({"start": [-1, 9, -1]}, r"job 5 should start after its submission at 10, found 9"),
        ({"start": [-1.0, 12.0, -1.0]}, r"a whole number"),
        ({"limit": [0, 200, 300]}, r"between 1 and"),
        ({"demand": [1, 2]}, r"3 values in each column, found shape \(2,\) in 'demand'"),
        ({"extra": {"qos": [1]}}, r"3 values in each column, found shape \(1,\) in 'qos'"),
        ({"colour": [1, 2, 3]}, r"should have the columns id, submit, start, demand, limit"),
    ],
)
def test_mistakes(change, words):
    with pytest.raises(InputError, match=words):
        Situation.of(40, 4, {**QUEUE, **change})


def test_other_mistakes():
    with pytest.raises(InputError, match="found id, submit"):
        Situation.of(40, 4, {"id": [1], "submit": [0]})
    with pytest.raises(InputError, match="one job at least"):
        Situation.of(40, 4, {name: [] for name in QUEUE})
    with pytest.raises(InputError, match="nobody runs or waits at 5"):
        Situation.at(5, log_of([(9, 1, 1, 1)]), np.array([9]), 1)
    found = Situation.of(40, 4, QUEUE)
    with pytest.raises(InputError, match="job 5, which runs already; 2 wait"):
        found.place(5)
    with pytest.raises(InputError, match="job 99, which is not in the queue"):
        found.place(99)
    with pytest.raises(InputError, match="a priority for each of the 3 jobs"):
        found.in_order_of([1, 2])
