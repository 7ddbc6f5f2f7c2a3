"""The job-based heuristic, by the kernels and second by second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.model.allocation import Allocation
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.nodes import OnNodes
from packwise.optimise.profit.orders import orders
from packwise.optimise.profit.plan import Plan
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.rates import Usage
from tests.draws import draws
from tests.optimise.profit_cases import day, nodes, pool, scenario
from tests.oracle.naive_profit import naive_insert, naive_insert_on_nodes

END = 60
ENERGY = scenario([100.0])


@settings(max_examples=draws(150))
@given(data=st.data())
def test_a_pool_as_second_by_second(data: st.DataObject) -> None:
    job = st.tuples(st.integers(0, END - 1), st.integers(1, 4), st.integers(1, 40))
    jobs = data.draw(st.lists(job, min_size=1, max_size=12))
    setting = pool(jobs, 4, ENERGY)
    ends = data.draw(st.lists(st.integers(1, 90), max_size=2))
    running = Usage.none()._replace(
        end=np.array(ends, np.int64),
        demand=np.ones(len(ends), np.int64),
        watts=np.zeros(len(ends)),
    )
    problem = day(setting, END, running)
    count = len(problem)
    order = data.draw(st.permutations(range(count)))
    held = data.draw(st.lists(st.integers(0, END), min_size=count, max_size=count))
    since = [int(r) + h for r, h in zip(problem.jobs.release, held, strict=True)]
    floor = floor_of(problem)
    assert type(floor) is Pool
    found = floor.insert(np.array(order), np.array(since)).tolist()
    assert found == naive_insert(problem, order, since, {})
    # Some of them fixed where they are, the others anew in another order
    kept = data.draw(st.sets(st.integers(0, count - 1)))
    again = data.draw(st.permutations(range(count)))
    fixed = np.array([j in kept for j in range(count)], np.int64)
    release = problem.jobs.release
    second = floor.insert(np.array(again), release, fixed, Plan(np.array(found), None))
    expected = naive_insert(problem, again, release.tolist(), {j: found[j] for j in kept})
    assert second.tolist() == expected


@settings(max_examples=draws(150))
@given(data=st.data())
def test_nodes_as_second_by_second(data: st.DataObject) -> None:
    job = st.tuples(
        st.integers(0, END - 1), st.integers(1, 3), st.integers(1, 4), st.integers(1, 40)
    )
    jobs = [(0, 2, 3, 5), (0, 2, 2, 5), *data.draw(st.lists(job, min_size=1, max_size=10))]
    capacity = data.draw(st.sampled_from([[4, 4, 4], [4, 5, 6, 4], [7, 4, 4], [1, 4, 4, 4]]))
    begin = data.draw(st.sampled_from([0, 7, 40]))
    setting = nodes(jobs, capacity, ENERGY)
    running = Usage.none()
    if data.draw(st.booleans()):  # the second job has run since before, on the last node
        node = len(capacity) - 1
        end, places = begin + data.draw(st.integers(1, 30)), Allocation.from_parts([{node: 2}])
        running = Usage(np.array([1]), np.array([end]), np.array([4]), np.array([9.0]), places)
    problem = day(setting, END, running, begin)
    problem = replace(
        problem,
        picked=np.delete(problem.picked, running.job),
        worth=np.zeros(len(problem) - len(running.job)),
    )
    order = data.draw(st.permutations(range(len(problem))))
    floor = floor_of(problem)
    assert isinstance(floor, OnNodes)
    found = floor.insert(np.array(order))
    plan = floor.plan(found)
    log = setting.log
    assert log.units is not None
    units = log.units[problem.picked].tolist()
    cores = log.per_unit["cores"][problem.picked].tolist()
    start, places = naive_insert_on_nodes(problem, order, units, cores)
    assert found.tolist() == start
    allocation = floor.allocation(plan)
    assert [allocation.of(j) for j in range(len(problem))] == places
    # The floor is as new for the next order.
    back = list(reversed(order))
    assert (
        floor.insert(np.array(back)).tolist()
        == (naive_insert_on_nodes(problem, back, units, cores)[0])
    )


def test_jobs_that_run_hold_their_nodes() -> None:
    """The first node is taken until 30: the others have to share the second."""
    setting = nodes([(0, 1, 4, 100), (0, 1, 4, 10), (0, 1, 1, 10), (1, 2, 2, 5)], [4, 4], ENERGY)
    running = Usage(
        np.array([0]),
        np.array([30]),
        np.array([4]),
        np.array([1.0]),
        Allocation.from_parts([{0: 1}]),
    )
    problem = replace(day(setting, END, running), picked=np.array([1, 2, 3]), worth=np.zeros(3))
    assert floor_of(problem).insert(np.arange(3)).tolist() == [0, 10, 20]


def test_the_orders_are_the_papers() -> None:
    setting = pool([(5, 2, 30), (0, 1, 50), (9, 4, 10)], 4, ENERGY)
    problem = day(setting, END)
    found = dict(orders(problem))
    assert len(found) == 22
    # by submission the jobs are (0, 1, 50), (5, 2, 30), (9, 4, 10)
    assert found["+earliest-start"].tolist() == [0, 1, 2]
    assert found["-earliest-start"].tolist() == [2, 1, 0]
    assert found["+duration"].tolist() == [2, 1, 0]
    assert found["+latest-start"].tolist() == [0, 1, 2]  # the longest has to start first
    assert found["-resources"].tolist() == [2, 1, 0]
    assert found["+work"].tolist() == [2, 0, 1]  # 40, 50 and 60
    draws = setting.power / setting.earns / setting.log.runtime
    assert found["+power-profit"].tolist() == np.argsort(draws).tolist()


def test_a_job_without_room_today_holds_nothing() -> None:
    """The second needs the whole machine, not free before tomorrow; the third fits beside the first."""
    setting = pool([(0, 1, END + 5), (0, 4, 10), (0, 3, 10)], 4, ENERGY)
    problem = day(setting, END)
    assert floor_of(problem).insert(np.arange(3)).tolist() == [0, LATER, 0]
