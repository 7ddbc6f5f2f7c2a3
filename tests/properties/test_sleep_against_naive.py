"""With nodes that sleep, too: the compiled engine, the step loop and the naive twin agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, Workload
from packwise.model.demands import misfits
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.sleep import SleepState
from packwise.model.placement import DEFAULT_PLACEMENT
from packwise.policies import ConservativePolicy, DeadlinePolicy
from packwise.registry import policy
from packwise.simulation import simulate
from tests.draws import draws
from tests.oracle.naive_nodes import NaiveNodes
from tests.oracle.naive_scheduler import NaivePool, naive_jobs
from tests.oracle.naive_sleep import NaiveSleepingNodes, NaiveSleepingPool
from tests.properties.test_engine_against_naive import ESTIMATE, list_policies
from tests.properties.test_nodes_against_naive import clusters, jobs_with_units
from tests.properties.workload_strategies import deadline_workloads, workloads


@st.composite
def sleeps(draw: st.DrawFn) -> SleepState:
    size, after, boot = (draw(st.integers(*one)) for one in ((1, 3), (0, 8), (1, 9)))
    return SleepState(after, 0.0, boot, 0.0, size)


def agree(
    workload: Workload, cluster: Cluster, sleep: SleepState, policy: object, estimate: object
) -> None:
    workload = workload.select(~misfits(workload, cluster).which)
    cluster = replace(cluster, energy=EnergyScenario("sleepy", sleep=sleep))
    runs = [simulate(workload, cluster, policy, estimate, stepped=one) for one in (False, True)]
    compiled, stepped = (run.schedule for run in runs)
    np.testing.assert_array_equal(compiled.start, stepped.start)
    np.testing.assert_array_equal(runs[0].booting, runs[1].booting)
    np.testing.assert_array_equal(runs[0].rounds.time, runs[1].rounds.time)
    assert check_schedule(workload, cluster, compiled).ok
    begin = int(workload.submit[0])
    if cluster.is_pool:
        room = NaivePool(cluster.procs)
        size = sleep.cores_per_node
        naps = NaiveSleepingPool(cluster.procs, size, sleep.after, sleep.boot_time, begin)
    else:
        room = NaiveNodes(cluster, workload, DEFAULT_PLACEMENT)
        naps = NaiveSleepingNodes(cluster.nodes, sleep.after, sleep.boot_time, begin)
    expected = naive_jobs(workload, room, estimate.estimates(workload), policy, sleep=naps)
    assert compiled.start.tolist() == [job.start + job.late for job in expected]
    assert runs[0].booting.tolist() == [job.late for job in expected]


def pool(workload: Workload) -> Cluster:
    return Cluster.pool(int(max(workload.demand.max(), 4)))


@settings(max_examples=draws(200))
@given(workloads(), sleeps(), list_policies(), ESTIMATE)
def test_any_point_of_the_list_family_on_a_pool(workload, sleep, policy, estimate):
    agree(workload, pool(workload), sleep, policy, estimate)


@settings(max_examples=draws(100))
@given(workloads(), sleeps(), st.booleans(), ESTIMATE)
def test_promises_on_a_pool(workload, sleep, at_once, estimate):
    agree(workload, pool(workload), sleep, ConservativePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(80))
@given(deadline_workloads(), sleeps(), st.booleans(), ESTIMATE)
def test_deadlines_on_a_pool(workload, sleep, at_once, estimate):
    agree(workload, pool(workload), sleep, DeadlinePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(100))
@given(jobs_with_units(), clusters(), sleeps(), list_policies(), ESTIMATE)
def test_lists_on_nodes(workload, cluster, sleep, policy, estimate):
    if not misfits(workload, cluster).which.all():
        agree(workload, cluster, sleep, policy, estimate)


@settings(max_examples=draws(80))
@given(jobs_with_units(), clusters(), sleeps(), st.booleans(), ESTIMATE)
def test_promises_on_nodes(workload, cluster, sleep, at_once, estimate):
    if not misfits(workload, cluster).which.all():
        agree(workload, cluster, sleep, ConservativePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(40))
@given(
    workloads(),
    sleeps(),
    st.sampled_from(["packwise", "packwise(objective=AF)", "packwise(objective=BSLD)"]),
    ESTIMATE,
)
def test_the_search_stepped_is_compiled(workload, sleep, name, estimate):
    cluster = replace(pool(workload), energy=EnergyScenario("sleepy", sleep=sleep))
    runs = [
        simulate(workload, cluster, policy(name), estimate, stepped=one) for one in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    assert check_schedule(workload, cluster, runs[0].schedule).ok
