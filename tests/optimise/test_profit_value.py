"""What a plan costs, by the kernel and second by second."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.model.errors import InputError
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.problem import whole_log
from packwise.optimise.profit.rates import Usage
from packwise.optimise.profit.setting import Setting
from tests.draws import draws
from tests.optimise.profit_cases import HOUR, day, pool, scenario
from tests.oracle.naive_profit import naive_cost


def test_by_hand() -> None:
    """Two hours at 100 and 300 EUR/MWh; one job of 2 cores over both, one left for tomorrow."""
    setting = pool([(0, 2, HOUR), (0, 1, HOUR)], 4, scenario([100.0, 300.0]))
    problem = day(setting, 2 * HOUR)
    watts = setting.power[0]
    cost = problem.cost(np.array([HOUR // 2, LATER]))
    energy = watts * (0.5 * 100 + 0.5 * 300) / 1e6
    assert cost == pytest.approx(energy - 2 * 0.05)


def test_what_runs_tomorrow_earns_and_costs_nothing_today() -> None:
    setting = pool([(0, 1, 2 * HOUR)], 1, scenario([100.0, 100.0]))
    problem = day(setting, HOUR)
    half = problem.cost(np.array([HOUR // 2]))
    assert half == pytest.approx(setting.power[0] * 0.5 * 100 / 1e6 - 0.5 * 0.05)


def test_waiting_has_its_price_in_a_whole_log() -> None:
    setting = pool([(0, 1, HOUR), (0, 1, HOUR)], 1, scenario([100.0] * 8))
    problem = whole_log(setting, 0.5)
    at_once, later = (problem.cost(np.array([0, second])) for second in (HOUR, 2 * HOUR))
    # an hour more for the second job: half of what its energy costs in an hour
    assert later - at_once == pytest.approx(0.5 * setting.power[1] * 100 / 1e6)


@settings(max_examples=draws(40))
@given(data=st.data())
def test_as_second_by_second(data: st.DataObject) -> None:
    hours = data.draw(st.integers(1, 4))
    prices = data.draw(st.lists(st.integers(-50, 300), min_size=hours, max_size=hours))
    cooled = data.draw(st.booleans())
    degrees = data.draw(st.lists(st.integers(0, 40), min_size=hours, max_size=hours))
    energy = scenario(
        [float(price) for price in prices],
        [float(each) for each in degrees] if cooled else None,
        idle=data.draw(st.sampled_from([0.0, 4.0])),
        round_to=data.draw(st.sampled_from([0.0, 5.0, 40.0])),
    )
    job = st.tuples(st.integers(0, 4 * HOUR), st.integers(1, 5), st.integers(1, 2 * HOUR))
    jobs = data.draw(st.lists(job, min_size=1, max_size=4))
    setting = pool([(0, *rest) for _, *rest in jobs], 20, energy)
    running = Usage.none()
    if data.draw(st.booleans()):
        running = running._replace(
            job=np.array([0]), end=np.array([HOUR]), demand=np.array([2]), watts=np.array([17.0])
        )
    problem = day(setting, hours * HOUR, running)
    start = [at if at < hours * HOUR else LATER for at, *_ in jobs]
    assert problem.cost(np.array(start)) == pytest.approx(naive_cost(problem, start), abs=1e-9)


def test_a_cluster_that_does_not_know_what_power_costs() -> None:
    setting = pool([(0, 1, 1)], 1, scenario([1.0]))
    with pytest.raises(InputError, match="what power costs"):
        Setting(setting.log, setting.cluster.pool(1))


def test_jobs_that_never_fit_are_named() -> None:
    with pytest.raises(InputError, match="job 1 needs 2 processors and can never run on 1"):
        pool([(0, 2, 1)], 1, scenario([1.0]))


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_value_that_is_none(value: float) -> None:
    with pytest.raises(InputError, match="value"):
        whole_log(pool([(0, 1, 1)], 1, scenario([1.0])), value)


def test_a_whole_log_goes_on_after_its_series_end() -> None:
    """Prices of two hours, jobs for four: after that energy costs what it costs on average."""
    setting = pool([(0, 1, 4 * HOUR)], 1, scenario([100.0, 300.0]))
    problem = whole_log(setting, 0.0)
    paid = setting.power[0] * (100 + 300 + 2 * 200) / 1e6
    assert problem.cost(np.array([0])) == pytest.approx(paid)
