"""``decide`` cannot be hurt: on views that no simulator made it neither crashes nor starts what does not fit.

``tests/engine/test_bounds.py`` runs this file a second time, with bounds checking on.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Decision, View
from packwise.model.errors import BadView
from packwise.model.referee import Referee
from packwise.model.workload import LARGEST
from packwise.registry import policy
from tests.draws import draws
from tests.lanes import broad
from tests.properties.view_strategies import a_view, later, views

#: One of each kind first.
POLICIES = [
    "fcfs",
    "saf-aggressive",
    "list(depth=3)",
    "saf-easy",
    "list-edf",
    "cbf",
    "dbf(compress=start)",
    "packwise(objective=AF,budget=10)",
    "easy",
    "easy-sjbf",
    "list-reg",
    "list-laf",
    "list-wfp",
    "list-f1",
    "cbf(compress=start)",
    "relaxed",
    "relaxed(relaxation=2)",
    "slack",
    "slack(factor=100)",
    "dbf",
    "packwise(objective=BSLD,budget=10)",
    "packwise(objective=P2SF,budget=10)",
    "packwise(objective=0.5*AF+0.5*P1.5SF,deadlines=soft,budget=10)",
    "packwise(search=off,deadlines=ignore)",
]


def usage_is_within(view: View, decision: Decision) -> bool:
    """Whether what runs, starts now and is planned never needs more than there is, as far as is believed."""
    start = dict.fromkeys(np.asarray(decision.start).tolist(), view.now)
    assert not start.keys() & decision.planned.keys()
    start |= decision.planned
    held = view.demand[view.running]
    ends = np.maximum(view.expected_end, view.now + 1)
    capacity = view.free + int(held.sum())
    for moment in sorted(set(start.values())):
        used = sum(d for d, end in zip(held.tolist(), ends.tolist(), strict=True) if end > moment)
        for job, begin in start.items():
            length = min(max(int(view.estimate[job]), 1), LARGEST)
            used += int(view.demand[job]) * (begin <= moment < begin + length)
        if used > capacity:
            return False
    return True


def decided(chosen, view: View) -> Decision:
    """A decision that was found to be sound."""
    decision = chosen.decide(view)
    Referee(chosen.name).check(view, decision)
    capacity = view.free + int(view.demand[view.running].sum())
    too_large = {job for job in view.queue.tolist() if view.demand[job] > capacity}
    assert set(np.asarray(decision.never).tolist()) == too_large
    assert not too_large & decision.planned.keys()
    assert all(start >= view.now for start in decision.planned.values())
    assert decision.planned.keys() <= set(view.queue.tolist())
    assert usage_is_within(view, decision)
    return decision


@pytest.mark.parametrize("name", broad(POLICIES, quick=8))
@settings(max_examples=draws(25))
@given(data=st.data())
def test_sound_on_any_view(name, data):
    sound_from_one_view_to_the_next(policy(name), data)


@settings(max_examples=draws(10))
@given(data=st.data())
def test_constraint_programs_on_any_view(data):
    pytest.importorskip("ortools", reason="needs OR-Tools")
    sound_from_one_view_to_the_next(policy("cp-awf(deterministic=0.05,workers=1)"), data)


def sound_from_one_view_to_the_next(chosen, data):
    view = data.draw(views())
    for _ in range(3):
        view = data.draw(later(view, decided(chosen, view)))
    decided(chosen, view)


def test_a_drained_node():
    """Three processors are left, all in use: who needs more than three waits, and is told so."""
    shrunk = a_view(free=0, demand=np.array([3, 4, 1]))
    for name in POLICIES:
        decision = policy(name).decide(shrunk)
        assert list(decision.never) == [1], name
        assert len(decision.start) == 0
        if name not in ("fcfs", "saf-aggressive"):
            assert decision.planned == {2: 20}, name


def test_a_limit_that_was_raised_after_the_promise():
    """Job 1 was promised 20, when three processors come back, for 10 s; job 2 comes at 30, and needs all four.

    Then job 1 asks for 100 s: job 2 cannot start at 30 any longer, and is placed anew behind it.
    """
    for name in ("cbf", "dbf"):
        chosen = policy(name)
        before = a_view(demand=np.array([3, 3, 4]))
        first = chosen.decide(before)
        assert first.planned == {1: 20, 2: 30}
        raised = before._replace(
            now=11, estimate=np.array([20, 100, 5]), memory=first.memory, free=1
        )
        assert chosen.decide(raised).planned == {1: 20, 2: 120}


def test_a_moment_that_was_missed():
    """The host slept past the promised start: the job starts as soon as it is asked."""
    for name in ("cbf", "dbf"):
        chosen = policy(name)
        first = chosen.decide(a_view())
        assert list(first.start) == [2]
        assert first.planned == {1: 20}
        woken = a_view(
            now=50,
            free=4,
            queue=np.array([1]),
            running=np.array([], np.int64),
            expected_end=np.array([], np.int64),
            memory=first.memory,
        )
        assert list(chosen.decide(woken).start) == [1]


def test_a_queue_in_any_order_is_the_same_queue():
    for name in POLICIES:
        chosen = policy(name)
        there = chosen.decide(a_view(free=4))
        back = chosen.decide(a_view(free=4, queue=np.array([2, 1])))
        assert sorted(there.start) == sorted(back.start), name
        assert there.planned == back.planned


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.float64])
def test_columns_of_other_kinds_of_numbers(kind):
    names = ("expected_end", "submit", "demand", "estimate", "limit", "user")
    plain = a_view(free=1)
    other = plain._replace(**{name: getattr(plain, name).astype(kind) for name in names})
    none = np.empty(0, np.int64)
    ended = {"now": 40, "free": 4, "queue": np.array([1]), "running": none, "expected_end": none}
    for name in POLICIES:
        there, here = policy(name).decide(plain), policy(name).decide(other)
        assert list(there.start) == list(here.start), name
        assert there.planned == here.planned
        there = policy(name).decide(plain._replace(memory=there.memory, **ended))
        here = policy(name).decide(other._replace(memory=here.memory, **ended))
        assert list(there.start) == list(here.start) == [1], name


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"queue": np.array([1, 1])}, "queue names a job twice"),
        ({"queue": np.array([1, 3])}, "queue should hold job numbers from 0 to 2"),
        ({"queue": np.array([-1])}, "queue should hold job numbers"),
        ({"running": np.array([7])}, "running should hold job numbers"),
        ({"expected_end": np.array([], np.int64)}, "an entry for each of the 1 running jobs"),
        ({"demand": np.array([3, 0, 1])}, "should ask for 1 to"),
        ({"now": 2**41}, "neither should be beyond"),
    ],
)
def test_a_view_that_contradicts_itself(changes, said):
    for name in POLICIES:
        with pytest.raises(BadView, match=said):
            policy(name).decide(a_view(**changes))
