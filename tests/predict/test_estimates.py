"""Estimates: exact, distorted, requested; and predictors that misbehave."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Exact, ListPolicy, Requested, Workload, simulate
from packwise.model.errors import InputError

JOBS = Workload.of([(0, 1, 1, 10), (1, 1, 5, 6), (2, 1, 8, 8)])


def test_values():
    assert Requested().estimates(JOBS).tolist() == [10, 6, 8]
    assert Exact().estimates(JOBS).tolist() == [1, 5, 8]
    # 0.5, 2.5 and 4 round half up to 1, 3 and 4. Twice the run time may exceed the limits 10, 6 and 8.
    assert Exact(0.5).estimates(JOBS).tolist() == [1, 3, 4]
    assert Exact(2).estimates(JOBS).tolist() == [2, 10, 16]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([1, 5]), "one whole number per job"),
        (np.array([1.0, 5.0, 8.0]), "one whole number per job"),
        (np.array([0, 5, 8]), r"job 1: should be between 1 s and the job's limit of 10 s, found 0"),
        (np.array([1, 7, 8]), "job 2: should be between 1 s and the job's limit of 6 s, found 7"),
    ],
)
def test_a_misbehaving_predictor(answer, message):
    class Bad:
        name = "bad"

        def estimates(self, workload):
            return answer

    with pytest.raises(InputError, match=message):
        simulate(JOBS, Cluster.pool(2), ListPolicy(), Bad())
