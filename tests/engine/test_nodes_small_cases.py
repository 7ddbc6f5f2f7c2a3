"""Small cases on nodes, worked out by hand. A row is a core; nodes are divided by dashes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from packwise import Cluster, Decision, Requested, Workload, simulate
from packwise.feasibility import check_schedule
from packwise.model import NodeGroup
from packwise.model.errors import InputError, JobTooLarge, UnknownName
from packwise.model.placement import PLACEMENTS
from packwise.registry import POLICIES, policy

#: Two nodes of two cores, the second with a GPU.
PAIR = Cluster(
    "pair", (NodeGroup("cpu", 1, {"cores": 2}), NodeGroup("gpu", 1, {"cores": 2, "gpus": 1}))
)


def work(rows, gpus=None):
    """From (submit, units, cores of a unit, run time) tuples."""
    submit, units, cores, runtime = np.array(rows, np.int64).T
    needs = {"cores": cores, "gpus": np.array(gpus or [0] * len(rows), np.int64)}
    return Workload(
        name="small",
        id=np.arange(1, len(rows) + 1),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=units * cores,
        units=units,
        per_unit=needs,
    )


def run(name, rows, gpus=None, placement="first-fit", cluster=PAIR):
    return simulate(work(rows, gpus), cluster, policy(name), Requested(), placement=placement)


def test_a_unit_is_on_one_node():
    # 1..22     Job 1 has a core of the first node, job 2 one of the second. Two cores are free,
    # -----     but not on one node: job 3 (one unit of two cores) waits for 3.
    # 2233
    done = run("fcfs", [(0, 1, 1, 3), (0, 1, 1, 5), (1, 1, 2, 2)], placement="balanced")
    assert done.schedule.start.tolist() == [0, 0, 3]
    assert [done.schedule.allocation.of(j) for j in range(3)] == [{0: 1}, {1: 1}, {0: 1}]
    # Two units of one core fit at once.
    done = run("fcfs", [(0, 1, 1, 3), (0, 1, 1, 5), (1, 2, 1, 2)], placement="balanced")
    assert done.schedule.start.tolist() == [0, 0, 1]
    assert done.schedule.allocation.of(2) == {0: 1, 1: 1}


def test_a_job_without_a_gpu_leaves_it_to_others():
    rows, gpus = [(0, 1, 2, 9), (1, 1, 1, 2), (2, 1, 2, 3)], [0, 1, 0]
    # Job 2 needs the GPU. First fit puts job 1 on the node without, too; but behind a job that has it...
    done = run("fcfs", rows, gpus, "scarce-last")
    assert done.schedule.allocation.of(0) == {0: 1}
    # ... once somebody has asked for a GPU, a job that needs none goes to the other node, though it is busier.
    rows, gpus = [(0, 1, 1, 9), (0, 1, 1, 2), (5, 1, 1, 3)], [0, 1, 0]
    assert run("fcfs", rows, gpus, "balanced").schedule.allocation.of(2) == {1: 1}
    assert run("fcfs", rows, gpus, "scarce-last").schedule.allocation.of(2) == {0: 1}


def test_easy_reserves_real_nodes():
    # 1111133     Job 1 has the first node until 5, job 2 half of the second until 2. Job 3 (two units of
    # 1111133     two cores) is reserved for 5. Job 4 (one core, 3 s) fits at 1 and ends at 4: it starts.
    # -------     Job 5 (one core, 9 s) would hold a core of job 3's: it waits until 7.
    # 22...335555
    # .444.33
    rows = [(0, 1, 2, 5), (0, 1, 1, 2), (1, 2, 2, 2), (1, 1, 1, 3), (1, 1, 1, 9)]
    done = run("easy", rows)
    assert done.schedule.start.tolist() == [0, 0, 5, 1, 7]
    assert done.schedule.allocation.of(2) == {0: 1, 1: 1}


@pytest.mark.parametrize("rule", PLACEMENTS)
def test_a_reservation_takes_the_busiest_nodes(rule):
    # 11111       At 5 either node could have job 3 (one unit of two cores). It is promised the second, which
    # .44444444   is full by now: so job 4 (one core, 8 s) starts at once on the first.
    # -----
    # 2222233
    # 2222233
    rows = [(0, 1, 1, 5), (0, 1, 2, 5), (1, 1, 2, 2), (1, 1, 1, 8)]
    alike = Cluster("alike", (NodeGroup("cpu", 2, {"cores": 2}),))
    done = run("easy", rows, placement=rule, cluster=alike)
    assert done.schedule.start.tolist() == [0, 0, 5, 1]
    assert [done.schedule.allocation.of(j) for j in (2, 3)] == [{1: 1}, {0: 1}]


@pytest.mark.parametrize(
    ("rule", "node"), [("first-fit", 0), ("best-fit", 1), ("consolidate", 2), ("balanced", 0)]
)
def test_the_rules_differ(rule, node):
    """A job of one core and 1 MB comes. Nodes 0 and 2 have 8 cores, of which 6 are taken on node 2; node 1 has
    four cores, but memory for one unit only: the fewest fit there. Node 2 is the busiest.
    """
    three = Cluster(
        "three",
        (
            NodeGroup("a", 1, {"cores": 8, "memory": 8}),
            NodeGroup("b", 1, {"cores": 4, "memory": 1}),
            NodeGroup("c", 1, {"cores": 8, "memory": 8}),
        ),
    )
    jobs = work([(0, 6, 1, 50), (1, 1, 1, 5)]).replace(
        per_unit={"cores": np.array([1, 1]), "memory": np.array([0, 1])}
    )

    class ThereAndThen:
        name = "there"

        def decide(self, view):
            where = {0: {2: 6}} if 0 in view.queue else {}
            return Decision(start=view.queue, allocation=where)

    done = simulate(jobs, three, ThereAndThen(), placement=rule)
    assert done.schedule.allocation.of(0) == {2: 6}
    assert done.schedule.allocation.of(1) == {node: 1}


def test_whole_nodes():
    alone = Cluster("alone", (NodeGroup("n", 2, {"cores": 4}, shared=False),))
    # Each job has its node to itself, however small: the third waits for the first.
    done = run("fcfs", [(0, 1, 1, 4), (0, 1, 1, 6), (0, 1, 1, 2)], cluster=alone)
    assert done.schedule.start.tolist() == [0, 0, 4]
    assert [done.schedule.allocation.of(j) for j in range(3)] == [{0: 1}, {1: 1}, {0: 1}]
    # Five units of one core need two nodes.
    assert run("fcfs", [(0, 5, 1, 4)], cluster=alone).schedule.allocation.of(0) == {0: 4, 1: 1}


def test_on_nodes_that_do_not_matter_a_replay_is_that_of_the_pool():
    jobs = Workload.of([(0, 3, 4, 4), (1, 4, 2, 2), (1, 1, 3, 3), (2, 1, 5, 5), (2, 2, 1, 1)])
    four = Cluster("four", (NodeGroup("n", 2, {"cores": 2, "gpus": 1}),))
    for name in ("easy", "list-reg", "cbf", "dbf", "packwise", "list-saf"):
        on_pool = simulate(jobs, 4, policy(name))
        for stepped in (False, True):
            on_nodes = simulate(jobs, four, policy(name), stepped=stepped)
            assert on_nodes.schedule.start.tolist() == on_pool.schedule.start.tolist(), name
            assert on_nodes.schedule.allocation is not None


@pytest.mark.parametrize("stepped", [False, True])
def test_every_policy_plans_on_nodes_or_says_that_it_cannot(stepped):
    jobs = work([(0, 1, 1, 3), (0, 1, 1, 5), (1, 1, 2, 2)])
    for name, one in POLICIES.items():
        if name == "dbf" or getattr(one, "pool_only", False):
            with pytest.raises(InputError, match=f"policy '{re.escape(name)}' cannot plan on node"):
                simulate(jobs, PAIR, one, placement="balanced", stepped=stepped)
        else:
            done = simulate(jobs, PAIR, one, placement="balanced", stepped=stepped)
            assert check_schedule(jobs, PAIR, done.schedule).ok, name


def test_what_cannot_be_is_said():
    with pytest.raises(JobTooLarge, match="job 1 asks for 3 cores a unit; the largest node"):
        run("easy", [(0, 1, 3, 1)])
    with pytest.raises(UnknownName, match="unknown placement 'fist-fit'"):
        run("easy", [(0, 1, 1, 1)], placement="fist-fit")
    jobs = work([(0, 1, 3, 1), (0, 1, 2, 2)])
    rejecting = simulate(jobs, PAIR, policy("easy"), reject_too_large=True)
    assert rejecting.rejected.tolist() == [1]
    with pytest.raises(JobTooLarge, match="none of its 1 jobs can ever run on 'pair'"):
        simulate(work([(0, 1, 3, 1)]), PAIR, policy("easy"), reject_too_large=True)


def test_nodes_of_more_cores_than_are_told_apart():
    huge = Cluster(
        "huge",
        (NodeGroup("a", 2, {"cores": 10**8}), NodeGroup("b", 1, {"cores": 4, "gpus": 2})),
    )
    rows = [(0, 5_000_000, 1, 5), (0, 1, 2, 5), (0, 150_000_000, 1, 5)]
    for name in ("easy", "list-saf", "cbf", "packwise"):
        done = run(name, rows, [0, 1, 0], cluster=huge)
        assert done.schedule.start.tolist() == [0, 0, 0], name
