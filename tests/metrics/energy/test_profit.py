"""Profit over time, by local midnights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, Schedule, Workload
from packwise.metrics.energy.account import account
from packwise.metrics.energy.breakdown import by_day
from packwise.metrics.energy.profit import profit_at, profit_curve
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.rates import Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant
from packwise.model.errors import InputError

DAY, HOUR = 86400, 3600
#: A core-hour pays 1 EUR and takes 1 kWh of 0.25 EUR.
ENERGY = EnergyScenario(
    "flat",
    price=Tariff(Constant(0.25, "EUR/kWh")),
    jobs=JobPower((Draw("cores", 1000.0, 1000.0),)),
    revenue=1.0,
    zone="UTC",
)


def made(energy: EnergyScenario = ENERGY):
    """Two cores from 22 o'clock until 2, and one from 12 until 13 two days later."""
    log = Workload.of([(22 * HOUR, 2, 4 * HOUR, 4 * HOUR), (23 * HOUR, 1, HOUR, HOUR)])
    start = np.array([22 * HOUR, 2 * DAY + 12 * HOUR])
    cluster = replace(Cluster.pool(2), energy=energy)
    return account(log, cluster, Schedule(start, start + log.runtime))


def test_by_hand() -> None:
    curve = profit_curve(made())
    assert curve.times.tolist() == [22 * HOUR, DAY, 2 * DAY, 2 * DAY + 13 * HOUR]
    assert curve.profit.tolist() == pytest.approx([0.0, 3.0, 6.0, 6.75])


@pytest.mark.parametrize(
    ("time", "profit"),
    [(22 * HOUR, 3.0), (23 * HOUR, 3.0), (DAY, 3.0), (DAY + 1, 6.0), (9 * DAY, 6.75)],
)
def test_until_the_next_midnight(time: int, profit: float) -> None:
    assert profit_at(profit_curve(made()), time) == pytest.approx(profit)


def test_a_day_tells_its_revenue_and_profit() -> None:
    rows = by_day(made())
    assert [row["revenue"] for row in rows] == pytest.approx([4.0, 4.0, 1.0])
    assert [row["profit"] for row in rows] == pytest.approx([3.0, 3.0, 0.75])
    assert sum(row["profit"] for row in rows) == pytest.approx(profit_curve(made()).profit[-1])


def test_without_revenue() -> None:
    free = made(replace(ENERGY, revenue=None))
    assert "revenue" not in by_day(free)[0]
    with pytest.raises(InputError, match="revenue and a price"):
        profit_curve(free)
