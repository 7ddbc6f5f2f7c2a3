"""The balanced policy: the same compiled and stepped, and what it promises about jobs that have waited long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, Exact, Requested, Workload, simulate
from packwise.feasibility import check_schedule
from packwise.model.errors import InputError
from packwise.optimise.objectives import balanced
from packwise.optimise.policy import SearchPolicy
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.optimise.keeping_deadlines import assert_deadlines_are_kept
from tests.properties.workload_strategies import deadline_workloads, workloads

HOUR = 3600


@settings(max_examples=150)
@given(
    workloads(most=40),
    st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
    st.sampled_from([Requested(), Exact(), Exact(0.5), estimate("last2"), estimate("hierarchy")]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([1, 3600, 20000]),
)
def test_compiled_and_stepped_replays_are_the_same(workload, balance, believed, budget, stretch):
    """``stretch`` lets seconds be hours, so that jobs get overdue."""
    longer = workload.replace(
        submit=workload.submit * stretch,
        runtime=workload.runtime * stretch,
        requested_time=workload.requested_time * stretch,
    )
    one = SearchPolicy(objective=balanced(balance), budget=budget, window=4)
    cluster = Cluster.pool(int(max(workload.demand.max(), 4)))
    compiled = simulate(longer, cluster, one, believed)
    stepped = simulate(longer, cluster, one, believed, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    assert check_schedule(longer, cluster, compiled.schedule).ok
    assert compiled.rounds.started.sum() == len(workload)


@pytest.mark.parametrize("believed", ["requested", "last2", "exact"])
def test_a_longer_log_is_the_same_stepped(believed):
    log = generate(700, 64, seed=5, load=1.1)
    compiled = simulate(log, 64, policy("packwise(budget=10)"), estimate(believed))
    stepped = simulate(log, 64, policy("packwise(budget=10)"), estimate(believed), stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
