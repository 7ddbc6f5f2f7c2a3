"""Holding jobs back: the kernel against a twin that tries every second."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.compiled import compiled
from packwise.engine.nodes.group import CELLS, Nodes
from packwise.engine.nodes.replay import fill_nodes, room_for_nodes
from packwise.engine.slots import group
from packwise.engine.state import NO_TIME, NODES, new_state
from packwise.model.demands import Demands
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.energy_rates import _lowest
from packwise.optimise.kernels.deadlines import HARD
from packwise.optimise.kernels.delays import POWER, Power, hold_back, new_power
from packwise.optimise.kernels.nodes_delays import hold_back_on_nodes
from packwise.optimise.kernels.search import DEADLINES, SEED
from packwise.optimise.kernels.workspace import (
    AIM,
    SPACE,
    WAITING,
    Aim,
    Space,
    Waiting,
    new_workspace,
)
from tests.lanes import broad
from tests.oracle.naive_delays import Waits, naive_hold_back

FAR = 400


@compiled
def ask(state, now, n, steps):
    aim = group(state, AIM, Aim)
    pool = group(state, WAITING, Waiting)
    space = group(state, SPACE, Space)
    power = group(state, POWER, Power)
    return hold_back(power, aim.settings, pool, space, now, n, steps)


@compiled
def ask_on_nodes(state, now, n):
    aim = group(state, AIM, Aim)
    pool = group(state, WAITING, Waiting)
    space = group(state, SPACE, Space)
    power = group(state, POWER, Power)
    nodes = group(state, NODES, Nodes)
    return hold_back_on_nodes(power, aim.settings, pool, space, nodes, now, n)


def one_node(jobs, steps):
    """A node of which so much is free at each step; the last has all of it."""
    units = np.array([job.demand for job in jobs])
    nothing, one = np.zeros(len(jobs), np.int64), np.ones((1, 1), np.int64)
    wanted = Demands(units, nothing, one, nothing[:1], one)
    room = room_for_nodes(1, 1, wanted, units, len(steps))
    return wanted, room


def fill_one_node(machine, wanted, steps):
    times, free = np.array(steps).T
    fill_nodes(machine, free[-1:, None], np.zeros(1, np.int64), wanted, "first-fit")
    size = len(steps)
    machine.time[:size] = times
    machine.free[:size] = machine.free[:1]
    machine.free[:size, 0] = free
    machine.next[:size] = np.append(np.arange(1, size), -1)
    machine.numbers[CELLS] = size


def fast(jobs, order, steps, edges, rates, now, settings, seed, on_nodes=False):
    """The kernel's answer: starts, who is held, when to be woken."""
    n = len(jobs)
    space = new_workspace(8, (1, 14), (5, 2), len(steps) + 2, n, n)
    wanted, room = one_node(jobs, steps)
    state = new_state(n, 4 * n + 64, 2 * n, *space, new_power(n, len(edges)), nodes=room)
    fill_one_node(state[NODES], wanted, steps)
    aim, pool, work, power = (state[g] for g in (AIM, WAITING, SPACE, POWER))
    aim.settings[:] = 0
    aim.settings[SEED], aim.settings[DEADLINES] = seed, HARD
    for name in ("submit", "demand", "limit"):
        getattr(pool, name)[:n] = [getattr(job, name) for job in jobs]
    pool.estimate[:n] = [job.duration for job in jobs]
    pool.deadline[:n] = [NO_DEADLINE if job.deadline is None else job.deadline for job in jobs]
    pool.plan[:n] = order
    work.base_times[: len(steps)] = [time for time, _ in steps]
    work.base_free[: len(steps)] = [amount for _, amount in steps]
    power.settings[:] = settings
    power.edges[:], power.rates[:] = edges, rates
    power.sums[:] = np.concatenate(([0], np.cumsum(np.diff(edges) * rates[:-1])))
    power.low[:] = _lowest(np.array(edges), np.array(rates))
    pool.job[:n] = range(n)
    asked = (state.address, now, n)
    wake = ask_on_nodes(*asked) if on_nodes else ask(*asked, len(steps))
    held = [bool(one) for one in power.held[:n]]
    return pool.kept[:n].tolist(), held, None if wake == NO_TIME else int(wake)


