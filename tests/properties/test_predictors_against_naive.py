"""Predictors inside the compiled engine and in the step loop do what their naive twins do, job by job."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, Workload
from packwise.policies import ConservativePolicy
from packwise.policies.catalogue import POLICIES
from packwise.predict.catalogue import predictor
from packwise.simulation import simulate
from tests.draws import draws
from tests.lanes import broad
from tests.oracle.naive_predictors import (
    NaiveCeiling,
    NaiveHierarchy,
    NaiveLast2,
    NaiveRegression,
    NaiveSurvival,
)
from tests.oracle.naive_scheduler import naive_replay
from tests.properties.workload_strategies import workloads

TWINS = {
    "last2": NaiveLast2,
    "hierarchy": NaiveHierarchy,
    "sp-2%": lambda *args, **options: NaiveSurvival(args[0], 2, **options),
    "sp-30%": lambda *args, **options: NaiveSurvival(args[0], 30, **options),
    "cvh": NaiveRegression,
    "ceiling(memory=4,enough=3,quantile=0.6)": NaiveCeiling,
}
CORRECTORS = st.sampled_from(
    ["limit", "steps", "doubling", "conditional", "conditional-50%", "own"]
)


@st.composite
def described(draw: st.DrawFn, most: int = 14) -> Workload:
    """A workload with few users, applications and limits, so that jobs have like ones.

    In seconds, or in thousands of them: the steps by which estimates grow are minutes and hours.
    """
    workload = draw(workloads(most=most))
    unit = draw(st.sampled_from([1, 1000]))
    workload = workload.replace(
        submit=unit * workload.submit,
        runtime=unit * workload.runtime,
        requested_time=unit * workload.requested_time,
    )
    n = len(workload)
    user, app = (draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(2))
    longest = int(workload.requested_time.max())
    shared = draw(st.booleans())
    return workload.replace(
        user=np.array(user),
        app=np.array(app) - 1,
        requested_time=np.full(n, longest) if shared else workload.requested_time,
    )


def agree(workload: Workload, policy: object, name: str, corrector: str, updates: bool) -> None:
    procs = int(max(workload.demand.max(), 4))
    cluster = Cluster.pool(procs)
    update = "round" if updates else "submission"
    options = f"corrector={corrector},update={update}"
    found = predictor(f"{name[:-1]},{options})" if name.endswith(")") else f"{name}({options})")
    compiled = simulate(workload, cluster, policy, found)
    stepped = simulate(workload, cluster, policy, found, stepped=True)
    twin = TWINS[name](workload, corrector=corrector, updates=updates)
    expected = naive_replay(workload, procs, workload.requested_time, policy, twin)
    np.testing.assert_array_equal(compiled.schedule.start, expected)
    np.testing.assert_array_equal(stepped.schedule.start, expected)
    first = [twin.first[i] for i in range(len(workload))]
    np.testing.assert_array_equal(compiled.first_estimate, first)
    np.testing.assert_array_equal(stepped.first_estimate, first)
    corrections = [max(len(twin.corrections.get(i, [0])) - 1, 0) for i in range(len(workload))]
    np.testing.assert_array_equal(compiled.corrections, corrections)
    np.testing.assert_array_equal(stepped.corrections, corrections)
    assert check_schedule(workload, cluster, compiled.schedule).ok


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=draws(60))
@given(data=st.data())
def test_any_policy(name, data):
    policy = data.draw(st.sampled_from([*POLICIES.values(), ConservativePolicy()]))
    corrector = data.draw(CORRECTORS.filter(lambda c: c != "own" or name.startswith("sp")))
    agree(data.draw(described()), policy, name, corrector, data.draw(st.booleans()))


@pytest.mark.parametrize("name", broad(TWINS))
@settings(max_examples=draws(25))
@given(described(most=60))
def test_longer_queues(name, workload):
    agree(workload, POLICIES["list-laf"], name, "limit", True)
