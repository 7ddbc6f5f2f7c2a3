"""On nodes, too: the compiled engine, the step loop and the naive twin agree, allocation for allocation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, NodeGroup, Workload
from packwise.model.cluster import Outage, Partition
from packwise.model.demands import misfits, nodes_matter
from packwise.model.placement import PLACEMENTS
from packwise.policies import ConservativePolicy, ListPolicy
from packwise.registry import estimate, policy
from packwise.simulation import simulate
from tests.draws import draws
from tests.oracle.naive_nodes import NaiveNodes
from tests.oracle.naive_scheduler import naive_jobs
from tests.properties.test_engine_against_naive import ESTIMATE, list_policies
from tests.properties.workload_strategies import workloads

OUTAGES = st.sampled_from([0, 0, 1, 3])
PLACEMENT = st.sampled_from(list(PLACEMENTS))


@st.composite
def clusters(draw: st.DrawFn, outages: st.SearchStrategy[int] = OUTAGES) -> Cluster:
    """A few nodes of a few sorts, some of which go out."""
    groups = []
    for k in range(draw(st.integers(1, 3))):
        capacity = {
            "cores": draw(st.integers(1, 6)),
            "memory": draw(st.sampled_from([0, 4, 8, 16])),
            "gpus": draw(st.sampled_from([0, 0, 1, 2])),
        }
        shared = draw(st.sampled_from([True, True, False]))
        groups.append(NodeGroup(f"g{k}", draw(st.integers(1, 4)), capacity, shared))
    names = [group.name for group in groups]
    partitions = [
        Partition(f"p{k}", k, tuple(draw(st.sets(st.sampled_from(names), min_size=1))))
        for k in range(2)
    ]
    with_partitions = draw(st.booleans())
    cluster = Cluster("some", tuple(groups), tuple(partitions) if with_partitions else ())
    return replace(cluster, outages=tuple(outage(draw, cluster) for _ in range(draw(outages))))


def outage(draw: st.DrawFn, cluster: Cluster) -> Outage:
    nodes = draw(st.sets(st.integers(0, cluster.nodes - 1), min_size=1))
    begin = draw(st.integers(0, 35))
    return Outage(
        tuple(sorted(nodes)), begin, begin + draw(st.integers(1, 30)), draw(st.booleans())
    )


@st.composite
def jobs_with_units(draw: st.DrawFn, most: int = 14) -> Workload:
    plain = draw(workloads(most))
    n = len(plain)

    def column(values: list[int]) -> np.ndarray:
        return np.array([draw(st.sampled_from(values)) for _ in range(n)], np.int64)

    units, cores = column([1, 1, 2, 3]), column([1, 1, 2, 4])
    per_unit = {"cores": cores, "memory": column([0, 1, 2, 4]), "gpus": column([0, 0, 0, 1, 2])}
    extra = {"partition": column([0, 0, 1, -1])}
    return plain.replace(demand=units * cores, units=units, per_unit=per_unit, extra=extra)


def agree(
    workload: Workload, cluster: Cluster, policy: object, estimate: object, rule: str
) -> None:
    workload = _that_fit(workload, cluster)
    if workload is None:
        return
    compiled = simulate(workload, cluster, policy, estimate, placement=rule)
    stepped = simulate(workload, cluster, policy, estimate, placement=rule, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    if compiled.schedule.promised is not None:
        np.testing.assert_array_equal(compiled.schedule.promised, stepped.schedule.promised)
    verdict = check_schedule(workload, cluster, compiled.schedule)
    assert verdict.ok, verdict.violations
    if nodes_matter(workload, cluster):
        nodes = NaiveNodes(cluster, workload, rule)
        expected = naive_jobs(workload, nodes, estimate.estimates(workload), policy)
        assert compiled.schedule.start.tolist() == [job.start for job in expected]
        where = [job.where for job in expected]
        assert [compiled.schedule.allocation.of(j) for j in range(len(workload))] == where
    assert [stepped.schedule.allocation.of(j) for j in range(len(workload))] == [
        compiled.schedule.allocation.of(j) for j in range(len(workload))
    ]


def _that_fit(workload: Workload, cluster: Cluster) -> Workload | None:
    fits = ~misfits(workload, cluster).which
    return workload.select(fits) if fits.any() else None


@settings(max_examples=draws(300))
@given(jobs_with_units(), clusters(), list_policies(), ESTIMATE, PLACEMENT)
def test_any_point_of_the_list_family_on_nodes(workload, cluster, policy, estimate, rule):
    agree(workload, cluster, policy, estimate, rule)


@settings(max_examples=draws(60))
@given(jobs_with_units(most=40), clusters(), st.sampled_from([1, 2, None]), ESTIMATE, PLACEMENT)
def test_longer_queues(workload, cluster, depth, estimate, rule):
    agree(workload, cluster, ListPolicy(depth=depth), estimate, rule)


@settings(max_examples=draws(150))
@given(jobs_with_units(), clusters(), st.booleans(), ESTIMATE, PLACEMENT)
def test_conservative_backfilling_on_nodes(workload, cluster, at_once, estimate, rule):
    agree(workload, cluster, ConservativePolicy(at_once=at_once), estimate, rule)


@settings(max_examples=draws(100))
@given(jobs_with_units(), clusters(st.sampled_from([2, 4])), st.booleans(), ESTIMATE, PLACEMENT)
def test_promises_around_outages(workload, cluster, at_once, estimate, rule):
    agree(workload, cluster, ConservativePolicy(at_once=at_once), estimate, rule)


@settings(max_examples=draws(40))
@given(jobs_with_units(most=40), clusters(), ESTIMATE, PLACEMENT)
def test_many_promises(workload, cluster, estimate, rule):
    """Who moves leaves room to those before him, who are to find it when the next job ends early."""
    agree(workload, cluster, ConservativePolicy(), estimate, rule)


@settings(max_examples=draws(60))
@given(
    jobs_with_units(most=25),
    clusters(),
    st.sampled_from(["easy", "list-sjf", "cbf"]),
    st.sampled_from(["last2", "cvh", "hierarchy", "last2(corrector=steps)"]),
)
def test_predictors_on_nodes_that_go_out(workload, cluster, name, predictor):
    """Of a job that is killed a predictor hears that it runs no more: else it would be running twice."""
    workload = _that_fit(workload, cluster)
    if workload is None:
        return
    runs = [
        simulate(workload, cluster, policy(name), estimate(predictor), stepped=stepped)
        for stepped in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    assert check_schedule(workload, cluster, runs[0].schedule).ok
