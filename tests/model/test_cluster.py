"""A cluster, and a number of processors in its place."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Schedule, Workload, check_schedule, load_workload, simulate, summarize
from packwise.metrics import metric
from packwise.metrics.breakdown import by_size
from packwise.metrics.fair_start import fair_start_times
from packwise.metrics.series import busy_processors
from packwise.model.cluster import as_cluster
from packwise.model.errors import InputError
from packwise.registry import policy
from packwise.workloads.schedule_files import read_schedule, write_schedule

JOBS = Workload.of([(0, 2, 4, 4), (0, 3, 8, 9), (1, 4, 2, 5)])


@pytest.mark.parametrize("four", [4, np.int64(4), Cluster.pool(4)])
def test_a_number_is_a_pool(four, tmp_path):
    run = simulate(JOBS, four, policy("easy"))
    assert run.cluster == Cluster.pool(4)
    assert type(run.cluster.procs) is int
    pool, schedule = Cluster.pool(4), run.schedule
    assert summarize(JOBS, four, schedule) == summarize(JOBS, pool, schedule)
    assert check_schedule(JOBS, four, schedule) == check_schedule(JOBS, pool, schedule)
    assert metric("AWF").compute(JOBS, four, schedule) == metric("AWF").compute(
        JOBS, pool, schedule
    )
    assert by_size(JOBS, four, schedule).equals(by_size(JOBS, pool, schedule))
    assert busy_processors(JOBS, four, schedule).values.max() <= 4
    assert fair_start_times(JOBS, four, schedule).tolist() == [0, 4, 12]
    write_schedule(tmp_path / "s.csv", JOBS, four, schedule)
    assert read_schedule(tmp_path / "s.csv").cluster.procs == 4


@pytest.mark.parametrize("given", ["4", 4.0, None, True, [4], "kth-sp2"])
def test_anything_else_is_refused_by_name(given):
    schedule = Schedule([0, 4, 12], [4, 12, 14])
    attempts = (
        lambda: simulate(JOBS, given, policy("easy")),
        lambda: check_schedule(JOBS, given, schedule),
        lambda: summarize(JOBS, given, schedule),
        lambda: as_cluster(given),
    )
    for attempt in attempts:
        with pytest.raises(
            InputError, match=r"expected a cluster or a number of processors, found"
        ):
            attempt()


@pytest.mark.parametrize("procs", [0, -1, 2**41, 4.0, "4", True])
def test_a_pool_has_a_whole_number_of_processors(procs):
    with pytest.raises(InputError, match="a pool should have between 1 and"):
        Cluster.pool(procs)


def test_a_loaded_log_is_not_yet_a_workload(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 4\n1 0 0 4 2 -1 -1 2 4 -1 1 5 -1 -1 -1 -1 -1 -1\n")
    with pytest.raises(InputError, match=r"found Loaded. What load_workload\(\) returns has it as"):
        simulate(load_workload(path), 4, policy("easy"))
