"""Why a job waits on nodes: which resource is short, and where. Worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, simulate
from packwise.model import NodeGroup, Outage
from packwise.model.cluster import node_names
from packwise.optimise.explanation import explain
from packwise.optimise.moment import moment_of
from packwise.registry import policy
from tests.engine.test_nodes_small_cases import work

#: Three nodes of two cores, and two of four cores with a GPU.
SITE = Cluster(
    "site", (NodeGroup("cpu", 3, {"cores": 2}), NodeGroup("gpu", 2, {"cores": 4, "gpus": 1}))
)


def explained(rows, gpus, at, name="easy", cluster=SITE, jobs=None):
    given = work(rows, gpus) if jobs is None else jobs
    moment = moment_of(lambda one: simulate(given, cluster, one), policy(name), at)
    return explain(moment, name, "AF")


def test_a_gpu_is_short_on_both_nodes():
    rows = [(0, 1, 1, 10), (0, 1, 1, 20), (5, 1, 1, 5), (5, 1, 2, 5)]
    found = explained(rows, [1, 1, 1, 0], 5)
    verdict = found.verdict(0)
    assert verdict.status == "no room"
    assert {name: nodes.tolist() for name, nodes in verdict.lack.short.items()} == {"gpus": [3, 4]}
    assert (verdict.lack.units, verdict.lack.room) == (1, 0)
    assert found.verdict(1).status == "starts"
    assert found.plan.start.tolist() == [10, 5]
    assert set(found.nodes.where) == {3}


def test_cores_of_one_node_and_an_outage():
    # The unit of four cores fits on GPU nodes only: one of them has three left, the other is out.
    rows = [(0, 1, 1, 30), (5, 1, 4, 5), (5, 2, 4, 5)]
    out = replace(SITE, outages=(Outage((4,), 2, 40),))
    found = explained(rows, [1, 0, 0], 5, cluster=out)
    lack = found.verdict(0).lack
    assert lack.could.tolist() == [3, 4]
    assert {name: nodes.tolist() for name, nodes in lack.short.items()} == {"cores": [3]}
    assert lack.out.tolist() == [4]
    assert found.verdict(1).lack.units == 2
    assert found.plan.start.tolist() == [
        30,
        40,
    ]  # the second is put behind the first, when both are back


def test_a_node_of_ones_own_is_taken():
    whole = Cluster("whole", (NodeGroup("n", 2, {"cores": 4}, shared=False),))
    found = explained([(0, 1, 1, 9), (0, 1, 1, 9), (1, 1, 1, 3)], None, 1, cluster=whole)
    lack = found.verdict(0).lack
    assert (lack.occupied.tolist(), lack.room, dict(lack.short)) == ([0, 1], 0, {})


def test_who_would_delay_whom():
    # Job 1 leaves half of each node free. Job 2 needs both nodes and is reserved for 10; job 3 (20 s) fits now,
    # and would hold a core of job 2's.
    two = Cluster("two", (NodeGroup("n", 2, {"cores": 2}),))
    rows = [(0, 2, 1, 10), (1, 2, 2, 5), (1, 1, 1, 20)]
    given = work(rows)
    moment = moment_of(
        lambda one: simulate(given, two, one, placement="balanced"), policy("easy"), 1
    )
    found = explain(moment, "easy", "AF")
    assert found.verdict(0).status == "no room"
    assert found.verdict(1).status == "would delay"
    assert found.verdict(1).delays == (0,)
    assert found.plan.start.tolist() == [10, 15]


@pytest.mark.parametrize("name", ["easy", "list-saf", "cbf", "packwise", "fcfs", "list-reg"])
def test_plans_are_no_better_than_the_bound(name):
    rows = [(0, 2, 2, 50), *((k, 1 + k % 2, 1 + k % 4, 10 + k) for k in range(1, 12))]
    found = explained(rows, [0, *(k % 3 == 0 for k in range(1, 12))], None, name)
    assert len(found.round) > 3
    for plan in (found.plan, *found.others):
        assert (plan.start >= found.round.now).all()
        for metric, value in plan.value.items():
            assert value >= found.bound[metric] * (1 - 1e-9)
    for place in range(len(found.round)):
        assert found.verdict(place).status in ("starts", "no room", "would delay", "left")


def test_nodes_by_name():
    names = node_names(SITE, np.array([0, 1, 2, 4]))
    assert names == "cpu-[1-3], gpu-2"
    many = Cluster("many", (NodeGroup("n", 20, {"cores": 1}),))
    assert node_names(many, np.array([0, 2, 4, 5, 6, 9, 12, 13])) == "n-[1,3,5-7] and 3 more"
    assert node_names(many, np.array([], np.int64)) == ""
