"""Transformations: small cases by hand, and what they keep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.workloads.transform import (
    drop_queue,
    round_demand,
    scale_load,
    shake,
    window_count,
    window_time,
)

# submit  100 110 130 160, ids 1 2 3 4, demands 1 3 4 6
FOUR = Workload.of([(100, 1, 5, 9), (110, 3, 5, 9), (130, 4, 5, 9), (160, 6, 5, 9)]).replace(
    queue=np.array([0, 1, 1, 2]), extra={"wait": np.array([10, 20, 30, 40])}
)


def test_window_time_counts_from_the_first_submission() -> None:
    assert window_time(FOUR, 10, 60).id.tolist() == [2, 3]  # 60 is the end: not included
    assert window_time(FOUR, end=31).id.tolist() == [1, 2, 3]
    assert window_time(FOUR, 30).id.tolist() == [3, 4]
    assert window_time(FOUR).id.tolist() == [1, 2, 3, 4]
    assert window_time(FOUR, 10, 60).submit.tolist() == [110, 130]
    assert window_time(FOUR, 10, 60).extra["wait"].tolist() == [20, 30]


def test_window_count() -> None:
    assert window_count(FOUR, 1, 2).id.tolist() == [2, 3]
    assert window_count(FOUR, 3).id.tolist() == [4]
    assert window_count(FOUR).id.tolist() == [1, 2, 3, 4]


def test_drop_queue() -> None:
    assert drop_queue(FOUR, [0, 2]).id.tolist() == [2, 3]
    assert drop_queue(FOUR, []).id.tolist() == [1, 2, 3, 4]


def test_round_demand() -> None:
    assert round_demand(FOUR, 4, 8).demand.tolist() == [4, 4, 4, 8]
    assert round_demand(FOUR, 1, 8).demand.tolist() == [1, 3, 4, 6]


def test_scale_load() -> None:
    assert scale_load(FOUR, 2).submit.tolist() == [100, 105, 115, 130]
    assert scale_load(FOUR, 0.5).submit.tolist() == [100, 120, 160, 220]
    assert scale_load(FOUR, 2).load(10) == pytest.approx(2 * FOUR.load(10))


def test_scale_load_keeps_the_order_of_jobs() -> None:
    # Job 9 came before job 3; at the same second they would swap.
    two = Workload.of([(0, 1, 1, 1), (1, 1, 1, 1), (2, 1, 1, 1)]).replace(id=np.array([9, 3, 5]))
    squeezed = scale_load(two, 100)
    assert squeezed.id.tolist() == [9, 3, 5]
    assert squeezed.submit.tolist() == [0, 1, 1]


def test_shake_moves_a_little_and_keeps_every_job() -> None:
    many = Workload.of([(10 * i, 1 + i % 7, 5, 9) for i in range(500)]).replace(
        extra={"wait": np.arange(500), "cpu_time": np.arange(500)}
    )
    shaken = shake(many, seed=1)
    order = np.argsort(shaken.id)
    moved = shaken.submit[order] - many.submit
    assert abs(moved).max() <= 60
    assert moved.min() < -50
    assert moved.max() > 50
    assert (shaken.demand[order] == many.demand).all()
    assert "wait" not in shaken.extra  # what really happened is of other submissions
    assert (shaken.extra["cpu_time"][order] == many.extra["cpu_time"]).all()
    assert shaken.submit.min() >= 0
    assert (shake(many, seed=1).submit == shaken.submit).all()
    assert (shake(many, seed=2).submit != shaken.submit).any()
    assert (shake(many, 1, 0).submit == many.submit).all()


jobs = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 9), st.just(3), st.just(5)), min_size=1, max_size=9
)


@given(jobs, st.randoms(use_true_random=False), st.floats(0.01, 100))
def test_scaling_any_workload_is_valid(
    rows: list[tuple[int, int, int, int]], random: object, factor: float
) -> None:
    base = Workload.of(rows)
    scaled = scale_load(base, factor)  # a Workload checks its own order
    assert scaled.id.tolist() == base.id.tolist()
    ideal = base.submit[0] + (base.submit - base.submit[0]) / factor
    assert (abs(scaled.submit - ideal) <= 0.5 + 1e-6).all()


REFUSED: list[tuple[Callable[[], Workload], str]] = [
    (lambda: window_time(FOUR, 5, 5), "0 <= start < end, found 5 to 5"),
    (lambda: window_time(FOUR, -1, 5), "0 <= start"),
    (lambda: window_time(FOUR, 1, 9), "no job .* between 1 and 9 s .* last came after 60 s"),
    (lambda: window_time(FOUR, 1000), "the last came after 60 s"),
    (lambda: window_count(FOUR, 4), "between 0 and 3, found 4"),
    (lambda: window_count(FOUR, -1), "found -1"),
    (lambda: window_count(FOUR, 2, 3), "has 2 jobs.*found 3"),
    (lambda: window_count(FOUR, 0, 0), "found 0"),
    (lambda: drop_queue(FOUR, [7]), "no queue 7. It has: 0, 1, 2"),
    (lambda: drop_queue(FOUR, [0, 1, 2]), "no jobs outside the queues"),
    (lambda: round_demand(FOUR, 4, 7), "job 4 asks for 6 .* that is 8, more than the 7"),
    (lambda: round_demand(FOUR, 0, 8), "between 1 and the 8 processors, found 0"),
    (lambda: round_demand(FOUR, 9, 8), "found 9"),
    (lambda: scale_load(FOUR, 0), "above 0 and at most 1,000 \\(1.2 is 20 % more load\\), found 0"),
    (lambda: scale_load(FOUR, -1), "found -1"),
    (lambda: scale_load(FOUR, float("nan")), "found nan"),
    (lambda: scale_load(FOUR, float("inf")), "found inf"),
    (lambda: scale_load(FOUR, 1e-300), "too long"),
    (lambda: shake(FOUR, 1, -1), "-1 s"),
    (lambda: shake(FOUR, -1), "seed -1"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(call: Callable[[], Workload], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
