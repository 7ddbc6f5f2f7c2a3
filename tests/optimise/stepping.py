"""Compiled replays against stepped ones."""

from __future__ import annotations

import numpy as np

from packwise import Cluster, Run, Workload, simulate
from packwise.feasibility import check_schedule
from packwise.optimise.policy import SearchPolicy
from packwise.predict.predictor import Predictor


def assert_the_same_stepped(
    workload: Workload, policy: SearchPolicy, believed: Predictor, stretch: int
) -> Run:
    """The compiled replay is the stepped one, and feasible. ``stretch`` lets seconds be hours."""
    longer = workload.replace(
        submit=workload.submit * stretch,
        runtime=workload.runtime * stretch,
        requested_time=workload.requested_time * stretch,
    )
    cluster = Cluster.pool(int(max(workload.demand.max(), 4)))
    compiled = simulate(longer, cluster, policy, believed)
    stepped = simulate(longer, cluster, policy, believed, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    assert check_schedule(longer, cluster, compiled.schedule).ok
    return compiled
