"""Searches for a better plan: no worse than MultiSearch, feasible, the same each time, and bounded."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.optimise.kernels.profit_search import COST, HEAT, follow, improve, new_work
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.offline import Budget
from packwise.optimise.profit.bound import bound
from packwise.optimise.profit.delay import delay
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.methods import METHODS
from packwise.optimise.profit.multi import begun, multi
from packwise.optimise.profit.ours import ours
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.problem import Problem, whole_log
from packwise.optimise.profit.setting import Setting
from packwise.optimise.profit.watch import Watch
from tests.draws import draws
from tests.optimise.profit_cases import HOUR, day, nodes, pool, scenario

PRICES = [300.0, 100.0, -20.0, 250.0, 40.0, 180.0]
DEGREES = [10.0, 12.0, 22.0, 30.0, 31.0, 18.0]


def made(seed: int, count: int = 25) -> Setting:
    """Jobs of some minutes to two hours on eight cores, under changing prices and temperatures."""
    random = np.random.default_rng(seed)
    jobs = [
        (
            int(random.integers(0, 3 * HOUR)),
            int(random.integers(1, 8)),
            int(random.integers(60, 2 * HOUR)),
        )
        for _ in range(count)
    ]
    return pool(jobs, 8, scenario(PRICES, DEGREES, revenue=0.05))


def overbooked(problem: Problem, start: np.ndarray) -> bool:
    """Whether more cores are in use at some moment than there are, or somebody starts before its release."""
    jobs = problem.jobs
    runs = start != LATER
    times = start[runs]
    used = [
        int(jobs.demand[runs][(times <= t) & (t < times + jobs.duration[runs])].sum())
        for t in times.tolist()
    ]
    early = (times < jobs.release[runs]).any()
    return bool(early) or max(used, default=0) > problem.setting.cluster.procs


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(4, few=1)))
@pytest.mark.parametrize("name", ["delay", "ours"])
@pytest.mark.parametrize("closed", [True, False])
def test_a_search_is_no_worse_than_multisearch(seed: int, name: str, closed: bool) -> None:
    setting = made(seed)
    problem = day(setting, 5 * HOUR) if closed else whole_log(setting, 0.3)
    begun = multi(Pool(problem), Watch(Budget(evaluations=1), len(problem)))
    budget = Budget(evaluations=800)
    found = [METHODS[name].plan(Pool(problem), Watch(budget, len(problem)), 7) for _ in range(2)]
    assert found[0].cost <= begun.cost
    assert found[0].cost == pytest.approx(problem.cost(found[0].plan.start))
    assert found[0].plan.start.tolist() == found[1].plan.start.tolist()
    assert not overbooked(problem, found[0].plan.start)
    if not closed:
        assert (found[0].plan.start != LATER).all()


def test_the_budget_of_a_search_begins_after_multisearch() -> None:
    problem = whole_log(made(1), 0.3)
    watch = Watch(Budget(evaluations=5), len(problem))
    found = begun(Pool(problem), watch)
    assert (found.seconds, watch.evaluations) == (0.0, 0)
    assert found.cost == multi(Pool(problem), watch).cost
    assert watch.evaluations > 0


def test_ours_improves() -> None:
    """Not by luck: on every one of these logs, by day and as a whole."""
    for seed in range(2):
        for problem in (day(made(seed), 5 * HOUR), whole_log(made(seed), 0.3)):
            watch = Watch(Budget(evaluations=2000), len(problem))
            found = ours(Pool(problem), watch)
            assert found.cost < found.begun


def every_plan(problem: Problem, step: int) -> list[list[int]]:
    """All plans whose starts are whole steps, feasible ones. Jobs are as long as some steps, too."""
    starts = [
        [*range(int(release), problem.span.end, step), *([LATER] if problem.span.closed else [])]
        for release in problem.jobs.release
    ]
    jobs = list(zip(problem.jobs.demand.tolist(), problem.jobs.duration.tolist(), strict=True))

    def fits(plan: tuple[int, ...]) -> bool:
        used: Counter[int] = Counter()
        for begin, (demand, duration) in zip(plan, jobs, strict=True):
            if begin != LATER:
                used.update(dict.fromkeys(range(begin, begin + duration, step), demand))
        return max(used.values(), default=0) <= problem.setting.cluster.procs

    return [list(plan) for plan in product(*starts) if fits(plan)]


@settings(max_examples=draws(25))
@given(data=st.data())
def test_no_plan_beats_the_bound(data: st.DataObject) -> None:
    """All plans in steps of an hour, and what the search finds."""
    hours = 5
    job = st.tuples(st.sampled_from([0, 1]), st.integers(1, 3), st.integers(1, 2))
    drawn = data.draw(st.lists(job, min_size=2, max_size=3))
    prices = data.draw(st.lists(st.integers(-30, 300), min_size=hours, max_size=hours))
    cooled = data.draw(st.booleans())
    energy = scenario([float(p) for p in prices], DEGREES[:hours] if cooled else None)
    jobs = [(at * HOUR, demand, run * HOUR) for at, demand, run in drawn]
    setting = pool(jobs, 3, energy)
    closed = data.draw(st.booleans())
    problem = day(setting, 3 * HOUR) if closed else whole_log(setting, 0.4)
    plans = every_plan(problem, HOUR)
    found = ours(Pool(problem), Watch(Budget(evaluations=500), len(problem)))
    best = min(found.cost, *(problem.cost(np.array(plan)) for plan in plans))
    assert bound(problem, found.plan.start) <= best + 1e-9
    # Whichever plan the lines below touch at
    assert all(bound(problem, np.array(plan), 0.0) <= best + 1e-9 for plan in plans[:3])


@pytest.mark.parametrize("closed", [True, False])
def test_ours_finds_the_best_of_all_plans(closed: bool) -> None:
    """Three jobs of whole hours: the best plan is in whole hours, too."""
    jobs = [(0, 2, HOUR), (0, 2, 2 * HOUR), (HOUR, 1, HOUR)]
    setting = pool(jobs, 3, scenario(PRICES))
    problem = day(setting, 3 * HOUR) if closed else whole_log(setting, 0.2)
    best = min(problem.cost(np.array(plan)) for plan in every_plan(problem, HOUR))
    found = ours(Pool(problem), Watch(Budget(evaluations=2000), len(problem)))
    assert found.cost <= best + 1e-9 * abs(best)
    assert best < found.begun - 1e-6 or closed


def test_the_bound_is_close_where_nothing_competes() -> None:
    """Jobs that never meet: each has its best start, and the bound says so."""
    setting = pool([(0, 1, HOUR), (0, 1, HOUR)], 8, scenario(PRICES))
    problem = whole_log(setting, 0.1)
    found = ours(Pool(problem), Watch(Budget(evaluations=500), 2))
    assert bound(problem, found.plan.start) == pytest.approx(found.cost)


def test_the_bound_of_a_cooled_day_knows_the_load() -> None:
    """The lines below the cost of segments touch it where the plan is: with few jobs the gap is small."""
    setting = pool([(0, 4, HOUR)] * 4, 16, scenario([100.0, 100.0], [20.0, 20.0]))
    problem = day(setting, HOUR)
    start = np.zeros(4, np.int64)
    cost = problem.cost(start)
    assert bound(problem, start) == pytest.approx(cost, rel=0.002)


def test_the_kernel_keeps_its_sums() -> None:
    """After many neighbourhoods the cost that was carried along is that of the plan."""
    problem = day(made(3), 5 * HOUR)
    floor = Pool(problem)
    begun = multi(floor, Watch(Budget(evaluations=1), len(problem)))
    work = new_work(np.arange(len(problem)), 99)
    start = begun.plan.start.copy()
    known = (problem.rates, problem.sums, problem.jobs, floor.line, floor.held, work, start)
    follow(*known)
    work.reals[HEAT] = 1e-4
    for _ in range(20):
        improve(*known, 100)
        assert not overbooked(problem, start)
        carried = work.reals[COST]
        assert carried == pytest.approx(problem.cost(start), abs=1e-9)
        assert problem.cost(work.best) <= begun.cost + 1e-12


def test_delay_search_by_hand() -> None:
    """One core; the dear first hour is better left idle: only a held job finds the cheap one."""
    setting = pool([(0, 1, HOUR)], 1, scenario([300.0, 10.0, 10.0]))
    problem = whole_log(setting, 0.01)
    floor = Pool(problem)
    assert multi(floor, Watch(Budget(evaluations=1), 1)).plan.start.tolist() == [0]
    found = delay(floor, Watch(Budget(evaluations=1000), 1))
    assert found.plan.start.tolist() == [HOUR]


@pytest.mark.parametrize("name", ["delay", "ours"])
def test_searches_on_nodes(name: str) -> None:
    random = np.random.default_rng(5)
    jobs = [
        (
            int(random.integers(0, 2 * HOUR)),
            int(random.integers(1, 4)),
            int(random.integers(1, 5)),
            int(random.integers(60, HOUR)),
        )
        for _ in range(20)
    ]
    setting = nodes(jobs, [4, 4, 6], scenario(PRICES, DEGREES))
    problem = day(setting, 4 * HOUR)
    begun = multi(floor_of(problem), Watch(Budget(evaluations=1), 20))
    found = [
        METHODS[name].plan(floor_of(problem), Watch(Budget(evaluations=300), 20), 3)
        for _ in range(2)
    ]
    assert found[0].cost <= begun.cost
    assert found[0].plan.start.tolist() == found[1].plan.start.tolist()
    assert not overbooked(problem, found[0].plan.start)
