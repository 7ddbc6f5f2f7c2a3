"""Under a power cap, too: the compiled engine, the step loop and the naive twin agree, and nobody starts above
it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, Workload
from packwise.model.demands import misfits
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Series
from packwise.model.placement import DEFAULT_PLACEMENT
from packwise.policies import ConservativePolicy
from packwise.simulation import simulate
from tests.draws import draws
from tests.oracle.naive_cap import NaiveCapped
from tests.oracle.naive_nodes import NaiveNodes
from tests.oracle.naive_scheduler import NaivePool, naive_jobs
from tests.properties.test_engine_against_naive import ESTIMATE, list_policies
from tests.properties.test_nodes_against_naive import clusters, jobs_with_units
from tests.properties.workload_strategies import workloads

LATE = 10**6


@st.composite
def caps(draw: st.DrawFn) -> list[tuple[int, int]]:
    """When the cap changes, and what it leaves, in percent of what the largest job draws."""
    times = draw(st.lists(st.integers(1, 60), unique=True, max_size=5))
    return [(time, draw(st.integers(0, 150))) for time in [0, *sorted(times)]]


def agree(
    workload: Workload,
    cluster: Cluster,
    changes: list[tuple[int, int]],
    policy: object,
    estimate: object,
) -> None:
    workload = workload.select(~misfits(workload, cluster).which)
    idle, jobs = 0.5, JobPower((Draw("cores", 0.4, 3.0),))
    procs, watts = cluster.procs, jobs.of(workload)
    most = float((watts - idle * workload.demand).max())
    # Everybody has a place in the end.
    levels = [idle * procs + max(most, 0.0) * percent / 100 for _, percent in changes]
    levels.append(max(*levels, idle * procs + most) + 0.01)
    times = [time for time, _ in changes] + [61]
    series = Series(np.array(times), np.array(levels), LATE, "W")
    energy = EnergyScenario("some", jobs=jobs, idle_watts=idle, cap=series)
    workload = workload.replace(start_time=0)
    cluster = replace(cluster, energy=energy)
    policy = replace(policy, power_cap="scenario")
    runs = [simulate(workload, cluster, policy, estimate, stepped=one) for one in (False, True)]
    compiled, stepped = (run.schedule for run in runs)
    np.testing.assert_array_equal(compiled.start, stepped.start)
    np.testing.assert_array_equal(runs[0].rounds.time, runs[1].rounds.time)
    assert check_schedule(workload, cluster, compiled).ok
    room = NaivePool(procs) if cluster.is_pool else NaiveNodes(cluster, workload, DEFAULT_PLACEMENT)
    capped = NaiveCapped(room, list(zip(times, levels, strict=True)), watts.tolist(), idle, procs)
    expected = naive_jobs(workload, capped, estimate.estimates(workload), policy)
    assert compiled.start.tolist() == [job.start for job in expected]
    if cluster.is_pool:
        assert compiled.allocation is None
    else:
        where = [job.where for job in expected]
        assert [compiled.allocation.of(j) for j in range(len(workload))] == where


@settings(max_examples=draws(300))
@given(workloads(), caps(), list_policies(), ESTIMATE)
def test_any_point_of_the_list_family_on_a_pool(workload, changes, policy, estimate):
    agree(workload, Cluster.pool(int(max(workload.demand.max(), 4))), changes, policy, estimate)


@settings(max_examples=draws(150))
@given(workloads(), caps(), st.booleans(), ESTIMATE)
def test_promises_on_a_pool(workload, changes, at_once, estimate):
    cluster = Cluster.pool(int(max(workload.demand.max(), 4)))
    agree(workload, cluster, changes, ConservativePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(150))
@given(jobs_with_units(), clusters(), caps(), list_policies(), ESTIMATE)
def test_lists_on_nodes(workload, cluster, changes, policy, estimate):
    if not misfits(workload, cluster).which.all():
        agree(workload, cluster, changes, policy, estimate)


@settings(max_examples=draws(100))
@given(jobs_with_units(), clusters(), caps(), st.booleans(), ESTIMATE)
def test_promises_on_nodes(workload, cluster, changes, at_once, estimate):
    if not misfits(workload, cluster).which.all():
        agree(workload, cluster, changes, ConservativePolicy(at_once=at_once), estimate)
