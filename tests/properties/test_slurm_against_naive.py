"""Slurm's scheduler: the compiled engine, the step loop and the naive twin agree, on a pool and on nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, Workload
from packwise.model.demands import misfits
from packwise.model.slurm_settings import SlurmSettings
from packwise.policies.slurm import SlurmPolicy
from packwise.registry import estimate
from packwise.simulation import simulate
from tests.draws import draws
from tests.oracle.naive_slurm import NaiveSlurm
from tests.properties.test_engine_against_naive import ESTIMATE
from tests.properties.test_nodes_against_naive import clusters, jobs_with_units
from tests.properties.workload_strategies import workloads

#: Small numbers, as those of the jobs are.
CHOICES = {
    "bf_interval": ("1", "3", "30"),
    "bf_window": ("1", "1440"),
    "bf_resolution": ("1", "5", "60"),
    "bf_max_job_test": ("1", "3", "500"),
    "bf_max_job_user": ("0", "1", "2"),
    "bf_max_job_part": ("0", "1"),
    "bf_max_job_start": ("0", "1"),
    "bf_min_age_reserve": ("0", "4"),
    "bf_min_prio_reserve": ("0", "500"),
    "bf_window_linear": ("0", "7"),
    "default_queue_depth": ("1", "2", "100"),
    "sched_interval": ("2", "60"),
    "batch_sched_delay": ("0", "3"),
    "completing": ("0", "1", "4"),
    "phase": ("0", "2", "17"),
    "priorityweightage": ("0", "1000"),
    "priorityweightfairshare": ("0", "1000", "100000"),
    "priorityweightjobsize": ("0", "1000"),
    "priorityweightpartition": ("0", "1000"),
    "priorityfavorsmall": ("NO", "YES"),
    "prioritymaxage": ("1", "0-1"),
    "prioritydecayhalflife": ("0", "0:10", "7-0"),
    "prioritycalcperiod": ("0:05", "0:20", "5"),
    "priorityflags": ("", "NO_FAIR_TREE"),
    "shares": ("a:0", "u:0", "a:0/b:3/u:0", "a:2/v:0/w:5", "a:0/b:0/c:0", "u:0/v:0/w:0"),
}
SETTINGS = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in CHOICES.items()})


def with_owners(workload: Workload, draw: st.DrawFn) -> Workload:
    n = len(workload)
    columns = [np.array([draw(st.integers(0, 2)) for _ in range(n)], np.int64) for _ in range(2)]
    names = {"user": ("u", "v", "w"), "group": ("a", "b", "c")}
    return workload.replace(user=columns[0], group=columns[1], names=names)


@given(st.data())
@settings(max_examples=draws(40))
def test_outages(data: st.DataObject) -> None:
    """Jobs whose nodes go out wait again, and those who come at that moment come."""
    workload, cluster, policy = data.draw(cases(on_nodes=True))
    out = data.draw(clusters(st.just(2)))
    if out.nodes > cluster.nodes:
        return
    stepped_as_compiled(workload, replace(cluster, outages=out.outages), policy, "requested")


@st.composite
def cases(draw: st.DrawFn, on_nodes: bool) -> tuple[Workload, Cluster, SlurmPolicy]:
    workload = with_owners(draw(jobs_with_units() if on_nodes else workloads(14)), draw)
    cluster = Cluster.pool(8)
    if on_nodes:
        cluster = draw(clusters(st.just(0)))
        partitions = [
            replace(
                one, tier=draw(st.sampled_from([1, 1, 2])), factor=draw(st.sampled_from([1, 5]))
            )
            for one in cluster.partitions
        ]
        cluster = replace(cluster, partitions=tuple(partitions))
    return workload, cluster, SlurmPolicy().changed(draw(SETTINGS))


def that_fit(workload: Workload, cluster: Cluster) -> Workload | None:
    which = misfits(workload, cluster).which
    return None if which.all() else workload.select(~which)


def agree(workload: Workload, cluster: Cluster, policy: SlurmPolicy) -> None:
    workload = that_fit(workload, cluster)
    if workload is None:
        return
    run = simulate(workload, cluster, policy, placement="first-fit")
    stepped = simulate(workload, cluster, policy, placement="first-fit", stepped=True)
    naive = NaiveSlurm(workload, cluster, SlurmSettings(policy.given)).run()
    np.testing.assert_array_equal(run.schedule.start, stepped.schedule.start)
    np.testing.assert_array_equal(run.schedule.start, naive)
    assert not check_schedule(workload, cluster, run.schedule).total


@given(cases(on_nodes=False))
@settings(max_examples=draws(60))
def test_on_a_pool(case: tuple[Workload, Cluster, SlurmPolicy]) -> None:
    agree(*case)


@given(cases(on_nodes=True))
@settings(max_examples=draws(60))
def test_on_nodes(case: tuple[Workload, Cluster, SlurmPolicy]) -> None:
    agree(*case)


@given(cases(on_nodes=False), ESTIMATE)
@settings(max_examples=draws(30))
def test_estimates_on_a_pool(case: tuple[Workload, Cluster, SlurmPolicy], name: str) -> None:
    stepped_as_compiled(*case, name)


@given(cases(on_nodes=True), ESTIMATE)
@settings(max_examples=draws(30))
def test_estimates_on_nodes(case: tuple[Workload, Cluster, SlurmPolicy], name: str) -> None:
    stepped_as_compiled(*case, name)


def stepped_as_compiled(
    workload: Workload, cluster: Cluster, policy: SlurmPolicy, name: str
) -> None:
    workload = that_fit(workload, cluster)
    if workload is None:
        return
    believed = estimate(name) if isinstance(name, str) else name
    compiled = simulate(workload, cluster, policy, believed)
    stepped = simulate(workload, cluster, policy, believed, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
