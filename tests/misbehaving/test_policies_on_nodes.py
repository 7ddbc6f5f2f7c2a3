"""Policies that place units where they cannot be, and views whose nodes contradict themselves."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Decision, Workload, simulate
from packwise.model import NodeGroup
from packwise.model.allocation import Allocation
from packwise.model.cluster import Partition
from packwise.model.errors import BadDecision, BadView, OverAllocation
from packwise.policies.catalogue import POLICIES
from packwise.registry import policy as named

PAIR = Cluster(
    "pair",
    (NodeGroup("cpu", 1, {"cores": 4}), NodeGroup("gpu", 1, {"cores": 4, "gpus": 1}, shared=False)),
    (Partition("cpu", 0, ("cpu",)), Partition("gpu", 1, ("gpu",))),
)


def jobs(partition=(-1, -1)):
    """Two jobs of two units of two cores, one after the other."""
    return Workload(
        name="w",
        id=np.array([7, 8]),
        submit=np.array([0, 1]),
        runtime=np.array([9, 9]),
        requested_time=np.array([9, 9]),
        demand=np.array([4, 4]),
        units=np.array([2, 2]),
        per_unit={"cores": np.array([2, 2])},
        extra={"partition": np.array(partition)},
    )


def run(allocation, partition=(-1, -1)):
    class Bad:
        name = "bad"

        def decide(self, view):
            return Decision(start=view.queue, allocation=allocation(view))

    return simulate(jobs(partition), PAIR, Bad())


@pytest.mark.parametrize(
    ("allocation", "error", "message"),
    [
        ({0: {0: 1}}, BadDecision, r"should place the 2 unit\(s\) of job 7 \(number 0\)"),
        ({0: {0: 3}}, BadDecision, "should place the 2 unit"),
        ({0: {0: 2, 1: 0}}, BadDecision, "1 or more on each of its nodes"),
        ({0: {5: 2}}, BadDecision, "names node 5; there are nodes 0 to 1"),
        ({0: {-1: 2}}, BadDecision, "names node -1"),
        ({1: {0: 2}}, BadDecision, "is not among those that start at time 0"),
        ({0: [0, 1]}, BadDecision, "nodes and numbers of units by job number"),
        ({0: {0: 1.5}}, BadDecision, "nodes and numbers of units by job number"),
        ("anywhere", BadDecision, "nodes and numbers of units by job number"),
    ],
)
def test_wrong_allocations(allocation, error, message):
    with pytest.raises(error, match=message):
        run(lambda view: allocation)


def test_more_than_a_node_has():
    with pytest.raises(OverAllocation, match=r"puts 2 unit\(s\) of job 8 .* not enough: cores"):
        run(lambda view: {int(job): {0: 2} for job in view.queue})
    with pytest.raises(OverAllocation, match="node 1 at time 1, which has not enough: cores"):
        run(lambda view: {int(job): {1: 2} for job in view.queue})


def test_a_node_of_another_partition():
    with pytest.raises(BadDecision, match="on node 1, which is not of its partition"):
        run(lambda view: {int(job): {1: 2} for job in view.queue}, partition=(0, 0))


def test_starting_without_room():
    """A policy that counts processors only is told that the nodes have no room."""
    three = jobs().replace(
        units=np.array([1, 1]), per_unit={"cores": np.array([3, 3])}, demand=np.array([3, 3])
    )
    both = Cluster("both", (NodeGroup("n", 2, {"cores": 4}),))

    class Counts:
        name = "counts"

        def decide(self, view):
            return Decision(start=[j for j in view.queue if view.demand[j] <= view.free])

    more = three.select(np.array([0, 1]))
    assert simulate(more, both, Counts()).schedule.start.tolist() == [0, 1]
    tight = Cluster("tight", (NodeGroup("n", 3, {"cores": 2}),))
    two = three.replace(
        units=np.array([2, 2]), per_unit={"cores": np.array([2, 1])}, demand=np.array([4, 2])
    )
    filled = two.replace(id=np.array([7, 8]), submit=np.array([0, 0]))
    assert simulate(filled, tight, Counts()).schedule.start.tolist() == [0, 0]
    odd = filled.replace(
        units=np.array([3, 1]), per_unit={"cores": np.array([1, 2])}, demand=np.array([3, 2])
    )
    with pytest.raises(OverAllocation, match=r"no nodes have room for its 1 unit\(s\) of 2 cores"):
        simulate(odd, tight, Counts(), placement="balanced")


def test_an_allocation_on_a_pool():
    class There:
        name = "there"

        def decide(self, view):
            return Decision(start=view.queue, allocation={int(j): {0: 2} for j in view.queue})

    with pytest.raises(BadDecision, match="for a machine of nodes; this one is a pool"):
        simulate(jobs(), 8, There())


def a_view():
    """A view with one job that runs and one that waits."""
    seen = []

    class Spy:
        name = "spy"

        def decide(self, view):
            seen.append(view)
            return POLICIES["easy"].decide(view)

    simulate(jobs(), PAIR, Spy())
    return next(view for view in seen if len(view.queue) and len(view.running))._replace(
        memory=None
    )


@pytest.mark.parametrize("name", ["easy", "list-saf", "cbf", "packwise"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"free": np.zeros((3, 2), np.int64)}, "capacity and free should be alike"),
        ({"units": np.array([1])}, "an entry for each of the 2 jobs"),
        ({"per_unit": np.zeros((2, 2), np.int64)}, "every unit should need something"),
        ({"per_unit": np.full((2, 2), -1)}, "no need below 0"),
        ({"held": Allocation.from_parts([])}, "the nodes of each of the 1 running jobs"),
        ({"held": Allocation.from_parts([{9: 2}])}, "held should have nodes from 0 to 1"),
        ({"where": np.array([0])}, "where should have an entry for each of the 2 jobs"),
        ({"where": np.array([0, 9])}, "rows of open, from 0 to 0"),
    ],
)
def test_views_that_contradict_themselves(name, changes, message):
    view = a_view()
    view = view._replace(nodes=view.nodes._replace(**changes))
    with pytest.raises(BadView, match=message):
        named(name).decide(view)


@pytest.mark.parametrize("name", ["easy", "list-saf", "cbf", "packwise"])
def test_a_node_that_is_gone_lets_jobs_wait(name):
    """A live host may have lost a node: nothing free there, ever. Who needs it is told, and waits."""
    view = a_view()
    lost = view.nodes.free.copy()
    lost[:] = 0
    held = Allocation.from_parts([{}])
    decision = named(name).decide(view._replace(nodes=view.nodes._replace(free=lost, held=held)))
    assert list(decision.start) == []
    assert list(decision.never) == view.queue.tolist()


@pytest.mark.parametrize("name", ["easy", "list-saf", "cbf", "packwise"])
def test_a_node_of_which_a_part_is_gone(name):
    """A job has such a node to itself or not at all: with a core missing, nobody can ever have it."""
    view = a_view()
    lost = view.nodes.free.copy()
    lost[:, 0] = [0, 3]
    held = Allocation.from_parts([{}])
    decision = named(name).decide(view._replace(nodes=view.nodes._replace(free=lost, held=held)))
    assert list(decision.start) == []
    assert list(decision.never) == view.queue.tolist()
