"""The constraint program: the best plan where it is small, nothing where it is too large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.offline import Budget
from packwise.optimise.profit import cp
from packwise.optimise.profit.cp import plain, relaxation
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.multi import multi
from packwise.optimise.profit.nodes import OnNodes
from packwise.optimise.profit.problem import whole_log
from packwise.optimise.profit.setting import Setting
from packwise.optimise.profit.watch import Watch
from tests.lanes import broad
from tests.optimise.profit_cases import HOUR, day, nodes, pool, scenario
from tests.optimise.test_profit_search import DEGREES, PRICES, every_plan, overbooked

pytest.importorskip("ortools")
WORK = Budget(evaluations=2000)
ENERGY = scenario([100.0] * 4)


@pytest.mark.parametrize("degrees", broad([None, DEGREES]))
@pytest.mark.parametrize("closed", broad([True, False]))
def test_it_finds_the_best_plan_of_a_few_jobs(degrees: list[float] | None, closed: bool) -> None:
    # One price for all hours where cooling counts: the program knows one in each segment.
    prices = PRICES if degrees is None else [200.0] * 6
    setting = pool([(0, 2, HOUR), (0, 2, 2 * HOUR), (HOUR, 1, HOUR)], 3, scenario(prices, degrees))
    problem = day(setting, 3 * HOUR) if closed else whole_log(setting, 0.2)
    best = min(problem.cost(np.array(plan)) for plan in every_plan(problem, HOUR))
    found = plain(floor_of(problem), Watch(WORK, 3), 1)
    assert found.cost <= best + 1e-4 * abs(best)
    assert closed or (found.plan.start != LATER).all()
    assert not overbooked(problem, found.plan.start)


def test_relaxation_improves_multisearch() -> None:
    """A dear hour at first: no order leaves it idle, but the program does."""
    setting = pool([(0, 1, HOUR), (0, 1, HOUR)], 2, scenario([300.0, 10.0, 10.0, 10.0]))
    problem = whole_log(setting, 0.01)
    found = relaxation(floor_of(problem), Watch(WORK, 2), 1)
    assert found.begun > found.cost
    assert found.plan.start.tolist() == [HOUR, HOUR]


@pytest.mark.parametrize("search", [plain, relaxation])
def test_units_keep_to_their_nodes(search: object) -> None:
    """Units of three cores on nodes of four: one on each node at a time, though five cores are free beside."""
    jobs = [(0, 1, 3, HOUR), (0, 1, 3, HOUR), (0, 2, 2, HOUR), (0, 1, 1, HOUR)]
    setting = nodes(jobs, [4, 4], scenario([100.0] * 4))
    problem = day(setting, 3 * HOUR)
    floor = floor_of(problem)
    assert isinstance(floor, OnNodes)
    found = search(floor, Watch(WORK, 4), 1)  # type: ignore[operator]
    begun = multi(floor_of(problem), Watch(WORK, 4))
    assert found.cost <= begun.cost + 1e-6
    allocation = floor.allocation(found.plan)
    log = setting.log
    assert log.units is not None
    for t in range(0, 3 * HOUR, HOUR // 2):
        used = np.zeros(2, np.int64)
        for j in range(4):
            start = int(found.plan.start[j])
            if start != LATER and start <= t < start + HOUR:
                for node, units in allocation.of(j).items():
                    used[node] += units * int(log.per_unit["cores"][j])
        assert (used <= 4).all()
    for j in range(4):
        if found.plan.start[j] != LATER:
            assert sum(allocation.of(j).values()) == log.units[j]


@pytest.mark.parametrize("search", [plain, relaxation])
def test_a_node_for_itself(search: object) -> None:
    """Three jobs of one core each, nodes of four: one after the other on each node."""
    setting = nodes([(0, 1, 1, HOUR), (0, 1, 1, HOUR), (0, 1, 2, HOUR)], [4, 4], ENERGY)
    groups = tuple(replace(group, shared=False) for group in setting.cluster.groups)
    setting = Setting(setting.log, replace(setting.cluster, groups=groups))
    problem = day(setting, 2 * HOUR)
    floor = floor_of(problem)
    assert isinstance(floor, OnNodes)
    found = search(floor, Watch(WORK, 3), 1)  # type: ignore[operator]
    allocation = floor.allocation(found.plan)
    seats = [
        (node, int(start) + second)
        for j, start in enumerate(found.plan.start)
        if start != LATER
        for node in allocation.of(j)
        for second in range(0, HOUR, 600)
    ]
    assert (found.plan.start != LATER).sum() == 3
    for node, second in seats:
        there = [
            j
            for j, start in enumerate(found.plan.start)
            if node in allocation.of(j) and start <= second < start + HOUR
        ]
        assert len(there) == 1


def test_prices_that_end_early() -> None:
    """Of a whole log: nobody starts before it comes, though no price is told by then."""
    setting = pool([(0, 1, HOUR), (3 * HOUR, 1, HOUR)], 1, scenario([100.0, 50.0]))
    problem = whole_log(setting, 0.2)
    for search in (plain, relaxation):
        found = search(floor_of(problem), Watch(WORK, 2), 1)
        assert (found.plan.start >= setting.log.submit).all()
        assert not overbooked(problem, found.plan.start)


def test_a_model_that_would_be_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cp, "MOST_PAIRS", 1)
    problem = day(pool([(0, 1, 60)] * 3, 2, scenario([100.0])), HOUR)
    nothing = plain(floor_of(problem), Watch(WORK, 3), 1)
    assert (nothing.plan.start == LATER).all()
    begun = relaxation(floor_of(problem), Watch(WORK, 3), 1)
    assert begun.cost == begun.begun
