"""A schedule is held against every node: hand-made ones, and those of the engine with one thing changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, Schedule, Workload, check_schedule, load_workload, simulate
from packwise.feasibility import Kind
from packwise.model import NodeGroup
from packwise.model.allocation import Allocation
from packwise.model.cluster import Outage, Partition
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.sleep import SleepState
from packwise.model.errors import FormatError
from packwise.workloads.schedule_files import read_schedule, write_schedule

TWO = Cluster("two", (NodeGroup("n", 2, {"cores": 4, "gpus": 1}),))


def work(gpus=(0, 0, 0)):
    """Three jobs of a unit of three cores each, all submitted at 0."""
    n = len(gpus)
    return Workload(
        name="w",
        id=np.arange(1, n + 1),
        submit=np.zeros(n, np.int64),
        runtime=np.full(n, 5),
        requested_time=np.full(n, 5),
        demand=np.full(n, 3),
        units=np.ones(n, np.int64),
        per_unit={"cores": np.full(n, 3), "gpus": np.array(gpus)},
        extra={"partition": np.zeros(n, np.int64)},
    )


def check(starts, where, gpus=(0, 0, 0), cluster=TWO):
    start = np.array(starts)
    allocation = None if where is None else Allocation.from_parts(where)
    return check_schedule(work(gpus), cluster, Schedule(start, start + 5, allocation=allocation))


def test_what_fits():
    assert check([0, 0, 5], [{0: 1}, {1: 1}, {0: 1}]).ok
    assert check([0, 0, 5], [{0: 1}, {1: 1}, {0: 1}], gpus=(1, 1, 1)).ok


def test_a_node_over_its_capacity():
    verdict = check([0, 3, 9], [{0: 1}, {0: 1}, {0: 1}])
    (found,) = verdict.violations
    assert (found.kind, found.job_id, found.time, found.amount) == (Kind.NODE_OVERUSE, 2, 3, 2)
    assert "from 3 on 6 cores are used on node n-1, 2 more than the 4 there are" in found.message


def test_any_resource_counts():
    verdict = check([0, 9, 0], [{0: 1}, {0: 1}, {1: 1}], gpus=(2, 0, 0))
    (found,) = verdict.violations
    assert (found.job_id, found.amount) == (1, 1)
    assert "2 gpus are used on node n-1" in found.message


def test_at_one_moment_ends_come_before_starts():
    assert check([0, 5, 10], [{0: 1}, {0: 1}, {0: 1}]).ok


@pytest.mark.parametrize("where", [{}, {0: 2}, {7: 1}, {0: 1, 1: 1}])
def test_units_that_do_not_add_up(where):
    verdict = check([0, 6, 12], [where, {0: 1}, {1: 1}])
    (found,) = (one for one in verdict.violations if one.kind == Kind.MISPLACED)
    assert "job 1 should have its 1 unit(s) on nodes 0 to 1" in found.message


def test_nodes_of_another_partition():
    groups = (NodeGroup("a", 1, {"cores": 4}), NodeGroup("b", 1, {"cores": 4}))
    cluster = Cluster("p", groups, (Partition("a", 0, ("a",)),))
    verdict = check([0, 6, 12], [{0: 1}, {1: 1}, {0: 1}], cluster=cluster)
    assert [(one.kind, one.job_id) for one in verdict.violations] == [(Kind.MISPLACED, 2)]


def test_whole_nodes():
    alone = Cluster("alone", (NodeGroup("n", 2, {"cores": 8}, shared=False),))
    assert check([0, 0, 5], [{0: 1}, {1: 1}, {0: 1}], cluster=alone).ok
    verdict = check([0, 2, 9], [{0: 1}, {0: 1}, {0: 1}], cluster=alone)
    (found,) = verdict.violations
    assert "node n-1 has job 2 beside another" in found.message


def test_a_schedule_without_nodes_is_held_against_their_sum():
    verdict = check([0, 0, 5], None)
    assert verdict.ok
    assert not verdict.nodes_known
    verdict = check([0, 0, 5], None, gpus=(2, 1, 0))
    assert (
        "3 gpus are used on the nodes together, 1 more than the 2" in verdict.violations[0].message
    )


def test_each_node_is_named():
    """A job that overuses two nodes alike."""
    wide = Workload.of([(0, 8, 5, 5), (0, 8, 5, 5)])
    both = Allocation.from_parts([{0: 4, 1: 4}, {0: 4, 1: 4}])
    verdict = check_schedule(wide, TWO, Schedule(np.zeros(2), np.full(2, 5), allocation=both))
    named = [one.message for one in verdict.violations if one.kind == Kind.NODE_OVERUSE]
    assert ["n-1" in named[0], "n-2" in named[1]] == [True, True]


def booted(starts, booting, outage, cluster=TWO):
    """Two jobs of three cores on the first node; it boots for the second."""
    start = np.array(starts)
    where = Allocation.from_parts([{0: 1}] * len(starts))
    schedule = Schedule(start, start + 5, allocation=where, booting=np.array(booting))
    out = replace(cluster, outages=(outage,))
    return [
        (one.kind, one.job_id, one.time, one.amount)
        for one in check_schedule(work((0,) * len(starts)), out, schedule).violations
    ]


def test_who_holds_nodes_that_boot_stays_on_them_when_a_drain_begins():
    """The second is given the node at 20, which boots until 30; the drain begins at 25."""
    drain = Outage((0,), 25, 60, kill=False)
    assert booted([0, 30], [0, 10], drain) == []
    assert booted([0, 30], [0, 6], drain) == []
    # It was given the node when that was out already: at the moment of the drain, or later.
    assert booted([0, 30], [0, 5], drain) == [(Kind.WHILE_OUT, 2, 25, 10)]
    assert booted([0, 30], [0, 0], drain) == [(Kind.WHILE_OUT, 2, 30, 5)]
    # Who is killed loses nodes that boot, too.
    kills = Outage((0,), 25, 60, kill=True)
    assert booted([0, 30], [0, 10], kills) == [(Kind.WHILE_OUT, 2, 25, 10)]


def test_nodes_that_boot_are_nobody_elses():
    drain = Outage((1,), 0, 1)
    assert booted([0, 15], [0, 10], drain) == []
    (found,) = booted([0, 14], [0, 10], drain)
    assert found == (Kind.NODE_OVERUSE, 2, 4, 2)
    assert booted([0, 8], [0, 10], drain)[0] == (Kind.EARLY, 2, -2, 2)


def test_nobody_waits_longer_than_nodes_boot():
    sleep = SleepState(after=10, watts=0.0, boot_time=9, boot_watts=0.0)
    sleepy = replace(TWO, energy=EnergyScenario("sleepy", sleep=sleep))
    drain = Outage((1,), 0, 1)
    assert booted([0, 30], [0, 9], drain, sleepy) == []
    assert booted([0, 30], [0, 10], drain, sleepy) == [(Kind.LONG_BOOT, 2, 20, 1)]
    awake = replace(TWO, energy=EnergyScenario("awake"))
    assert booted([0, 30], [0, 1], drain, awake) == [(Kind.LONG_BOOT, 2, 29, 1)]


def test_a_file_tells_since_when_nodes_are_held(tmp_path):
    """A replay in which a drain begins while nodes boot, written and read."""
    sleep = SleepState(after=10, watts=0.0, boot_time=9, boot_watts=0.0)
    outages = (Outage((0, 1), 105, 200, kill=False),)
    cluster = replace(TWO, energy=EnergyScenario("sleepy", sleep=sleep), outages=outages)
    jobs = Workload.of([(0, 8, 5, 5), (100, 8, 5, 5)])
    run = simulate(jobs, cluster, "easy")
    assert run.schedule.start.tolist() == [0, 109]
    assert run.booting.tolist() == [0, 9]
    for name in ("plan.csv", "plan.parquet"):
        write_schedule(tmp_path / name, run.workload, cluster, run.schedule)
        read = read_schedule(tmp_path / name)
        assert read.schedule.booting.tolist() == [0, 9]
        assert check_schedule(read.workload, replace(cluster, energy=None), read.schedule).ok
        recorded = simulate(load_workload(tmp_path / name).workload, cluster, "recorded")
        assert check_schedule(recorded.workload, cluster, recorded.schedule).ok


@pytest.mark.parametrize("cell", ["-1", "10"])
def test_nodes_boot_between_submission_and_start(tmp_path, cell):
    path = tmp_path / "plan.csv"
    head = "job_id,submit,wait,start,end,runtime,requested_time,demand,booting"
    path.write_text(f"{head}\n1,0,0,0,5,5,5,1,0\n2,3,9,12,17,5,5,1,{cell}\n")
    with pytest.raises(FormatError, match="line 3: expected in column 'booting' seconds from 0 to"):
        read_schedule(path, procs=4)
