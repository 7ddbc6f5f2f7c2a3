"""How long the rest of a study takes: sensible from the first time on that anything is said."""

from __future__ import annotations

import heapq

import pytest

from packwise.cli.study.progress import Pace
from packwise.experiments.execution import Plan, Planned
from packwise.experiments.remaining import Remaining
from packwise.experiments.work import Done
from tests.experiments.grids import make_grid


def planned(guess, **axes):
    """Scenarios with the seconds that ``guess`` tells by their labels, longest first."""
    found = [Planned(s, (), guess(s.labels)) for s in make_grid(**axes).scenarios]
    return sorted(found, key=lambda one: -one.seconds)


def played(plan, takes, workers, *, start_up=0.0, writing=0.0):
    """(said, true) each time a scenario ends: workers take the next one, the parent writes results."""
    remaining = Remaining(plan, lambda: workers)
    waiting = list(plan)
    running: list[tuple[float, str]] = []
    took = {one.scenario.key: takes(one.scenario.labels) for one in plan}

    def begin(at, delay=0.0):
        if waiting:
            key = waiting.pop(0).scenario.key
            remaining.begin(key, at)
            heapq.heappush(running, (at + delay + took[key], key))

    for _ in range(workers):
        begin(0.0, start_up)
    said, now = [], 0.0
    while running:
        end, key = heapq.heappop(running)
        now = max(now, end)
        begin(now)
        now += writing
        remaining.done(key, took[key], now)
        said.append((remaining.seconds_left(now), now))
    return [(left, now - at) for left, at in said]


def off(history, shortest=1.0):
    """By what factor each estimate was off; what is nearly over does not matter."""
    return [
        max(left, shortest) / max(true, shortest)
        for left, true in history
        if left is not None and true > shortest
    ]


MANY = tuple(f"W{i}" for i in range(100))


def test_starting_up_is_no_measure_of_the_rest():
    """Processes take a minute to start; each scenario takes a second, ten times what was guessed."""
    plan = planned(lambda labels: 0.1, workloads=MANY, policies=("easy",))
    history = played(plan, lambda labels: 1.0, 2, start_up=60.0)
    assert history[0] == (pytest.approx(50, abs=2), pytest.approx(49, abs=2))
    assert all(0.8 < factor < 1.25 for factor in off(history))


def test_what_is_under_way_counts():
    """Twenty at a time: when the first has ended, the others are nearly done, too."""
    plan = planned(lambda labels: 10.0, workloads=MANY, policies=("easy",))
    history = played(plan, lambda labels: 10.0, 20)
    assert history[0][0] == pytest.approx(history[0][1], rel=0.3)
    assert all(0.5 < factor < 2 for factor in off(history, 5.0))


def test_big_and_small_workloads():
    """The big ones come first; what they take tells what the small ones will."""
    size = {name: 1000.0 if i < 4 else 1.0 for i, name in enumerate(MANY)}
    plan = planned(lambda labels: size[labels.workload], workloads=MANY, policies=("easy",))
    history = played(plan, lambda labels: 3 * size[labels.workload], 2)
    assert all(0.8 < factor < 1.25 for factor in off(history, 150.0))


def test_guesses_that_are_wrong_by_policy_are_not_shown():
    """A policy a thousand times slower than guessed: nothing is said before one of its runs has ended."""
    slow = {"easy": 1.0, "list-saf": 1000.0}
    plan = planned(lambda labels: 1.0, workloads=MANY[:10])
    history = played(plan, lambda labels: slow[labels.policy], 2)
    assert [left for left, true in history if true > 5000] == [None, None]
    assert all(0.8 < factor < 1.25 for factor in off(history, 50.0))


def test_one_that_takes_far_longer_than_others_of_its_kind():
    """Nobody can tell when it will end; what is said stays finite, and is not nothing."""
    plan = planned(lambda labels: 1.0, workloads=MANY[:10], policies=("easy",))
    takes = {name: 1.0 if i else 500.0 for i, name in enumerate(MANY[:10])}
    remaining = Remaining(plan, lambda: 10)
    for one in plan:
        remaining.begin(one.scenario.key, 0.0)
    for one in plan[1:]:
        remaining.done(one.scenario.key, takes[one.scenario.labels.workload], 1.0)
    assert 0 < remaining.seconds_left(400.0) < 100.0


def test_a_parent_that_is_slower_than_its_workers():
    """Results of a hundredth of a second, and a disk that needs a tenth for each."""
    plan = planned(lambda labels: 0.01, workloads=MANY, policies=("easy",))
    history = played(plan, lambda labels: 0.01, 4, writing=0.1)
    assert all(0.5 < factor < 2 for factor in off(history[5:]))


def test_nothing_is_said_before_anything_is_known():
    remaining = Remaining(planned(lambda labels: 1.0), lambda: 1)
    assert remaining.seconds_left(5.0) is None


def test_the_words_of_the_bar():
    clock = [100.0]
    plan = Plan(
        tuple(planned(lambda labels: 1.0, workloads=MANY[:10], policies=("easy",))), 0, (), None
    )
    pace = Pace(plan, lambda: 1, lambda: clock[0])
    assert pace.words() == ""
    clock[0] = 200.0  # compiling
    first = plan.planned[0].scenario
    pace.begins(first)
    clock[0] = 206.0
    pace.ends(first, Done(first.key, {}, b"", took=6.0))
    assert pace.words() == "10 per minute, about 54 s left"
    assert (pace.done, pace.total) == (1, 10)


def test_compilation_is_not_counted(make_study, monkeypatch):
    from contextlib import contextmanager

    from numba.core import event

    from packwise.experiments.work import Task, perform

    task = Task(make_study("easy").scenarios[0])
    assert perform(task).took > 0

    @contextmanager
    def all_of_it(kind, callback):
        assert kind == "numba:compile"
        yield
        callback(1e9)

    monkeypatch.setattr(event, "install_timer", all_of_it)
    assert perform(task).took == 0


def test_guesses_know_what_a_solver_may_take(store):
    from packwise.experiments.forecast import Forecast

    names = ("easy", "packwise(budget=1000)", "cp-awf(deterministic=0.1)", "cp-awf(limit=20s)")
    scenarios = make_grid(workloads=("A",), policies=names).scenarios
    easy, search, fixed, clock = (Forecast(store.frame()).seconds(one) for one in scenarios)
    assert easy < search / 100 < fixed / 100 < clock / 100
    assert clock == pytest.approx(100, rel=0.1)  # ten jobs, 20 s for every other one
    assert Forecast(store.frame()).measuring(scenarios[-1]) < easy
