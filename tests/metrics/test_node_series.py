"""What is used on nodes over time, and what lies idle: against sums second by second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from packwise import Cluster, Workload, simulate
from packwise.metrics.node_series import asked_for, idle_cores, node_use
from packwise.model import NodeGroup, Outage
from packwise.model.demands import demands, misfits
from packwise.registry import policy
from tests.draws import draws
from tests.properties.test_nodes_against_naive import clusters, jobs_with_units

PAIR = Cluster(
    "pair",
    (NodeGroup("cpu", 1, {"cores": 4, "memory": 4}), NodeGroup("gpu", 1, {"cores": 4, "gpus": 2})),
)


def naive_free(workload, cluster, schedule, node, moment):
    """What is free on a node at a moment."""
    if any(node in out.nodes and out.begin <= moment < out.end for out in cluster.outages):
        return np.zeros(len(cluster.resources), np.int64)
    wanted = demands(workload, cluster)
    there = [
        job
        for job in range(len(workload))
        if schedule.start[job] <= moment < schedule.end[job] and node in schedule.allocation.of(job)
    ]
    if there and cluster.whole_nodes()[node]:
        return np.zeros(len(cluster.resources), np.int64)
    free = cluster.capacity()[node].copy()
    for job in there:
        free -= schedule.allocation.of(job)[node] * wanted.per_unit[wanted.kind[job]]
    return free


@settings(max_examples=draws(40))
@given(jobs_with_units(), clusters())
def test_against_seconds_one_by_one(workload, cluster):
    fits = ~misfits(workload, cluster).which
    if not fits.any():
        return
    workload = workload.select(fits)
    schedule = simulate(workload, cluster, policy("easy")).schedule
    wanted = demands(workload, cluster)
    end = int(schedule.end.max())
    edges = np.arange(0, end + 5, 5)
    used = node_use(workload, cluster, schedule, edges, np.arange(cluster.nodes))
    alone = replace(cluster, outages=())
    for k in range(len(edges) - 1):
        for node in range(cluster.nodes):
            if not cluster.whole_nodes()[node]:
                taken = [
                    cluster.capacity()[node] - naive_free(workload, alone, schedule, node, t)
                    for t in range(edges[k], edges[k + 1])
                ]
                np.testing.assert_allclose(used[k, node], np.mean(taken, axis=0), atol=1e-9)
    times = np.arange(0, end, 3)
    idle = idle_cores(workload, cluster, schedule, times)
    cores = cluster.resources.index("cores")
    for k, t in enumerate(times.tolist()):
        waiting = np.flatnonzero((workload.submit <= t) & (schedule.start > t))
        free = stranded = 0
        for node in range(cluster.nodes):
            left = naive_free(workload, cluster, schedule, node, t)
            useful = any(
                (left >= wanted.per_unit[wanted.kind[job]]).all()
                and wanted.open[wanted.where[wanted.kind[job]], node]
                for job in waiting
            )
            free += left[cores] * bool(waiting.size)
            stranded += left[cores] * (bool(waiting.size) and not useful)
        assert (idle.free[k], idle.stranded[k]) == (free, stranded)


def test_cores_beside_memory_that_is_taken():
    # Job 1 takes all memory of the first node and one core. Job 2 needs memory: the three cores are of no use.
    jobs = Workload(
        name="two",
        id=np.array([1, 2]),
        submit=np.array([0, 0]),
        runtime=np.array([10, 10]),
        requested_time=np.array([10, 10]),
        demand=np.array([1, 1]),
        units=np.array([1, 1]),
        per_unit={"cores": np.array([1, 1]), "memory": np.array([4, 1])},
    )
    schedule = simulate(jobs, PAIR, policy("easy")).schedule
    assert schedule.start.tolist() == [0, 10]
    idle = idle_cores(jobs, PAIR, schedule, np.array([0, 5, 10]))
    assert idle.free.tolist() == [7, 7, 0]  # of the second node, too, where no memory is
    assert idle.stranded.tolist() == [7, 7, 0]
    assert asked_for(jobs, PAIR) == {"cores": 0, "memory": 1}
    out = replace(PAIR, outages=(Outage((1,), 4, 8),))
    assert idle_cores(jobs, out, schedule, np.array([5])).free.tolist() == [3]


@pytest.mark.parametrize("rows", [[0, 0], [0, 1]])
def test_rows_are_sums_of_nodes(rows):
    jobs = Workload.of([(0, 4, 10, 10), (0, 2, 5, 5)])
    schedule = simulate(jobs, PAIR, policy("easy"), placement="first-fit").schedule
    used = node_use(jobs, PAIR, schedule, np.array([0, 5, 10]), np.array(rows))
    expected = [[4, 2], [4, 0]] if rows == [0, 1] else [[6], [4]]
    assert used[:, :, 0].tolist() == expected
