"""Nodes that sleep, by hand; on a pool also against the twin of test_account."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise.metrics.energy.account import account
from packwise.model import Allocation, Cluster, NodeGroup, Schedule, Workload
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.sleep import SleepState
from packwise.model.errors import InputError

SLEEP = SleepState(after=10, watts=1.0, boot_time=5, boot_watts=20.0)
SCENARIO = EnergyScenario("s", idle_watts=10.0, sleep=SLEEP)
NODES = Cluster("n", (NodeGroup("n", 2, {"cores": 4}),), energy=SCENARIO)


def test_a_node_sleeps_between_its_jobs_and_boots_in_time() -> None:
    """One processor: a job until 100, the next at 200. Awake 10 s, asleep 85 s, booting 5 s."""
    workload = Workload.of([(0, 1, 100, 100), (0, 1, 50, 50)])
    found = account(
        workload, replace(Cluster.pool(1), energy=SCENARIO), Schedule([0, 200], [100, 250])
    )
    assert found.idle.sum() == pytest.approx(10 * 10 + 85 * 1 + 5 * 20)


def test_gaps_too_short_for_a_nap_are_idle() -> None:
    workload = Workload.of([(0, 1, 100, 100), (0, 1, 50, 50)])
    found = account(
        workload, replace(Cluster.pool(1), energy=SCENARIO), Schedule([0, 115], [100, 165])
    )
    assert found.idle.sum() == pytest.approx(15 * 10)


def test_on_nodes_each_has_gaps_of_its_own() -> None:
    """Node 0: two jobs that overlap until 60, then one at 160. Node 1: never used in 200 s."""
    workload = Workload.of([(0, 2, 50, 50), (0, 2, 60, 60), (0, 4, 40, 40)])
    workload = workload.replace(units=np.ones(3, np.int64), per_unit={"cores": workload.demand})
    where = Allocation.from_parts([{0: 1}, {0: 1}, {0: 1}])
    found = account(workload, NODES, Schedule([0, 0, 160], [50, 60, 200], allocation=where))
    idle = 10 * (2 * 10)  # two cores of node 0 from 50 to 60
    gap = 4 * (10 * 10 + 85 * 1 + 5 * 20)  # node 0 from 60 to 160
    other = 4 * (10 * 10 + 190 * 1)  # node 1: nobody needs it, so it never boots
    assert found.idle.sum() == pytest.approx(idle + gap + other)


def test_nodes_have_to_be_known() -> None:
    workload = Workload.of([(0, 2, 50, 50)])
    with pytest.raises(InputError, match="tells the nodes of its jobs"):
        account(workload, NODES, Schedule([0], [50]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"after": -1}, "after should be 0 or more"),
        ({"boot_time": -1}, "boot_time"),
        ({"cores_per_node": 0}, "cores_per_node should be 1 or more"),
        ({"watts": float("nan")}, "watts should be a number"),
        ({"boot_watts": -2.0}, "boot_watts"),
    ],
)
def test_what_cannot_be_is_refused(changes, words) -> None:
    with pytest.raises(InputError, match=words):
        replace(SLEEP, **changes)


def test_a_core_asleep_draws_no_more_than_an_idle_one() -> None:
    with pytest.raises(InputError, match="no more than an idle one"):
        EnergyScenario("s", idle_watts=0.5, sleep=SLEEP)
