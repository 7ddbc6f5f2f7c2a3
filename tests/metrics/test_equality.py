"""Jain's index of users: by hand, its bounds, and where it says nothing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.metrics import summarize
from packwise.metrics.equality import index_of
from packwise.model import Schedule, Workload

_POSITIVE = st.lists(st.floats(1.0, 1e9), min_size=1, max_size=20)


def _index(users: list[int], waits: list[int]) -> float:
    """Jobs of 10 s, one after another, so that a wait of 10 k is a slowdown of 1 + k."""
    jobs = Workload.of([(0, 1, 10, 10)] * len(users)).replace(user=np.array(users))
    start = np.array(waits)
    return summarize(jobs, 100, Schedule(start, start + 10), ["jain"])["jain"]


def test_by_hand() -> None:
    """User 1 has slowdowns 1 and 3, so a mean of 2; user 2 has 4: (2 + 4)² / (2 (4 + 16))."""
    assert _index([1, 1, 2], [0, 20, 30]) == pytest.approx(36 / 40)


def test_users_count_once_each_however_many_jobs_they_have() -> None:
    assert _index([1] * 50 + [2], [0] * 50 + [20]) == pytest.approx((1 + 3) ** 2 / (2 * (1 + 9)))


def test_jobs_of_unknown_users_are_left_out() -> None:
    assert _index([1, 2, -1], [10, 10, 5000]) == 1.0


def test_nobody_is_known() -> None:
    assert math.isnan(_index([-1, -1], [0, 10]))


def test_one_user_alone_is_served_equally() -> None:
    assert _index([4, 4], [0, 990]) == 1.0


@given(_POSITIVE, st.floats(1e-3, 1e3))
def test_between_one_nth_and_one_and_without_a_scale(values: list[float], factor: float) -> None:
    found = index_of(np.array(values))
    assert 1 / len(values) * (1 - 1e-12) <= found <= 1 + 1e-12
    assert index_of(np.array(values) * factor) == pytest.approx(found)


def test_equal_values_and_one_for_all() -> None:
    assert index_of(np.array([7.0, 7.0, 7.0])) == 1.0
    assert index_of(np.array([0.0, 5.0, 0.0, 0.0])) == 0.25
