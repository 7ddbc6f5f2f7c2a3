"""Quantiles that hold, by what earlier forecasts were worth."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.forecasting import Calibration
from packwise.forecasting.calibration import Told, weighted_quantile
from packwise.model.errors import InputError


def told(job, wait=1000.0, asked=0, like=0.0):
    return Told(job, asked, wait / 2, wait, 2 * wait, like)


def learnt(outcomes, wait=1000.0):
    """What is known after so many forecasts of the same wait."""
    calibration = Calibration().asked([told(i, wait) for i in range(len(outcomes))])
    return calibration.settled(10**9, dict(enumerate(outcomes)))


def test_the_futures_as_they_are_while_little_is_known():
    calibration = learnt([5000] * 29)
    assert calibration.quantiles([told(99)]).tolist() == [[500, 1000, 2000]]


def test_what_was_missing_is_added():
    """All who were told 1000 s waited 3000: so do the next. Of one that is far away little is known, and the
    same ratio is believed.
    """
    found = learnt([3000] * 40).quantiles([told(99), told(98, 10_000.0)])
    np.testing.assert_allclose(found[0], 3000)
    assert found[1, 1] == pytest.approx((10_600) * 3600 / 1600 - 600)


def test_levels_are_shares_of_what_happened():
    outcomes = list(range(100, 10_100, 100))  # 100 of them
    low, middle, high = learnt(outcomes).quantiles([told(999)])[0]
    assert (low, middle, high) == pytest.approx((1000, 5000, 9000))


def test_waits_of_like_jobs_get_a_say_where_they_tell_more():
    rng = np.random.default_rng(0)
    waits = rng.integers(600, 50_000, 60)
    known = [told(i, float(rng.integers(600, 50_000)), like=float(w)) for i, w in enumerate(waits)]
    calibration = Calibration().asked(known).settled(10**9, dict(enumerate(waits.tolist())))
    assert calibration.say() == 0.0
    found = calibration.quantiles([told(99, 1000.0, like=20_000.0)])
    assert found[0, 1] == pytest.approx(20_000, rel=0.01)
    assert learnt([1000] * 40).say() == 1.0


def test_what_has_not_happened_does_not_count():
    calibration = Calibration().asked([told(1), told(2), told(3)])
    found = calibration.settled(500, {1: 400, 2: 501, 4: 3})
    assert [(one.job, one.outcome) for one in found.known] == [(1, 400.0)]
    assert [one.job for one in found.pending] == [2, 3]
    assert calibration.settled(500, {2: 501}) is calibration


def test_a_start_before_the_forecast_makes_it_void():
    found = Calibration().asked([told(1, asked=100)]).settled(500, {1: 50})
    assert found == Calibration()


def test_of_each_job_the_first_forecast_counts():
    calibration = Calibration().asked([told(1, 1000.0)]).asked([told(1, 9.0), told(2)])
    assert [one.middle for one in calibration.pending] == [1000.0, 1000.0]
    again = calibration.settled(10, {1: 5}).asked([told(1, 9.0)])
    assert [one.job for one in again.pending] == [2]


def test_the_last_ones_are_kept():
    many = learnt([10] * 400)
    assert [one.job for one in many.known] == list(range(100, 400))


def test_those_asked_last_are_kept_whoever_starts_first():
    """Of 301 forecasts, one each second, the outcomes of the later half are known first."""
    calibration = Calibration().asked([told(job, asked=job) for job in range(301)])
    half = calibration.settled(10**9, dict.fromkeys(range(150, 301), 1000))
    found = half.settled(10**9, dict.fromkeys(range(150), 1000))
    assert [one.job for one in found.known] == list(range(1, 301))


def test_through_json():
    calibration = learnt([10, 20, 30]).asked([told(77)])
    text = json.dumps(calibration.document())
    assert Calibration.from_document(json.loads(text)) == calibration


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "the lists 'known' and 'pending'"),
        ({"known": [[1, 2]], "pending": []}, "each of 7 numbers"),
        ({"known": [["a"] * 7], "pending": []}, "each of 7 numbers"),
        ({"known": [[1, 2, 3, 4, 5, float("nan"), 7]], "pending": []}, "finite numbers only"),
        ({"known": [[1, 2, 3, 4, 5, 6, -1]], "pending": []}, "an outcome of 0 s or more"),
    ],
)
def test_mistakes(document, words):
    with pytest.raises(InputError, match=words):
        Calibration.from_document(document)


def test_coverage_of_a_model_that_is_wrong():
    """A model that says a third of what happens, and knows nothing of the spread."""
    rng = np.random.default_rng(3)
    calibration = Calibration()
    below = []
    for job in range(600):
        truth = float(np.exp(rng.normal(9, 1)))
        happened = int(truth * np.exp(rng.normal(0, 0.8)))
        one = Told(job, job, truth / 3, truth / 3, truth / 3, 0.0)
        if job >= 100:
            below.append(happened <= calibration.quantiles([one])[0])
        calibration = calibration.asked([one]).settled(10**9, {job: job + happened})
    shares = np.mean(below, axis=0)
    np.testing.assert_allclose(shares, [0.1, 0.5, 0.9], atol=0.05)


@given(
    st.lists(st.floats(0, 1e6), min_size=30, max_size=60),
    st.floats(0, 1e6),
    st.floats(0, 1e6),
)
def test_quantiles_are_in_order_and_not_before_now(outcomes, wait, like):
    found = learnt([int(one) for one in outcomes]).quantiles([told(999, wait, like=like)])[0]
    assert 0 <= found[0] <= found[1] <= found[2]
    assert np.isfinite(found).all()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_a_weighted_quantile_is_that_of_repeated_values(values, share):
    weights = np.array([1 + v % 3 for v in values], float)
    repeated = np.repeat(np.array(values, float), weights.astype(int))
    expected = np.quantile(repeated, share, method="inverted_cdf")
    assert weighted_quantile(np.array(values, float), weights, share) == expected
