"""Units, allocations, and what is said of jobs that no node can run."""

from __future__ import annotations

import re

import numpy as np
import pytest

from packwise import Cluster, Workload
from packwise.model import NodeGroup
from packwise.model.allocation import Allocation
from packwise.model.cluster import Partition
from packwise.model.demands import demands, misfits, nodes_matter, only_large_enough
from packwise.model.errors import InputError, UnknownName
from packwise.model.placement import PLACEMENTS, placement_code

TWO = Cluster(
    "two",
    (
        NodeGroup("cpu", 2, {"cores": 4, "memory": 8}),
        NodeGroup("gpu", 1, {"cores": 4, "memory": 8, "gpus": 2}),
    ),
)


def jobs(units, partition=None, **per_unit):
    n = len(units)
    units = np.array(units)
    needs = {name: np.array(column) for name, column in per_unit.items()}
    return Workload(
        name="w",
        id=np.arange(1, n + 1),
        submit=np.zeros(n, np.int64),
        runtime=np.ones(n, np.int64),
        requested_time=np.ones(n, np.int64),
        demand=units * needs["cores"],
        units=units,
        per_unit=needs,
        extra={} if partition is None else {"partition": np.array(partition)},
    )


def test_units_make_up_the_demand():
    made = jobs([2, 1], cores=[3, 4], gpus=[0, 1])
    assert made.demand.tolist() == [6, 4]
    assert made.select(np.array([False, True])).per_unit["gpus"].tolist() == [1]
    with pytest.raises(
        InputError, match=r"2 units of 3 cores should add up to its demand, found 7"
    ):
        made.replace(demand=np.array([7, 4]))
    with pytest.raises(InputError, match="should tell the cores of a unit"):
        made.replace(per_unit={"gpus": np.array([1, 1])})
    with pytest.raises(InputError, match="not how many units"):
        made.replace(units=None)
    with pytest.raises(InputError, match="job 1: cores of a unit should be between 1"):
        jobs([1], cores=[0])
    with pytest.raises(InputError, match="job 1: units should be between 1"):
        jobs([0], cores=[1])
    with pytest.raises(InputError, match="whole numbers"):
        made.replace(per_unit={"cores": np.array([1.5, 2.0])})


@pytest.mark.parametrize(
    ("workload", "reason"),
    [
        (jobs([1], cores=[5]), "job 1 asks for 5 cores a unit; the largest node of 'two' has 4"),
        (jobs([1], cores=[1], gpus=[3]), "asks for 3 gpus a unit; the largest node of 'two' has 2"),
        (jobs([1], cores=[1], fpgas=[1]), r"1 fpgas a unit; no node of 'two' has any \(cores, mem"),
        (jobs([4], cores=[3]), "job 1 asks for 4 units of 3 cores; 3 fit on the nodes of 'two'"),
    ],
)
def test_who_can_never_run_and_why(workload, reason):
    which, said = misfits(workload, TWO)
    assert which.tolist() == [True]
    assert re.search(reason, said)


def test_no_node_has_all_of_it():
    far = Cluster(
        "far",
        (NodeGroup("a", 1, {"cores": 8}), NodeGroup("b", 1, {"cores": 1, "gpus": 1})),
    )
    assert (
        "on one node; no node of 'far' that it may use has all of it"
        in misfits(jobs([1], cores=[2], gpus=[1]), far).reason
    )
    assert not misfits(jobs([1, 1], cores=[8, 1], gpus=[0, 1]), far).which.any()


def test_partitions_are_subsets_of_nodes():
    cluster = Cluster(
        "p", TWO.groups, (Partition("cpu", 1, ("cpu",)), Partition("gpu", 4, ("gpu",)))
    )
    wanted = demands(jobs([1, 1, 1], [4, -1, 1], cores=[1, 1, 1]), cluster)
    rows = wanted.open[wanted.where[wanted.kind]]
    assert rows.tolist() == [[0, 0, 1], [1, 1, 1], [1, 1, 0]]
    assert misfits(jobs([3], [1], cores=[3]), cluster).which.all()
    with pytest.raises(
        InputError, match="job 1 is of partition 9, which cluster 'p' does not have"
    ):
        demands(jobs([1], [9], cores=[1]), cluster)
    with pytest.raises(UnknownName, match="node group of partition 'x'"):
        Cluster("p", TWO.groups, (Partition("x", 1, ("cpus",)),))


def test_when_nodes_do_not_matter():
    plain = Workload.of([(0, 3, 1, 1), (0, 8, 1, 1)])
    assert not nodes_matter(plain, TWO)
    assert not nodes_matter(jobs([3, 2], cores=[2, 2]), TWO)
    assert nodes_matter(jobs([3, 2], cores=[1, 2]), TWO), "units of two sizes"
    assert nodes_matter(jobs([3, 2], cores=[3, 3]), TWO), "a core is left over on each node"
    assert nodes_matter(jobs([1], cores=[1], memory=[3]), TWO), "memory runs out first"
    assert not nodes_matter(jobs([1, 2], cores=[1, 1], memory=[2, 1]), TWO)
    assert nodes_matter(jobs([1], cores=[1], gpus=[1]), TWO), "only one node has GPUs"
    alone = Cluster("a", (NodeGroup("n", 2, {"cores": 4}, shared=False),))
    assert nodes_matter(plain, alone), "a job has its nodes to itself"


def test_allocations():
    made = Allocation.from_parts([{0: 2, 3: 1}, {}, {2: 1}])
    assert made.of(0) == {0: 2, 3: 1}
    assert made.of(1) == {}
    assert made.job.tolist() == [0, 0, 2]
    assert made.select(np.array([2, 0])).of(0) == {2: 1}
    assert made.select(np.array([True, False, True])).of(1) == {2: 1}
    with pytest.raises(InputError, match="as many numbers of units as of nodes"):
        Allocation(np.array([0, 1]), np.array([1]), np.array([1, 2]))


def test_placements_have_names():
    assert [placement_code(name) for name in PLACEMENTS] == list(range(len(PLACEMENTS)))
    with pytest.raises(UnknownName, match="Did you mean best-fit"):
        placement_code("bestfit")


def test_many_kinds_on_many_nodes_take_little():
    """What fits is asked of groups of nodes, which are alike, not of each node."""
    n = 3000
    many = jobs([1] * n, cores=[1] * n, memory=list(range(1, n + 1)))
    large = Cluster(
        "large",
        (
            NodeGroup("a", 100_000, {"cores": 4, "memory": 2000}),
            NodeGroup("b", 5, {"cores": 4, "memory": 9000}),
        ),
    )
    which, _ = misfits(many, large)
    assert not which.any()
    wanted = only_large_enough(demands(many, large), large)
    assert wanted.open.sum(axis=1).tolist() == [5, 100_005]
