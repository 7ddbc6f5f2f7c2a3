"""Units, what jobs draw, tables of PUE, and scenarios on a log's clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.energy.finding import PRESETS, find_energy
from packwise.model import Cluster, Workload
from packwise.model.energy.cooling import Cooling
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.rates import Carbon, Climate, Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant, Series
from packwise.model.energy.sleep import SleepState
from packwise.model.energy.units import conversion, unit_in
from packwise.model.errors import InputError

JOBS = Workload.of([(0, 2, 10, 10), (5, 1, 10, 10)])


@pytest.mark.parametrize(
    ("kind", "unit", "value", "expected", "into"),
    [
        ("price", "EUR/MWh", 50, 50, "EUR/MWh"),
        ("price", "ct/kWh", 5, 50, "EUR/MWh"),
        ("price", "EUR/kWh", 0.05, 50, "EUR/MWh"),
        ("price", "€/MWh", 50, 50, "EUR/MWh"),
        ("price", "$ / kWh", 0.05, 50, "USD/MWh"),
        ("price", "SEK/GWh", 50_000, 50, "SEK/MWh"),
        ("carbon", "gCO₂eq/kWh", 300, 300, "g/kWh"),
        ("carbon", "kg/MWh", 300, 300, "g/kWh"),
        ("carbon", "tCO2/MWh", 0.3, 300, "g/kWh"),
        ("carbon", "lb/MWh", 1000, 453.59237, "g/kWh"),
        ("temperature", "°C", 20, 20, "°C"),
        ("temperature", "degF", 68, 20, "°C"),
        ("temperature", "K", 293.15, 20, "°C"),
        ("carbon", "Mg/MWh", 0.3, 300, "g/kWh"),
        ("power", "mW", 3, 0.003, "W"),
        ("power", "kW", 3, 3000, "W"),
        ("power", "MW", 3, 3e6, "W"),
    ],
)
def test_units(kind, unit, value, expected, into) -> None:
    found = conversion(kind, unit, "x")
    assert found.unit == into
    assert value * found.factor + found.offset == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        ("price", "EUR"),
        ("price", "eur/MWh"),
        ("price", "g/kWh"),
        ("price", "EUR/MW"),
        ("price", "cents/kWh"),
        ("carbon", "EUR/MWh"),
        ("carbon", "g"),
        ("temperature", "W"),
        ("power", "kWh"),
    ],
)
def test_what_is_no_such_unit_is_refused_with_examples(kind, unit) -> None:
    with pytest.raises(InputError, match=f"a unit of {kind} such as .*, found '{unit}'"):
        conversion(kind, unit, "x")


@pytest.mark.parametrize(
    ("kind", "head", "unit"),
    [
        ("price", "Day-ahead Price [EUR/MWh]", "EUR/MWh"),
        ("price", "price", None),
        ("carbon", "Carbon intensity gCO₂eq/kWh (direct)", "gCO₂eq/kWh"),
        ("temperature", "temperature_2m (°C)", "°C"),
        ("temperature", "C", None),
        ("power", "cap (kW)", "kW"),
    ],
)
def test_units_in_heads_of_columns(kind, head, unit) -> None:
    assert unit_in(kind, head) == unit


def test_what_a_job_draws_depends_on_its_id_and_the_seed_alone() -> None:
    whole = Workload.of([(i, 3, 10, 10) for i in range(2000)])
    power = JobPower()
    watts = power.of(whole)
    per_core = watts / 3
    assert per_core.min() >= 7.8
    assert per_core.max() <= 11.11
    assert per_core.mean() == pytest.approx((7.8 + 11.11) / 2, abs=0.1)
    assert np.ptp(per_core) > 3
    part = whole.select(np.arange(2000) % 7 == 3)
    assert (power.of(part) == watts[np.arange(2000) % 7 == 3]).all()
    assert (replace(power, seed=2).of(whole) != watts).any()


def test_a_logs_own_watts_come_first_unless_told_otherwise() -> None:
    told = JOBS.replace(power=np.array([33.0, 44.0]))
    assert JobPower().of(told).tolist() == [33, 44]
    assert JobPower((Draw("cores", 5, 5),), recorded=False).of(told).tolist() == [10, 5]


def test_watts_by_resource() -> None:
    units = JOBS.replace(
        units=np.array([2, 1]), per_unit={"cores": np.array([1, 1]), "gpus": np.array([0, 2])}
    )
    power = JobPower((Draw("cores", 10, 10), Draw("gpus", 250, 250)))
    assert power.of(units).tolist() == [20, 510]
    assert power.most(units, {"cores": 8, "gpus": 4}) == 1080
    with pytest.raises(InputError, match="tells cores"):
        power.of(JOBS)


@pytest.mark.parametrize("draw", [("cores", -1, 2), ("cores", 3, 2), ("cores", 1, float("nan"))])
def test_watts_that_cannot_be(draw) -> None:
    with pytest.raises(InputError, match="watts of cores"):
        JobPower((Draw(*draw),))


@pytest.mark.parametrize("watts", [-1.0, float("nan"), float("inf")])
def test_a_log_with_impossible_watts_is_refused_with_the_job(watts) -> None:
    with pytest.raises(InputError, match="job 2: powers should be finite and not negative, found"):
        JOBS.replace(power=np.array([1.0, watts]))


@given(st.lists(st.floats(0, 5000), min_size=1, max_size=9), st.floats(-20, 50))
def test_pue_lies_between_the_values_of_its_table(powers, warm) -> None:
    cooling = Cooling(np.array([[1.0, 1.3], [1.5, 1.2]]), [0, 20], [0, 2000], outside="nearest")
    found = cooling.lookup(np.array(powers), np.full(len(powers), warm), 1.0, str)
    assert (found >= 1.0 - 1e-12).all()
    assert (found <= 1.5 + 1e-12).all()


def test_rounding_takes_no_power_out_of_the_table() -> None:
    """800 W at most: 790 W would be rounded to 1,000, which the table has not."""
    cooling = Cooling(np.array([[1.0, 1.8]]), [10.0], [0, 1], relative=True)
    assert cooling.lookup(np.array([790.0]), np.array([10.0]), 800.0, str) == pytest.approx([1.8])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pue": [[1.0]]}, "a row for each of 2 temperatures and a column for each of 2 powers"),
        ({"pue": [[1.0, 0.9], [1, 1]]}, "1 or more .* found 0.9"),
        ({"pue": [[1.0, np.nan], [1, 1]]}, "found nan"),
        ({"temperatures": [20, 10]}, "temperatures should increase"),
        ({"powers": [0, 0]}, "powers should increase"),
        ({"powers": [-1, 0]}, "not be negative"),
        ({"round_to": -1.0}, "round_to"),
        ({"outside": "guess"}, "refuse or nearest"),
    ],
)
def test_tables_of_pue_that_cannot_be(changes, words) -> None:
    good = {"pue": [[1.0, 1.1], [1.2, 1.3]], "temperatures": [10, 20], "powers": [0, 9]}
    with pytest.raises(InputError, match=words):
        Cooling(**{**good, **changes})


def test_a_table_needs_a_climate() -> None:
    cooling = Cooling([[1.0, 1.1], [1.2, 1.3]], [10, 20], [0, 9])
    with pytest.raises(InputError, match="needs a climate"):
        EnergyScenario("s", cooling=cooling)
    EnergyScenario("s", cooling=Cooling.flat(1.2))


def test_shift_to_keeps_the_time_of_day() -> None:
    log = JOBS.replace(start_time=1000 * 86400 + 5 * 3600, time_zone="UTC")
    clock = EnergyScenario("s", shift_to=date(2024, 2, 3)).clock(log)
    assert clock.words(0) == "2024-02-03 05:00:00+00:00"
    paris = EnergyScenario("s", shift_to=date(2024, 7, 3), zone="Europe/Paris").clock(log)
    assert paris.words(0) == "2024-07-03 05:00:00+02:00"
    assert EnergyScenario("s").clock(log).words(0) == "1972-09-27 05:00:00+00:00"
    late = log.replace(submit=log.submit + 7200)
    assert (
        EnergyScenario("s", shift_to=date(2024, 2, 3)).clock(late).words(7200)[:16]
        == "2024-02-03 07:00"
    )


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (
            {"carbon": Carbon(Constant(-3.0, "g/kWh"))},
            "carbon should be 0 g/kWh or more, found -3 at 1970",
        ),
        ({"climate": Climate(Constant(293.0, "°C"))}, "-90 to 60 °C, found 293 .* unit right"),
        ({"cap": Constant(-3.0, "kW")}, "cap should be 0 W or more, found -3000"),
    ],
)
def test_values_that_cannot_be_name_their_time(part, words) -> None:
    with pytest.raises(InputError, match=words):
        EnergyScenario("s", **part).over(JOBS, 0, 10)


def test_negative_prices_are_prices() -> None:
    scenario = EnergyScenario("s", price=Tariff(Constant(-20.0, "EUR/MWh")))
    assert scenario.over(JOBS, 0, 10).price.values.tolist() == [-20]


def test_the_digest_is_of_the_content() -> None:
    one = find_energy("market")
    assert one.digest == find_energy("market").digest
    assert replace(one, name="other", about="x").digest == one.digest
    assert one.shifted(date(2024, 1, 1)).digest != one.digest
    assert replace(one, idle_watts=1.0).digest != one.digest
    price = one.price.signal.series
    values = price.values.copy()
    values[77] += 0.01
    changed = Series(price.times, values, price.end, price.unit, price.zone)
    assert replace(one, price=Tariff(changed)).digest != one.digest
    assert len({find_energy(name).digest for name in PRESETS}) == len(PRESETS)


def test_numbers_that_cannot_be() -> None:
    for field in ("idle_watts", "rated_watts", "revenue"):
        with pytest.raises(InputError, match=field):
            EnergyScenario("s", **{field: -1.0})
    assert Cluster.pool(4).totals() == {"processors": 4, "cores": 4}


def test_a_full_machine_is_what_it_draws_at_most() -> None:
    """A table far beyond the machine is looked up where the machine is; booting nodes count, too."""
    cooling = Cooling([[1.0, 2.0]], [10.0], [0, 1000])
    assert cooling.at_full_load(np.array([10.0]), 500.0) == pytest.approx([1.5])
    loads = Cooling([[1.0, 2.0]], [10.0], [0, 1], relative=True)
    assert loads.at_full_load(np.array([10.0]), 500.0) == pytest.approx([2.0])
    sleep = SleepState(10, 0.0, 5, 40.0)
    assert EnergyScenario("s", sleep=sleep).rated(JOBS, {"cores": 10}) == 400


def test_a_machine_that_draws_nothing_has_a_pue() -> None:
    loads = Cooling([[1.0, 2.0]], [10.0], [0, 1], relative=True)
    assert loads.lookup(np.zeros(1), np.array([10.0]), 0.0, str) == pytest.approx([1.0])
