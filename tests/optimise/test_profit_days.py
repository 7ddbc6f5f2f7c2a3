"""A log planned day by day: all jobs run, none early, nobody overbooked, and midnight counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, Workload, check_schedule, simulate
from packwise.model.cluster import NodeGroup
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.rates import Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant
from packwise.model.errors import InputError, UnknownName
from packwise.optimise.offline import Budget
from packwise.planning import RULES, bound_at_once, method_names, plan_at_once, plan_log
from packwise.predict import Exact
from packwise.registry import policy
from tests.draws import draws

DAY = 86400
HOUR = 3600
ENERGY = EnergyScenario("flat", price=Tariff(Constant(150.0, "EUR/MWh")), revenue=0.05, zone="UTC")


def on_pool(jobs: list[tuple[int, int, int]], procs: int) -> tuple[Workload, Cluster]:
    log = Workload.of([(submit, demand, run, run) for submit, demand, run in jobs])
    return log, replace(Cluster.pool(procs), energy=ENERGY)


def on_nodes(jobs: list[tuple[int, int, int]]) -> tuple[Workload, Cluster]:
    """As many units as the demand, of three cores each, on nodes of eight; the first node is too small."""
    log = Workload.of([(submit, 3 * demand, run, run) for submit, demand, run in jobs])
    log = log.replace(units=log.demand // 3, per_unit={"cores": np.full(len(log), 3)})
    groups = (NodeGroup("small", 1, {"cores": 1}), NodeGroup("n", 3, {"cores": 8}))
    return log, Cluster("four", groups, energy=ENERGY)


def test_by_hand() -> None:
    """Two cores. On the first day a job runs until the next evening; the wide one has to wait for it, and the
    small ones beside it fill the day.
    """
    jobs = [(0, 1, 42 * HOUR), (HOUR, 2, HOUR), (2 * HOUR, 1, 3 * HOUR)]
    log, cluster = on_pool(jobs, 2)
    found = plan_log(log, cluster, "heuristic")
    assert found.schedule.start.tolist() == [0, 42 * HOUR, 2 * HOUR]
    assert [day.jobs for day in found.days] == [3, 1]
    assert [day.started for day in found.days] == [2, 1]
    assert [day.begin for day in found.days] == [0, DAY]


def test_a_plan_does_not_see_tomorrow() -> None:
    """The long job starts on the first day, although one comes on the second that would pay more beside it."""
    log, cluster = on_pool([(0, 2, 30 * HOUR), (DAY, 3, HOUR)], 3)
    found = plan_log(log, cluster, "multi")
    assert found.schedule.start.tolist() == [0, 30 * HOUR]


job = st.tuples(st.integers(0, 3 * DAY), st.integers(1, 5), st.integers(60, 20 * HOUR))


@settings(max_examples=draws(15))
@given(
    jobs=st.lists(job, min_size=1, max_size=12),
    method=st.sampled_from(["heuristic", "multi", "delay", "ours"]),
    nodes=st.booleans(),
)
def test_all_jobs_run_and_the_machine_could_do_it(
    jobs: list[tuple[int, int, int]], method: str, nodes: bool
) -> None:
    log, cluster = on_nodes(jobs) if nodes else on_pool(jobs, 5)
    found = [plan_log(log, cluster, method, "200", seed=3) for _ in range(2)]
    schedule = found[0].schedule
    assert schedule.ran.all()
    assert check_schedule(log, cluster, schedule).ok
    assert schedule.start.tolist() == found[1].schedule.start.tolist()
    # What is planned on a day starts on it, and jobs that are not submitted by its end are not.
    begins = [day.begin for day in found[0].days]
    assert sum(day.started for day in found[0].days) == len(log)
    assert all(begin % DAY == 0 for begin in begins)


def test_a_rule_is_the_list_policy() -> None:
    random = np.random.default_rng(2)
    jobs = [
        (int(random.integers(0, DAY)), int(random.integers(1, 6)), int(random.integers(60, HOUR)))
        for _ in range(200)
    ]
    log, cluster = on_pool(jobs, 6)
    for rule, name in (
        ("rule-est", "fcfs-aggressive"),
        ("rule-est-strict", "fcfs"),
        ("rule-wt", "sjf-aggressive"),
    ):
        expected = simulate(log, cluster, policy(name), Exact()).schedule.start
        assert plan_log(log, cluster, rule).schedule.start.tolist() == expected.tolist()


def test_the_rule_of_profit_takes_who_draws_least_for_what_it_pays() -> None:
    """Four jobs for one core at once: in the order of their watts, which differ by job."""
    log, cluster = on_pool([(0, 1, HOUR)] * 4, 1)
    for name in ("rule-profit", "rule-profit-strict"):
        schedule = plan_log(log, cluster, name).schedule
        watts = ENERGY.jobs.of(log)
        assert np.argsort(schedule.start).tolist() == np.argsort(watts).tolist()


def test_the_names() -> None:
    assert set(RULES) < set(method_names())
    log, cluster = on_pool([(0, 1, 60)], 1)
    with pytest.raises(UnknownName, match="multi"):
        plan_log(log, cluster, "mutli")


def test_a_scenario_without_revenue_cannot_be_planned_for_profit() -> None:
    log, cluster = on_pool([(0, 1, 60)], 1)
    cluster = replace(cluster, energy=replace(ENERGY, revenue=None))
    for method in ("multi", "rule-est"):
        with pytest.raises(InputError, match=r"per_core_hour = 0\.05.*--whole"):
            plan_log(log, cluster, method)


def test_jobs_that_do_not_pay_for_their_power_run_all_the_same() -> None:
    """Ours would rather run nothing; somebody begins each day, so that it ends."""
    log, cluster = on_pool([(0, 1, 60), (0, 1, 60)], 1)
    cluster = replace(cluster, energy=replace(ENERGY, revenue=1e-9))
    assert plan_log(log, cluster, "ours", "100").schedule.ran.all()


def test_gains_below_rounding_are_none() -> None:
    """Jobs that draw nothing and meet nobody: no plan of theirs is better, and nobody waits for it."""
    log, cluster = on_pool([(0, 1, 600), (60, 1, 600), (120, 1, 900)], 8)
    free = replace(ENERGY, jobs=JobPower((Draw("cores", 0.0, 0.0),)))
    for method in ("delay", "ours"):
        found = plan_log(log, replace(cluster, energy=free), method, "500")
        assert not any(day.improved for day in found.days)
        assert found.schedule.start.tolist() == log.submit.tolist()


def test_long_gaps_and_a_machine_that_is_full() -> None:
    """A year without jobs is not planned day by day, nor is a day searched on which nobody can start."""
    log, cluster = on_pool([(0, 1, 60), (400 * DAY, 1, 60)], 1)
    assert len(plan_log(log, cluster, "ours", "100").days) == 2
    log, cluster = on_pool([(0, 1, 10 * DAY), (60, 1, 60)], 1)
    found = plan_log(log, cluster, "ours", "1e4")
    assert [day.started for day in found.days] == [1, *[0] * 9, 1]
    assert not any(day.improved for day in found.days)


def test_no_plan_at_once_is_no_plan() -> None:
    """Constraint programming for next to no time: nothing, at an infinite cost, and no bound from it."""
    pytest.importorskip("ortools")
    log, cluster = on_pool([(i, 1 + i % 3, 600 + i) for i in range(40)], 4)
    found = plan_at_once(log, cluster, "cp", Budget(evaluations=1))
    if not found.schedule.ran.all():
        assert found.cost == float("inf")
        with pytest.raises(InputError, match="all jobs run"):
            bound_at_once(log, cluster, found.schedule, 1.0)


def test_constraint_programming_alone_gives_up_on_what_it_cannot_plan() -> None:
    pytest.importorskip("ortools")
    log, cluster = on_pool([(0, 1, 60), (0, 1, 60)], 1)
    assert plan_log(log, cluster, "cp", "2000").schedule.ran.all()


def test_at_once() -> None:
    log, cluster = on_pool([(0, 1, HOUR), (0, 1, HOUR)], 1)
    found = plan_at_once(log, cluster, "ours", "500", value=0.5)
    assert sorted(found.schedule.start.tolist()) == [0, HOUR]
    energy = float((ENERGY.jobs.of(log) * 150 / 1e6).sum())
    assert found.cost == pytest.approx(energy + found.worth)


def test_nodes_that_do_not_matter_are_told_all_the_same() -> None:
    """Units of one core go anywhere: planned as a pool, with the first nodes that have room."""
    log, _ = on_pool([(0, 5, HOUR), (0, 3, HOUR), (60, 8, HOUR)], 1_000)
    cluster = Cluster("two", (NodeGroup("n", 2, {"cores": 4}),), energy=ENERGY)
    schedule = plan_log(log, cluster, "multi").schedule
    assert schedule.allocation is not None
    assert check_schedule(log, cluster, schedule).ok
