"""Accuracy and calibration of estimates: by hand, by properties, and as published."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise import Cluster, Exact, ListPolicy, Workload, load_workload, simulate
from packwise.metrics.prediction import (
    Accuracy,
    accuracy,
    accuracy_of,
    calibration,
    calibration_of,
    nominal_quantile,
)
from packwise.predict import Last2, SurvivalProbability
from packwise.registry import estimate, policy


def columns(*rows: tuple[int, ...]):
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_by_hand():
    """Run times 10, 20, 30, 40 (mean 25), estimates 15, 20, 20, 10: errors 5, 0, -10, -30."""
    told = accuracy(
        *columns((10, 15, 1, 0, 60), (20, 20, 1, 0, 20), (30, 20, 2, 1, 60), (40, 10, 1, 3, 60))
    )
    assert told == Accuracy(
        jobs=4,
        r2=pytest.approx(1 - (25 + 0 + 100 + 900) / (225 + 25 + 25 + 225)),
        mean_error=45 / 4,
        median_error=7.5,
        bias=-35 / 4,
        under_share=0.5,
        under_area=pytest.approx((60 + 40) / (10 + 20 + 60 + 40)),
        under_mean=20.0,
        under_median=20.0,
        over_factor=1.25,
        corrections=1.0,
        at_limit=0.25,
    )
    assert told.coverage == 0.5
    assert told.area_coverage == pytest.approx(30 / 130)


def test_what_is_not_there_is_none():
    equal = accuracy(*columns((10, 10, 1, 0, 20), (10, 12, 1, 0, 20)))
    assert equal.r2 is None
    assert (equal.under_mean, equal.under_median) == (None, None)
    short = accuracy(*columns((10, 5, 1, 1, 20), (20, 5, 1, 1, 20)))
    assert short.over_factor is None


def test_calibration_by_hand():
    """Two jobs told their limit do not count; one of two below a minute ends in time; 60 s is a minute."""
    told = calibration(
        *columns((9, 9, 9), (50, 90, 90), (30, 20, 90), (10, 20, 90), (61, 60, 90), (1, 4000, 9000))
    )
    assert [(part.jobs, part.coverage) for part in told] == [
        (2, 0.5),
        (1, 0.0),
        (0, None),
        (1, 1.0),
        (0, None),
        (0, None),
        (0, None),
    ]


def test_the_nominal_quantile():
    class Own:
        quantile = 0.9

    class Method:
        def quantile(self) -> float:
            return 0.9

    assert nominal_quantile(SurvivalProbability(5)) == pytest.approx(0.95)
    assert nominal_quantile(Own()) == 0.9
    assert nominal_quantile(Method()) is None
    assert nominal_quantile(Last2()) is None


def jobs(factor):
    """Run time, estimate, demand, corrections, limit."""
    return st.tuples(
        st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 512), st.integers(0, 9)
    ).map(lambda row: (*row, factor * max(row[:2])))


@given(st.lists(jobs(1), min_size=1, max_size=40))
def test_shares_add_up(rows):
    told = accuracy(*columns(*rows))
    assert told.coverage + told.under_share == pytest.approx(1)
    assert told.area_coverage + told.under_area == pytest.approx(1)
    assert (told.under_share == 0) == (told.under_mean is None)
    assert told.mean_error >= abs(told.bias) - 1e-6
    assert told.over_factor is None or told.over_factor >= 1
    if told.r2 is not None:
        assert told.r2 <= 1


@given(st.lists(jobs(2), min_size=1, max_size=40))
def test_calibration_counts_every_job_below_its_limit(rows):
    runtime, estimated, demand, corrections, limit = columns(*rows)
    parts = calibration(runtime, estimated, limit)
    assert sum(part.jobs for part in parts) == len(rows)
    covered = sum(part.jobs * part.coverage for part in parts if part.coverage is not None)
    told = accuracy(runtime, estimated, demand, corrections, limit)
    assert covered == pytest.approx(len(rows) * told.coverage)


@given(st.lists(jobs(1), min_size=1, max_size=40))
def test_the_truth_is_perfect(rows):
    runtime, _, demand, corrections, limit = columns(*rows)
    told = accuracy(runtime, runtime, demand, 0 * corrections, limit)
    assert told.r2 in (1.0, None)
    assert (told.mean_error, told.bias, told.under_share, told.over_factor) == (0, 0, 0, 1)


def test_of_a_run():
    """Half of the truth: every job is too short, and corrected once."""
    workload = Workload.of([(0, 2, 100, 200), (5, 2, 60, 100), (9, 1, 40, 90)])
    run = simulate(workload, Cluster.pool(2), ListPolicy(), Exact(0.5))
    told = accuracy_of(run)
    assert (told.jobs, told.under_share, told.corrections) == (3, 1.0, 1.0)
    assert told.mean_error == pytest.approx(100 / 3)
    assert [part.jobs for part in calibration_of(run)[:2]] == [3, 0]


@pytest.fixture(scope="module")
def kth(shared):
    return load_workload(shared / "traces" / "KTH-SP2.swf.gz")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "published"),
    [("requested", 0.59), ("last2", 0.33), ("hierarchy", 0.64), ("sp-2%", 0.60), ("cvh", -0.02)],
)
def test_as_published(kth, name, published):
    """Goponenko et al., SBAC-PAD 2022, Table IV: KTH-SP2 under JustBF."""
    run = simulate(kth.workload, kth.cluster, policy("justbf"), estimate(name))
    assert accuracy_of(run).r2 == pytest.approx(published, abs=0.01)
