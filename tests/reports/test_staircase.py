"""Short staircases stay close to the long ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.reports.charts.staircase import ERROR, distribution
from tests.draws import draws


def largest_error(values, short):
    """Over all places where either staircase changes, just before and at the change."""
    values = np.sort(np.asarray(values, np.float64))
    places = np.unique(np.concatenate((values, short.x)))
    true = np.searchsorted(values, places, "right") / len(values)
    index = np.searchsorted(short.x, places, "right")
    told = np.concatenate(([0.0], short.share))[index]
    return np.abs(true - told).max()


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(4, few=2)))
def test_long_distributions_become_short_and_stay_right(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate((np.zeros(30_000), rng.lognormal(6, 2.5, 70_000).round()))
    short = distribution(values)
    assert len(short.x) <= 300
    assert largest_error(values, short) < 0.002


@given(st.lists(st.integers(0, 50), min_size=1, max_size=400))
def test_any_distribution(values):
    short = distribution(np.array(values))
    assert largest_error(values, short) <= ERROR + 1e-12
    assert short.share[-1] == pytest.approx(1)
    assert short.x[0] == min(values)
    assert short.share[0] == pytest.approx(values.count(min(values)) / len(values))
    assert (np.diff(short.x) > 0).all()
    assert (np.diff(short.share) > 0).all()


def test_one_value():
    short = distribution(np.array([7, 7, 7]))
    assert short.x.tolist() == [7.0]
    assert short.share.tolist() == [1.0]
