from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from packwise.experiments.tables.statistics import intervals
from tests.experiments.scalar_statistics import mean_interval, paired_change


def test_three_values_by_hand():
    """1, 2, 3: mean 2, deviation 1; t(2, 97.5 %) = 4.303, so 4.303 / sqrt(3) = 2.484."""
    found = mean_interval([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.half_width == pytest.approx(4.302653 / math.sqrt(3), abs=1e-5)
    assert found.values == 3


def test_five_values_by_hand():
    """10, 12, 14, 16, 18: deviation sqrt(10); t(4, 97.5 %) = 2.776, t(4, 95 %) = 2.132."""
    values = [10.0, 12.0, 14.0, 16.0, 18.0]
    assert mean_interval(values).half_width == pytest.approx(2.776445 * math.sqrt(2), abs=1e-5)
    narrow = mean_interval(values, 0.90)
    assert narrow.half_width == pytest.approx(2.131847 * math.sqrt(2), abs=1e-5)


def test_paired_changes_by_hand():
    """Changes +10, +20, +30 %: mean 20, half-width 10 * 2.484 = 24.84, so 0 is inside."""
    found = paired_change([110.0, 240.0, 65.0], [100.0, 200.0, 50.0])
    assert found.mean == pytest.approx(20)
    assert found.half_width == pytest.approx(24.8414, abs=1e-3)
    assert (found.significant, found.pairs) == (False, 3)
    clear = paired_change([110.0, 222.0, 56.0], [100.0, 200.0, 50.0])  # +10, +11, +12
    assert clear.mean == pytest.approx(11)
    assert clear.significant


def test_pairing_drops_what_moves_both_sides():
    """Values are all over the place, but each is 5 % below its own baseline, but for a little."""
    base = [10.0, 1000.0, 50.0, 7000.0]
    ours = [9.5, 949.0, 47.6, 6650.0]
    assert paired_change(ours, base).significant


def test_one_replica_cannot_tell():
    found = paired_change([50.0], [100.0])
    assert found == (-50.0, None, None, 1)
    assert mean_interval([3.0]) == (3.0, None, 1)


def test_no_variance():
    assert paired_change([110.0, 220.0], [100.0, 200.0]) == (pytest.approx(10), 0.0, True, 2)
    assert paired_change([3.0, 3.0, 3.0], [3.0, 3.0, 3.0]) == (0.0, 0.0, False, 3)
    # Equal but for rounding: 0.1 % each.
    found = paired_change([1.001, 10.01, 0.1001], [1.0, 10.0, 0.1])
    assert found.half_width == pytest.approx(0, abs=1e-10)
    assert found.significant


def test_only_complete_pairs_count():
    found = paired_change([110.0, None, 130.0, math.nan], [100.0, 100.0, None, 100.0])
    assert (found.mean, found.half_width, found.pairs) == (pytest.approx(10), None, 1)
    assert paired_change([None], [1.0]) == (None, None, None, 0)
    assert mean_interval([None, 4.0, math.nan]) == (4.0, None, 1)
    assert mean_interval([]) == (None, None, 0)


@pytest.mark.parametrize("ours", [5.0, -5.0])
def test_from_nothing_to_something_is_no_percentage(ours):
    assert paired_change([ours, 2.0, 3.0], [0.0, 1.0, 1.0])[:3] == (None, None, None)


def test_from_nothing_to_nothing_is_no_change():
    assert paired_change([0.0, 2.0, 3.0], [0.0, 1.0, 1.0]).mean == 100.0


def test_groups_do_not_mix():
    values = np.array([1.0, 100.0, 2.0, np.nan, 3.0, 300.0])
    found = intervals(values, np.array([0, 2, 0, 1, 0, 2]), 4, 0.95)
    assert found.count.tolist() == [3, 0, 2, 0]
    assert found.mean[[0, 2]].tolist() == [2.0, 200.0]
    assert np.isnan(found.mean[[1, 3]]).all()
    assert found.half_width[0] == pytest.approx(2.48414, abs=1e-4)


numbers = st.floats(0.01, 1e6)


@pytest.mark.slow
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30))
def test_significance_is_the_paired_t_test(pairs):
    from scipy.stats import ttest_rel

    ours, base = np.array(pairs).T
    changes = 100 * (ours - base) / base
    assume(np.std(changes) > 1e-6 * np.abs(changes).max())
    test = ttest_rel(changes, np.zeros(len(changes)))
    found = paired_change(ours.tolist(), base.tolist())
    low, high = test.confidence_interval(0.95)
    assert found.mean == pytest.approx(changes.mean(), rel=1e-9, abs=1e-9)
    assert found.half_width == pytest.approx((high - low) / 2, rel=1e-6)
    if abs(test.pvalue - 0.05) > 1e-6:
        assert found.significant == (test.pvalue < 0.05)


def test_intervals_cover_as_often_as_they_promise():
    """5,000 samples of 4: 95 % intervals should cover the mean in 95 % of them, give or take 1."""
    random = np.random.default_rng(7)
    samples, size = 5000, 4
    values = random.normal(3.0, 2.0, samples * size)
    found = intervals(values, np.repeat(np.arange(samples), size), samples, 0.95)
    covered = np.abs(found.mean - 3.0) <= found.half_width
    assert 0.94 <= covered.mean() <= 0.96
