"""Who could have been moved: against every delay there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.metrics.energy.account import Accrual, account
from packwise.metrics.energy.breakdown import by_day, by_partition, by_user
from packwise.metrics.energy.movable import movable
from packwise.model import Cluster, Schedule, Workload
from packwise.model.energy.cooling import Cooling
from packwise.model.energy.rates import Carbon, Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant
from packwise.model.workload import NO_DEADLINE
from tests.metrics.energy.test_account import EVE, KILOWATT, series
from tests.metrics.random_schedules import cases

#: Where the series of these tests end.
END = 5000


@given(cases(deadlines=True), st.lists(st.integers(1, 60), max_size=6, unique=True), st.data())
def test_the_best_delay_is_the_best_of_all(case, inside, data) -> None:
    times = [0, *sorted(inside)]
    values = [data.draw(st.integers(-50, 200)) for _ in times]
    within = data.draw(st.integers(0, 40))
    scenario = EnergyScenario("s", price=Tariff(series(times, values)), jobs=KILOWATT)
    workload = case.workload.replace(start_time=EVE)
    found = account(workload, replace(case.cluster, energy=scenario), case.schedule)
    moved = movable(found, within)
    outcome = found.outcome
    edges = np.append(times, END)  # prices are known beyond the schedule
    until = Accrual(edges, np.concatenate(([0.0], np.cumsum(np.diff(edges) * np.array(values)))))
    for i in range(len(outcome)):
        length = int(outcome.runtime[i])
        last = min(int(outcome.start[i]) + within, END - length)
        if outcome.deadline is not None and outcome.deadline[i] != NO_DEADLINE:
            last = min(last, int(outcome.deadline[i]) - length)
        starts = np.arange(int(outcome.start[i]), max(last, int(outcome.start[i])) + 1)
        costs = found.watts[i] * (until.at(starts + length) - until.at(starts)) / 3.6e9
        assert moved.saving[i] == pytest.approx(costs[0] - costs.min(), abs=1e-12)
        assert moved.saving[i] >= 0
        assert costs[moved.delay[i]] == pytest.approx(costs.min(), abs=1e-12)


def test_where_the_price_never_changes_it_is_about_carbon() -> None:
    scenario = EnergyScenario(
        "s",
        price=Tariff(Constant(100.0, "EUR/MWh")),
        carbon=Carbon(series([0, 50], [400, 100], "g/kWh")),
        jobs=KILOWATT,
    )
    workload = Workload.of([(0, 1, 50, 50), (0, 1, 200, 200)]).replace(start_time=EVE)
    found = account(
        workload, replace(Cluster.pool(2), energy=scenario), Schedule([0, 0], [50, 200])
    )
    moved = movable(found)
    assert moved.unit == "kg of CO2"
    assert moved.delay.tolist() == [50, 50]
    assert moved.saving == pytest.approx([1000 * 50 * 300 / 3.6e9] * 2)


def test_without_prices_and_carbon_there_is_nothing_to_save() -> None:
    workload = Workload.of([(0, 1, 50, 50)])
    cluster = replace(Cluster.pool(2), energy=EnergyScenario("s"))
    assert movable(account(workload, cluster, Schedule([0], [50]))) is None


def test_breakdowns_add_up() -> None:
    """Two users, two queues, two days: sums over each are those of all jobs."""
    scenario = EnergyScenario(
        "s",
        price=Tariff(series([0, 30], [100, 50])),
        carbon=Carbon(Constant(10.0, "g/kWh")),
        jobs=KILOWATT,
        idle_watts=100.0,
        revenue=1.0,
    )
    workload = Workload.of([(0, 1, 40, 40), (5, 2, 30, 30), (6, 1, 10, 10)]).replace(
        start_time=EVE, user=np.array([7, 8, 7]), queue=np.array([1, 1, 2])
    )
    cluster = replace(Cluster.pool(4), energy=scenario)
    found = account(workload, cluster, Schedule([0, 5, 40], [40, 35, 50]))
    days, users, queues = by_day(found), by_user(found), by_partition(found)
    assert [row["day"] for row in days] == ["2023-12-31", "2024-01-01"]
    assert sum(row["energy_cost"] for row in days) == pytest.approx(found.cost.sum())
    assert sum(row["energy_idle"] for row in days) == pytest.approx(found.idle.sum() / 3.6e6)
    assert max(row["peak_power"] for row in days) == pytest.approx(found.peak / 1000)
    # Job 2 draws 2 kW from 5 on, midnight is at 20: 15 s of it, and 20 s of job 1, are yesterday's.
    assert days[0]["energy_work"] == pytest.approx((20 * 1000 + 15 * 2000) / 3.6e6)
    for rows, key in ((users, "user"), (queues, "queue")):
        assert sum(row["energy_cost"] for row in rows) == pytest.approx(found.job_cost().sum())
        assert sum(row["jobs"] for row in rows) == 3
        assert key in rows[0]
        costs = [row["energy_cost"] for row in rows]
        assert costs == sorted(costs, reverse=True)
    assert {row["user"]: row["jobs"] for row in users} == {7: 2, 8: 1}
    parted = workload.replace(extra={"partition": np.array([3, 3, 4])})
    again = account(parted, cluster, found.outcome.origin.schedule)
    assert [row["partition"] for row in by_partition(again)] == [3, 4]


def test_rounding_is_no_saving() -> None:
    """One price for all hours, many jobs over a year: nobody would save by waiting."""
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 3 * 10**7, 500))
    runtime = rng.integers(1, 90_000, 500)
    workload = Workload("w", np.arange(1, 501), submit, runtime, runtime, np.ones(500, np.int64))
    scenario = EnergyScenario(
        "s", price=Tariff(Constant(153.7, "EUR/MWh")), cooling=Cooling.flat(1.23)
    )
    found = account(
        workload, replace(Cluster.pool(500), energy=scenario), Schedule(submit, submit + runtime)
    )
    moved = movable(found)
    assert not moved.delay.any()
    assert not moved.saving.any()


def test_prices_after_the_schedule_count() -> None:
    scenario = EnergyScenario("s", price=Tariff(series([0, 100], [100, 1])), jobs=KILOWATT)
    workload = Workload.of([(0, 1, 50, 50)]).replace(start_time=EVE)
    found = account(workload, replace(Cluster.pool(2), energy=scenario), Schedule([0], [50]))
    assert movable(found).delay.tolist() == [100]