@pytest.mark.parametrize("on_nodes", broad([False, True]))
@given(st.data())
def test_the_kernel_does_what_its_twin_does(on_nodes, data) -> None:
    draw = data.draw
    procs, now = draw(st.integers(1, 6)), draw(st.integers(0, 30))
    jobs = []
    for _ in range(draw(st.integers(1, 5))):
        submit = draw(st.integers(0, now))
        duration = draw(st.integers(1, 12))
        limit = duration + draw(st.integers(0, 3))
        deadline = draw(st.none() | st.integers(0, now + 40))
        jobs.append(Waits(submit, draw(st.integers(1, procs)), duration, limit, deadline))
    order = draw(st.permutations(range(len(jobs))))
    later = sorted(draw(st.lists(st.integers(now + 1, now + 25), max_size=4, unique=True)))
    amounts = [draw(st.integers(0, procs)) for _ in later] + [procs]
    steps = list(zip([now, *later], amounts, strict=True))
    free = {}
    for t in range(now, now + FAR):
        free[t] = [amount for time, amount in steps if time <= t][-1]
    edges = [0, *sorted(draw(st.lists(st.integers(1, 60), max_size=6, unique=True)))]
    rates = [draw(st.integers(-50, 300)) for _ in edges]
    by_second = [rates[int(np.searchsorted(edges, t, "right")) - 1] for t in range(61)]
    value, longest = draw(st.sampled_from([0.0, 1.0, 7.5, 400.0])), draw(st.integers(0, 40))
    tries, fall, seed = (
        draw(st.sampled_from([0, 6])),
        draw(st.sampled_from([0.0, 0.5])),
        draw(st.integers(0, 3)),
    )
    naive = naive_hold_back(
        jobs, list(order), free, by_second, now,
        value=value, longest=longest, tries=tries, fall=fall, width=2.0, seed=seed,
        on_nodes=on_nodes,
    )  # fmt: skip
    settings = [value, longest, tries, fall, 2.0]
    assert fast(jobs, order, steps, edges, rates, now, settings, seed, on_nodes) == (
        naive.starts,
        naive.held,
        naive.wake,
    )


def test_a_job_waits_for_the_cheap_hour_only_if_that_pays() -> None:
    """An hour's work; the rate falls from 300 to 100 after two hours. It saves 200 a second of its run."""
    job, steps = [Waits(0, 1, 3600, 3600, None)], [(0, 1)]
    edges, rates = [0, 7200], [300, 100]
    saved = 3600 * 200 / 7200  # per second of waiting
    assert fast(job, [0], steps, edges, rates, 0, [saved - 1, 86400, 0, 0, 1], 0)[0] == [7200]
    assert fast(job, [0], steps, edges, rates, 0, [saved + 1, 86400, 0, 0, 1], 0)[0] == [0]
    # Not longer than it may be held, nor beyond its deadline; part of it may still run in the cheap hour.
    assert fast(job, [0], steps, edges, rates, 0, [saved - 60, 6000, 0, 0, 1], 0)[0] == [6000]
    due = [job[0]._replace(deadline=9000)]
    assert fast(due, [0], steps, edges, rates, 0, [saved - 60, 86400, 0, 0, 1], 0)[0] == [5400]


def test_who_comes_first_has_the_choice_and_the_search_changes_it() -> None:
    """One processor, one cheap hour: the longer job should have it."""
    jobs = [Waits(0, 1, 600, 600, None), Waits(0, 1, 3600, 3600, None)]
    edges, rates = [0, 7200, 10800], [300, 0, 300]
    greedy = fast(jobs, [0, 1], [(0, 1)], edges, rates, 0, [10.0, 86400, 0, 0, 1], 0)[0]
    searched = fast(jobs, [0, 1], [(0, 1)], edges, rates, 0, [10.0, 86400, 20, 0, 1], 0)[0]
    assert greedy[1] != 7200
    assert searched[1] == 7200


@given(st.lists(st.integers(1, 200_000), min_size=1, max_size=40, unique=True), st.data())
def test_the_lowest_rate_ahead(edges, data) -> None:
    from packwise.optimise.kernels.delays import AHEAD

    edges = sorted(edges)
    rates = [data.draw(st.integers(-9, 9)) for _ in edges]
    found = _lowest(np.array(edges), np.array(rates))
    for k, edge in enumerate(edges):
        ahead = [
            rate for when, rate in zip(edges, rates, strict=True) if edge <= when < edge + AHEAD
        ]
        assert found[k] == min(ahead)
