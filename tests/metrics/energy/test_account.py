"""Accounts by hand, and against a twin that goes second by second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.metrics import summarize
from packwise.metrics.energy.account import account
from packwise.model import Cluster, Schedule, Workload
from packwise.model.energy.cooling import Cooling
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.rates import Carbon, Climate, Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant, Series
from packwise.model.energy.sleep import SleepState
from packwise.model.errors import InputError
from tests.metrics.random_schedules import cases
from tests.oracle.naive_energy import naive_account

#: 1,000 W for each core, so that joules are round.
KILOWATT = JobPower((Draw("cores", 1000.0, 1000.0),))
#: A log that begins 20 s before midnight, UTC.
EVE = 1704067200 - 20


def series(times, values, unit="EUR/MWh", end=5000, begin=EVE):
    return Series(np.array(times) + begin, np.array(values, float), end + begin, unit)


def on(scenario: EnergyScenario, procs: int = 4) -> Cluster:
    return replace(Cluster.pool(procs), energy=scenario)


def test_a_job_across_three_prices_pays_each_of_them() -> None:
    """One core-kilowatt from 10 to 40; the price is 100, then 300 from 20 on, then -50 from 30 on."""
    tariff = Tariff(series([0, 20, 30], [100, 300, -50]))
    scenario = EnergyScenario("s", price=tariff, jobs=KILOWATT)
    workload = Workload.of([(10, 1, 30, 30)]).replace(start_time=EVE)
    found = account(workload, on(scenario), Schedule([10], [40]))
    expected = 1000 * (10 * 100 + 10 * 300 - 10 * 50) / 3.6e9
    assert found.cost.sum() == pytest.approx(expected, rel=1e-12)
    assert found.job_cost() == pytest.approx([expected], rel=1e-12)


def test_work_idle_cooling_and_revenue_by_hand() -> None:
    """Two of four cores for 100 s at 1,000 W each, idle ones draw 100 W, PUE 1.5, 0.36 a core-hour."""
    scenario = EnergyScenario(
        "s",
        price=Tariff(Constant(72.0, "EUR/MWh")),
        carbon=Carbon(Constant(36.0, "g/kWh")),
        cooling=Cooling.flat(1.5),
        jobs=KILOWATT,
        idle_watts=100.0,
        revenue=0.36,
    )
    workload = Workload.of([(0, 2, 100, 100)]).replace(start_time=EVE)
    values = summarize(workload, on(scenario), Schedule([0], [100]))
    joules = 100 * (2000 + 200)
    assert values["energy_work"] == pytest.approx(200_000 / 3.6e6)
    assert values["energy_idle"] == pytest.approx(20_000 / 3.6e6)
    assert values["energy_cooling"] == pytest.approx(joules / 2 / 3.6e6)
    assert values["energy"] == pytest.approx(joules * 1.5 / 3.6e6)
    assert values["energy_cost"] == pytest.approx(joules * 1.5 * 72 / 3.6e9)
    assert values["CO2"] == pytest.approx(joules * 1.5 * 36 / 3.6e9)
    assert values["revenue"] == pytest.approx(2 * 100 / 3600 * 0.36)
    assert values["profit"] == pytest.approx(values["revenue"] - values["energy_cost"])
    assert values["PUE"] == pytest.approx(1.5)
    assert values["peak_power"] == pytest.approx(3.3)
    assert "over_cap" not in values


def test_pue_is_that_of_the_segments_mean_power_and_temperature() -> None:
    """0 to 100: 10 °C, then 18 °C: more than 5 degrees apart, so two segments. A job only in the second."""
    climate = Climate(series([0, 100], [10, 18], "°C"))
    cooling = Cooling(
        np.array([[1.0, 1.2], [1.4, 1.8]]), np.array([10, 20]), np.array([0, 2000]), round_to=0
    )
    scenario = EnergyScenario("s", climate=climate, cooling=cooling, jobs=KILOWATT)
    workload = Workload.of([(0, 1, 100, 100)]).replace(start_time=EVE + 86400 * 0)
    workload = workload.replace(start_time=EVE + 20)  # no midnight inside
    moved = replace(scenario, climate=Climate(series([0, 100], [10, 18], "°C", begin=EVE + 20)))
    found = account(workload, on(moved), Schedule([100], [200]))
    # At 18 °C and 1,000 W: 0.2 * (1.0 + 1.2) / 2 + 0.8 * (1.4 + 1.8) / 2
    assert found.edges.tolist() == [0, 100, 200]
    assert found.pue == pytest.approx([1.0, 1.5])


def test_segments_end_at_midnight() -> None:
    """The same temperature all the time, a job after midnight only: one segment a day, each with its power."""
    climate = Climate(series([0], [10], "°C"))
    cooling = Cooling(np.array([[1.0, 2.0]]), np.array([10.0]), np.array([0, 1000]), round_to=0)
    scenario = EnergyScenario("s", climate=climate, cooling=cooling, jobs=KILOWATT)
    workload = Workload.of([(0, 1, 100, 100)]).replace(start_time=EVE)
    found = account(workload, on(scenario), Schedule([20], [120]))
    assert found.edges.tolist() == [0, 20, 120]
    assert found.pue == pytest.approx([1.0, 2.0])


def test_powers_are_rounded_to_500_watts() -> None:
    cooling = Cooling(np.array([[1.0, 2.0]]), np.array([10.0]), np.array([0, 10_000]))
    at = cooling.lookup(np.array([749.0, 751.0]), np.array([10.0, 10.0]), 1e4, str)
    assert at == pytest.approx([1.05, 1.1])


@st.composite
def scenarios(draw: st.DrawFn) -> EnergyScenario:
    """Anything at all, over the 600 s of the small schedules."""

    def changing(unit: str, low: float, high: float) -> Series:
        inside = draw(st.lists(st.integers(1, 80), max_size=5, unique=True))
        times = [0, *sorted(inside)]
        values = [draw(st.integers(int(low), int(high))) for _ in times]
        return series(times, values, unit)

    cooling = climate = None
    if draw(st.booleans()):
        climate = Climate(changing("°C", -5, 30), degrees=draw(st.sampled_from([0.0, 5.0])))
        cooling = Cooling(
            np.array([[1.0, 1.3, 1.2], [1.5, 1.4, 2.0]]),
            np.array([0.0, 20.0]),
            np.array([0.0, 0.4, 0.9]) * (1.0 if draw(st.booleans()) else 4000.0),
            relative=False,
            round_to=draw(st.sampled_from([0.0, 500.0])),
            outside="nearest",
        )
        if cooling.powers[-1] < 1:
            cooling = replace(cooling, relative=True)
    idle = draw(st.sampled_from([0.0, 100.0]))
    sleep = None
    if draw(st.booleans()):
        sleep = SleepState(
            draw(st.integers(0, 5)),
            idle / 2,
            draw(st.integers(0, 5)),
            150.0,
            draw(st.integers(1, 2)),
        )
    return EnergyScenario(
        "any",
        price=Tariff(changing("EUR/MWh", -100, 300)),
        carbon=Carbon(changing("g/kWh", 0, 500)),
        climate=climate,
        cooling=cooling,
        jobs=JobPower((Draw("cores", 500.0, 1500.0),), seed=draw(st.integers(0, 9))),
        idle_watts=idle,
        sleep=sleep,
        cap=Constant(float(draw(st.integers(1000, 4000))), "W"),
    )


@given(cases(rejections=True), scenarios())
def test_accounts_are_those_of_a_second_by_second_twin(case, scenario) -> None:
    workload = case.workload.replace(start_time=EVE)
    cluster = replace(case.cluster, energy=scenario)
    if not case.schedule.ran.any():
        return
    found = account(workload, cluster, case.schedule)
    naive = naive_account(workload, cluster, case.schedule)
    assert found.work.sum() == pytest.approx(naive["work"], rel=1e-9)
    assert found.idle.sum() == pytest.approx(naive["idle"], rel=1e-9, abs=1e-6)
    assert found.cooling.sum() == pytest.approx(naive["cooling"], rel=1e-9, abs=1e-6)
    assert found.cost.sum() == pytest.approx(naive["cost"], rel=1e-9, abs=1e-9)
    assert found.co2.sum() == pytest.approx(naive["co2"], rel=1e-9, abs=1e-9)
    assert found.peak == pytest.approx(naive["peak"], rel=1e-9)
    assert found.over_cap == naive["over_cap"]
    assert found.job_cost() == pytest.approx(naive["job_cost"], rel=1e-9, abs=1e-9)


@given(cases(), scenarios())
def test_jobs_and_idle_cores_pay_the_whole_bill(case, scenario) -> None:
    """By cells and by jobs, two ways to the same sum."""
    workload = case.workload.replace(start_time=EVE)
    found = account(workload, replace(case.cluster, energy=scenario), case.schedule)
    idle = (found.idle * found.pue * found.price).sum() / 3.6e9
    assert found.job_cost().sum() + idle == pytest.approx(found.cost.sum(), rel=1e-9, abs=1e-9)


@given(cases(), st.integers(-5, 5))
def test_nothing_depends_on_where_time_begins(case, days) -> None:
    """The same jobs and the same prices some days later cost the same."""
    tariff = series([0, 7, 30], [10, -20, 300])
    workload = case.workload.replace(start_time=EVE)
    here = replace(case.cluster, energy=EnergyScenario("a", price=Tariff(tariff), jobs=KILOWATT))
    later = tariff.moved(days * 86400)
    there = replace(case.cluster, energy=EnergyScenario("a", price=Tariff(later), jobs=KILOWATT))
    moved = workload.replace(start_time=EVE + days * 86400)
    one, other = account(workload, here, case.schedule), account(moved, there, case.schedule)
    assert one.cost.sum() == pytest.approx(other.cost.sum(), rel=1e-12)


def test_more_processors_than_there_are_leave_none_idle() -> None:
    scenario = EnergyScenario("s", jobs=KILOWATT, idle_watts=100.0)
    workload = Workload.of([(0, 3, 10, 10), (0, 3, 10, 10)])
    assert account(workload, on(scenario), Schedule([0, 0], [10, 10])).idle.sum() == 0


def test_a_cap_below_idle_power_names_its_first_time() -> None:
    cap = series([0, 30, 60], [900, 300, 200], "W")
    scenario = EnergyScenario("s", jobs=KILOWATT, idle_watts=100.0, cap=cap)
    workload = Workload.of([(0, 1, 100, 100)]).replace(start_time=EVE)
    with pytest.raises(InputError, match=r"400 W; found 300 W at 2024-01-01 00:00:10\+00:00"):
        account(workload, on(scenario), Schedule([0], [100]))


def test_a_series_that_ends_too_early_names_the_moment() -> None:
    scenario = EnergyScenario("s", price=Tariff(series([0], [1], end=50)))
    workload = Workload.of([(0, 1, 100, 100)]).replace(start_time=EVE)
    with pytest.raises(InputError, match=r"needed at 2024-01-01 00:00:30\+00:00"):
        account(workload, on(scenario), Schedule([0], [100]))


def test_a_power_outside_the_table_names_the_segment() -> None:
    climate = Climate(series([0], [10], "°C"))
    cooling = Cooling(np.array([[1.1, 1.2]]), np.array([10.0]), np.array([0, 500]))
    scenario = EnergyScenario("s", climate=climate, cooling=cooling, jobs=KILOWATT)
    workload = Workload.of([(0, 2, 10, 10)]).replace(start_time=EVE)
    with pytest.raises(
        InputError, match=r"0 to 500 W, found 2,000\.0 W at 2023-12-31 23:59:40"
    ) as told:
        account(workload, on(scenario), Schedule([0], [10]))
    assert "nearest" in str(told.value)
    near = replace(scenario, cooling=replace(cooling, outside="nearest"))
    assert account(workload, on(near), Schedule([0], [10])).mean_pue == pytest.approx(1.2)


def test_without_a_scenario_it_says_how_to_name_one() -> None:
    workload = Workload.of([(0, 1, 10, 10)])
    with pytest.raises(InputError, match="--energy market"):
        account(workload, Cluster.pool(2), Schedule([0], [10]))
    with pytest.raises(InputError, match="energy_cost: expected a scenario"):
        summarize(workload, 2, Schedule([0], [10]), ["energy_cost"])
    with pytest.raises(InputError, match="with a price, found none in 's'"):
        summarize(workload, on(EnergyScenario("s")), Schedule([0], [10]), ["energy_cost"])
