"""Nodes that sleep while replays go on: small cases by hand, and accounts of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, Workload, check_schedule, simulate
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.model.cluster import NodeGroup, Outage
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant, Series
from packwise.model.energy.sleep import SleepState
from packwise.optimise.profit.setting import Setting
from packwise.planning import RULES, schedule_by_rule
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.lanes import broad

TEN = JobPower((Draw("cores", 10.0, 10.0),))


def sleepy(cluster: Cluster, after: int, boot: int, size: int = 1, **more) -> Cluster:
    """10 W a core with a job, 4 W without, 1 W asleep, 6 W while it boots."""
    sleep = SleepState(after, 1.0, boot, 6.0, size)
    energy = EnergyScenario("sleepy", jobs=TEN, idle_watts=4.0, sleep=sleep, **more)
    return replace(cluster, energy=energy)


def run(jobs, cluster, name="easy", believed="requested"):
    workload = jobs if isinstance(jobs, Workload) else Workload.of(jobs).replace(start_time=0)
    found = [
        simulate(workload, cluster, policy(name), estimate(believed), stepped=step)
        for step in (False, True)
    ]
    assert found[0].schedule.start.tolist() == found[1].schedule.start.tolist()
    assert found[0].rounds.time.tolist() == found[1].rounds.time.tolist()
    assert check_schedule(workload, cluster, found[0].schedule).ok
    return found[0]


@pytest.mark.parametrize("name", ["easy", "fcfs", "list-saf", "cbf", "dbf", "packwise"])
def test_a_job_waits_for_nodes_that_are_asleep(name) -> None:
    """After 10 s. At 13 all are still awake, at 14 those are not that the second job has left idle. The fourth
    finds the nodes of the second and the third.
    """
    cluster = sleepy(Cluster.pool(4), after=10, boot=5)
    jobs = [(0, 4, 3, 3), (13, 2, 5, 5), (14, 2, 9, 9), (28, 4, 5, 5), (80, 1, 5, 5)]
    found = run(jobs, cluster, name)
    assert found.schedule.start.tolist() == [0, 13, 19, 28, 85]
    assert found.booting.tolist() == [0, 0, 5, 0, 5]
    assert found.schedule.end.tolist() == [3, 18, 28, 33, 90]


def test_those_that_became_idle_last_are_taken_first() -> None:
    """The third job gets the node of the second, and the fourth has to wait for that of the first."""
    cluster = sleepy(Cluster.pool(2), after=10, boot=5)
    found = run([(0, 1, 5, 5), (1, 1, 19, 19), (21, 1, 5, 5), (22, 1, 5, 5)], cluster)
    assert found.schedule.start.tolist() == [0, 1, 21, 27]


def test_processors_sleep_by_the_node() -> None:
    """Two to a node: a second job on a node that boots waits for the rest of that only."""
    cluster = sleepy(Cluster.pool(4), after=10, boot=5, size=2)
    found = run([(0, 4, 1, 1), (50, 1, 9, 9), (52, 1, 9, 9), (58, 1, 9, 9)], cluster)
    assert found.schedule.start.tolist() == [0, 55, 55, 63]


def test_on_nodes_each_sleeps_by_itself() -> None:
    nodes = Cluster("n", (NodeGroup("a", 2, {"cores": 2, "memory": 4}),))
    cluster = sleepy(nodes, after=10, boot=5)
    found = run([(0, 2, 30, 30), (35, 1, 9, 9), (36, 3, 9, 9), (37, 1, 9, 9)], cluster)
    # The node of the first job is awake at 35; the third job needs the other one, too.
    assert found.schedule.start.tolist() == [0, 35, 41, 44]
    assert found.booting.tolist() == [0, 0, 5, 0]


@pytest.mark.parametrize("name", ["easy", "cbf"])
def test_a_reservation_moves_with_who_boots(name) -> None:
    """The first is expected to be gone at 20, but boots until 105: it ends at 125."""
    cluster = sleepy(Cluster.pool(2), after=10, boot=5)
    found = run([(0, 1, 1, 1), (100, 2, 20, 20), (101, 2, 4, 4)], cluster, name)
    assert found.schedule.start.tolist() == [0, 105, 125]


def test_a_job_that_is_killed_boots_again() -> None:
    """It held its nodes from 50 on, ran from 55 to 60, and has them back, awake, at 70; at 81 they are not."""
    nodes = Cluster("n", (NodeGroup("a", 1, {"cores": 2}),), outages=(Outage((0,), 60, 70, True),))
    for after, start in ((10, 70), (9, 75)):
        found = run([(0, 2, 1, 1), (50, 2, 30, 30)], sleepy(nodes, after=after, boot=5))
        assert found.schedule.start.tolist() == [0, start]
        assert found.interrupted.start.tolist() == [55]
        assert found.interrupted.end.tolist() == [60]


def test_a_node_goes_on_booting_when_its_job_is_killed() -> None:
    """The first job has both nodes booted from 50 to 58, and one goes out at 52: the second gets the other one,
    which has 6 seconds to go.
    """
    out = Outage((0,), 52, 100, True)
    cluster = sleepy(Cluster("n", (NodeGroup("a", 2, {"cores": 1}),), outages=(out,)), 10, 8)
    found = run([(0, 1, 1, 1), (50, 2, 9, 9), (51, 1, 9, 9)], cluster)
    assert found.schedule.start.tolist() == [0, 108, 58]
    assert found.booting.tolist() == [0, 8, 6]


def test_without_a_boot_time_nobody_waits() -> None:
    cluster = sleepy(Cluster.pool(4), after=10, boot=0)
    found = run([(0, 4, 3, 3), (100, 2, 5, 5)], cluster)
    assert found.schedule.start.tolist() == [0, 100]
    assert found.booting is None


def test_the_account_knows_who_sleeps_and_boots() -> None:
    """One core: 1 s of work, idle for 10 s, asleep until 50, then boots for 5 s, and 5 s of work."""
    cluster = sleepy(Cluster.pool(1), after=10, boot=5)
    found = run([(0, 1, 1, 1), (50, 1, 5, 5)], cluster)
    bill = account(found.workload, cluster, found.schedule)
    assert bill.work.sum() == pytest.approx(6 * 10)
    assert bill.idle.sum() == pytest.approx(10 * 4 + 39 * 1 + 5 * 6)


@pytest.mark.parametrize("name", ["easy", "packwise", "packwise(energy=0.2)", "cbf"])
@pytest.mark.parametrize("believed", broad(["requested", "exact", "last2"]))
def test_sleep_saves_energy_for_a_little_waiting(name, believed) -> None:
    log = generate(100, 32, 3, load=0.4)
    tariff = {"price": None} if "energy" not in name else {"price": find_energy("day-night").price}
    awake = replace(
        Cluster.pool(32), energy=EnergyScenario("a", jobs=TEN, idle_watts=4.0, **tariff)
    )
    asleep = sleepy(Cluster.pool(32), after=300, boot=180, size=4, **tariff)
    plain, saving = run(log, awake, name, believed), run(log, asleep, name, believed)
    assert saving.booting.max() == 180
    waits = [one.schedule.wait(log).mean() for one in (plain, saving)]
    joules = [account(log, one.cluster, one.schedule).idle.sum() for one in (plain, saving)]
    assert waits[0] < waits[1] or "energy" in name  # who is held back moves others
    assert joules[1] < 0.7 * joules[0]


@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_nodes_that_boot_count_under_a_cap(name) -> None:
    """Booting draws 2 W a core more than idling, a job 6 W: 8 nodes of 4 cores may boot for one core each."""
    log = Workload.of([(0, 1, 1, 1), *((100 + i, 1, 30, 30) for i in range(8))]).replace(
        start_time=0
    )
    cap = Constant(32 * 4.0 + 20.0, "W")
    cluster = sleepy(Cluster.pool(32), after=10, boot=20, size=4, cap=cap)
    found = run(log, cluster, f"{name}(power_cap=on)")
    assert account(log, cluster, found.schedule).over_cap == 0
    assert np.unique(found.schedule.start).size > 2


def test_rules_that_plan_for_profit_know_of_no_sleep() -> None:
    """Plans are made by people who have all night to wake what they need."""
    log = generate(40, 16, 3, load=0.3)
    tariff = {"price": find_energy("day-night").price, "revenue": 0.05}
    found = []
    for sleep in (SleepState(0, 0.0, 600, 0.0), None):
        energy = EnergyScenario("plans", sleep=sleep, idle_watts=1.0, **tariff)
        setting = Setting(log, replace(Cluster.pool(16), energy=energy))
        found.append(schedule_by_rule(setting, RULES["rule-est"]).start.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_who_boots_does_not_run_into_a_lower_cap(name) -> None:
    """The second job would be done by 110, when the cap falls, were it not for the nodes that boot."""
    cap = Series(np.array([0, 110, 200]), np.array([100.0, 18.0, 100.0]), 10**7, "W")
    cluster = sleepy(Cluster.pool(4), after=5, boot=20, cap=cap)
    found = run([(0, 4, 1, 1), (100, 3, 10, 10)], cluster, f"{name}(power_cap=on)")
    assert account(found.workload, cluster, found.schedule).over_cap == 0
    assert found.schedule.start.tolist() == [0, 220]


@pytest.mark.parametrize("name", ["cbf", "cbf(compress=start)"])
@pytest.mark.parametrize(
    "machine", [Cluster.pool(4), Cluster("n", (NodeGroup("a", 2, {"cores": 2}),))]
)
def test_a_job_that_boots_and_ends_before_the_next_round(name, machine) -> None:
    """It was late, although it has ended before it was first expected to: stepped is compiled."""
    submit = [8, 36, 41, 43, 52, 56, 70, 70, 72]
    demand = [3, 4, 2, 4, 2, 4, 4, 1, 3]
    runtime = [16, 20, 9, 23, 23, 10, 9, 25, 21]
    limit = [16, 20, 9, 60, 41, 10, 9, 25, 36]
    run(list(zip(submit, demand, runtime, limit, strict=True)), sleepy(machine, 0, 9, 2), name)


ELAPSED: list[int] = []


class Told:
    """An estimate of 1,000 s that is doubled when a job has run as long, and keeps what it was told."""

    name = "told"

    def predict(self, job) -> float:
        return 1000.0

    def learn(self, job, runtime) -> None:
        assert runtime in (1, 2500)

    def correct(self, job, elapsed) -> float:
        ELAPSED.append(int(elapsed))
        return 2.0 * elapsed


def test_what_boots_is_no_run_time_to_an_estimate() -> None:
    cluster = sleepy(Cluster.pool(1), after=10, boot=3000)
    workload = Workload.of([(0, 1, 1, 1), (100, 1, 2500, 9000)]).replace(start_time=0)
    for stepped in (False, True):
        ELAPSED.clear()
        found = simulate(workload, cluster, policy("easy"), Told(), stepped=stepped)
        assert found.schedule.start.tolist() == [0, 3100]
        assert ELAPSED == [1000, 2000]
        assert found.corrections.tolist() == [0, 2]
