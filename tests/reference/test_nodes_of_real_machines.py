"""Real workloads on nodes: the engine and its naive twin agree, allocation for allocation."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise import Requested, simulate
from packwise.clusters.finding import find_cluster
from packwise.feasibility import check_schedule
from packwise.policies.catalogue import POLICIES
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.lanes import broad
from tests.oracle.array_nodes import ArrayNodes
from tests.oracle.naive_scheduler import naive_jobs


@pytest.mark.parametrize(
    ("log", "cluster", "first", "count"),
    broad(
        [
            ("KIT-FH2-2016-1.first25127.swf.gz", "kit-fh2", 0, 100),
            ("Eurora-2014.csv.gz", "eurora", 2600, 120),
        ],
        lane="papers",
    ),
)
def test_easy_first_fit(shared: Path, log: str, cluster: str, first: int, count: int):
    nodes = find_cluster(cluster)
    window = Window(first=first, count=count, factor=20.0)
    trace = load_trace(shared / "traces" / log, None, window, on=nodes, unit_cores="node")
    jobs = trace.workload
    run = simulate(jobs, nodes, POLICIES["easy"], Requested(), placement="first-fit")
    assert check_schedule(jobs, nodes, run.schedule).ok
    expected = naive_jobs(jobs, ArrayNodes(nodes, jobs), jobs.requested_time, POLICIES["easy"])
    assert run.schedule.start.tolist() == [job.start for job in expected]
    assert run.schedule.allocation is not None
    for place, job in enumerate(expected):
        assert run.schedule.allocation.of(place) == dict(sorted(job.where.items()))
    assert (run.schedule.wait(jobs) > 0).any(), "somebody waits"
