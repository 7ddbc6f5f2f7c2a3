"""The compiled order search finds the plan of its naive twin, and a replay is the same stepped."""

from __future__ import annotations

import numpy as np
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from packwise import Cluster, Exact, Requested, simulate
from packwise.feasibility import check_schedule
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round
from tests.draws import draws
from tests.optimise.keeping_deadlines import assert_deadlines_are_kept
from tests.oracle.naive_search import TooClose, insert, naive_search
from tests.properties.workload_strategies import deadline_workloads, workloads

PROCS = 8

#: What the delay of a job that is not late yet counts against that of a regular one.
EARLY = 1 / 64

DEADLINE = st.integers(5, 60) | st.just(NO_DEADLINE)


@st.composite
def views(
    draw: st.DrawFn,
    jobs: st.SearchStrategy[int],
    widths: st.SearchStrategy[int],
    lengths: st.SearchStrategy[int],
    due: bool = False,
) -> View:
    """A queue of small jobs behind some running ones."""
    waiting = draw(jobs)
    running = draw(st.integers(0, 3))
    n = waiting + running
    demand = np.array([draw(st.integers(1, 2)) for _ in range(running)], np.int64)
    ends = np.array([draw(st.integers(11, 30)) for _ in range(running)], np.int64)
    wanted = np.array([draw(widths) for _ in range(waiting)], np.int64)
    estimate = np.array([draw(lengths) for _ in range(n)], np.int64)
    submit = np.sort(np.array([draw(st.integers(0, 10)) for _ in range(n)], np.int64))
    zeros = np.zeros(n, np.int64)
    none = np.full(n, NO_DEADLINE)
    return View(
        now=10,
        procs=PROCS,
        free=PROCS - int(demand.sum()),
        queue=np.arange(running, n),
        running=np.arange(running),
        expected_end=ends,
        submit=submit,
        demand=np.concatenate([demand, wanted]),
        estimate=estimate,
        limit=estimate,
        user=zeros,
        group=zeros,
        app=zeros,
        queue_number=zeros,
        deadline=np.array([draw(DEADLINE) for _ in range(n)], np.int64) if due else none,
    )


MIXED = views(st.integers(2, 9), st.integers(1, PROCS), st.integers(1, 9))

#: Whole numbers throughout, so that sums do not depend on the order of additions.
COSTS = {
    "AF": (lambda r, e, q: q + e, lambda r, e, q: 1.0),
    "AWF": (lambda r, e, q: r * e * (q + e), lambda r, e, q: r * e),
    "P2SF": (
        lambda r, e, q: r * ((q + e) ** 4 - q**4),
        lambda r, e, q: r * 4 * ((q + e) ** 3 - q**3),
    ),
}


@settings(max_examples=draws(150))
@given(
    MIXED,
    st.sampled_from(sorted(COSTS)),
    st.integers(1, 40),
    st.sampled_from([2, 3, 5, 64]),
    st.sampled_from([0.0, 0.05, 1.0]),
    st.integers(0, 3),
)
def test_the_plan_of_the_naive_twin(view, metric, budget, window, temperature, seed):
    agree(view, metric, budget, window, temperature, seed)


ALIKE = views(st.integers(14, 26), st.sampled_from([2, 4]), st.sampled_from([3, 6]))


@settings(max_examples=draws(40))
@given(ALIKE, st.sampled_from(["P2SF", "P2SF", "AWF"]), st.integers(0, 99))
def test_the_plan_of_the_naive_twin_in_queues_of_jobs_alike(view, metric, seed):
    """Jobs alike but for their age: behind a move the rest is often known from before, at another cost."""
    agree(view, metric, 150, 64, 0.05, seed)


DUE = views(st.integers(2, 9), st.integers(1, PROCS), st.integers(1, 9), due=True)


@settings(max_examples=draws(80))
@given(
    DUE,
    st.sampled_from(["AF", "AWF"]),
    st.integers(0, 40),
    st.sampled_from([2, 3, 64]),
    st.sampled_from([0.0, 0.05]),
    st.sampled_from(["hard", "soft", "ignore"]),
)
def test_the_plan_of_the_naive_twin_with_deadlines(
    view, metric, budget, window, temperature, deadlines
):
    agree(view, metric, budget, window, temperature, 0, deadlines)


def test_a_plan_of_jobs_that_are_too_late_anyhow_comes_in_the_order_of_its_starts():
    demand = np.array([1, 1, 1, 1, 1, 1, 7, 1, 2, 3])
    estimate = np.array([1, 1, 1, 1, 2, 2, 1, 2, 2, 3])
    zeros = np.zeros(10, np.int64)
    hopeless = np.isin(np.arange(10), [0, 2, 3, 5, 8])
    view = View(
        now=10,
        procs=PROCS,
        free=7,
        queue=np.arange(1, 10),
        running=np.array([0]),
        expected_end=np.array([11]),
        submit=zeros,
        demand=demand,
        estimate=estimate,
        limit=estimate,
        user=zeros,
        group=zeros,
        app=zeros,
        queue_number=zeros,
        deadline=np.where(hopeless, 5, NO_DEADLINE),
    )
    agree(view, "AF", 5, 64, 0.0, 0)


def agree(view, metric, budget, window, temperature, seed, deadlines="hard"):
    policy = SearchPolicy(
        objective=objective(metric, local="metric"),
        budget=budget,
        window=window,
        temperature=temperature,
        seed=seed,
        deadlines=deadlines,
    )
    decision = policy.decide(view)
    round = Round.from_view(view)
    due = view.deadline[round.job] != NO_DEADLINE if deadlines != "ignore" else np.zeros(0)
    if int(round.demand.sum()) <= view.free or (
        int(round.demand.min()) > view.free and not due.any()
    ):
        assert len(decision.start) == (0 if int(round.demand.min()) > view.free else len(round))
        return
    delay, slope = COSTS[metric]
    r, e, s = round.demand.tolist(), round.estimate.tolist(), round.submit.tolist()

    moments = np.arange(view.now + int(round.estimate.sum()) + 100)
    free = round.free[np.searchsorted(round.times, moments, side="right") - 1].tolist()

    def plain(j, start):
        return delay(r[j], e[j], start - s[j])

    jobs = range(len(round))
    latest = {j: max(int(view.deadline[round.job[j]]) - e[j], s[j]) for j in np.flatnonzero(due)}
    penalty = {}
    if deadlines == "hard":
        carried = insert(jobs, view.now, r, e, free.__getitem__)
        delays = 1.0 + sum(plain(j, carried[j]) for j in jobs)
        alone = {j: insert([j], view.now, r, e, free.__getitem__)[j] for j in jobs}
        latest = {j: at for j, at in latest.items() if alone[j] <= at}
        penalty = {j: 1024.0 * delays for j, at in latest.items() if carried[j] > at}
        total = delays + sum(p * (1 + (carried[j] - latest[j]) / 4096) for j, p in penalty.items())
        penalty |= {j: 16.0 * total for j, at in latest.items() if carried[j] <= at}

    def cost(j, start):
        if j not in latest:
            return plain(j, start)
        if start <= latest[j]:
            return EARLY * plain(j, start)
        if deadlines == "hard":
            return EARLY * plain(j, start) + penalty[j] * (1 + (start - latest[j]) / 4096)
        return EARLY * plain(j, start) + 10.0 * (plain(j, start) - plain(j, latest[j]))

    def slope_now(j):
        factor = 1.0 if j not in latest else EARLY if view.now <= latest[j] else EARLY + 10.0
        return factor * slope(r[j], e[j], view.now - s[j])

    try:
        order, starts = naive_search(
            view.now,
            s,
            r,
            e,
            [True] * len(round),
            free.__getitem__,
            cost,
            slope_now,
            budget=budget,
            window=window,
            temperature=temperature,
            seed=seed,
            latest=latest if due.any() else {},
            in_order=bool(due.any()),
        )
    except TooClose:
        reject()
    now = [round.job[j] for j in order if starts[j] == view.now]
    later = {int(round.job[j]): starts[j] for j in order if starts[j] > view.now}
    assert decision.start.tolist() == now
    assert decision.planned == later
    assert list(decision.planned) == list(later)


@settings(max_examples=draws(100))
@given(
    workloads(most=30),
    st.sampled_from(["AF", "AWF", "BSLD", "P2SF", "P1SF", "0.5*AF+0.5*AWF"]),
    st.sampled_from([Requested(), Exact(), Exact(0.5)]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([2, 4, 64]),
)
def test_compiled_and_stepped_replays_are_the_same(workload, metric, estimate, budget, window):
    policy = SearchPolicy(objective=objective(metric), budget=budget, window=window)
    cluster = Cluster.pool(int(max(workload.demand.max(), 4)))
    compiled = simulate(workload, cluster, policy, estimate)
    stepped = simulate(workload, cluster, policy, estimate, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    assert check_schedule(workload, cluster, compiled.schedule).ok
    assert compiled.rounds.started.sum() == len(workload)


@settings(max_examples=draws(40))
@given(
    deadline_workloads(most=30),
    st.sampled_from(["AF", "AWF", "BSLD", "P2SF", "0.5*AF+0.5*AWF"]),
    st.sampled_from([Requested(), Exact(), Exact(0.5)]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from(["hard", "soft", "ignore"]),
)
def test_compiled_and_stepped_replays_with_deadlines(workload, metric, estimate, budget, deadlines):
    policy = SearchPolicy(objective=objective(metric), budget=budget, window=4, deadlines=deadlines)
    cluster = Cluster.pool(PROCS)
    compiled = simulate(workload, cluster, policy, estimate)
    stepped = simulate(workload, cluster, policy, estimate, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    assert check_schedule(workload, cluster, compiled.schedule).ok
    if deadlines == "ignore":
        without = simulate(workload.replace(deadline=None), cluster, policy, estimate)
        np.testing.assert_array_equal(compiled.schedule.start, without.schedule.start)


@settings(max_examples=draws(60))
@given(
    deadline_workloads(most=30),
    st.sampled_from(["AF", "AWF", "BSLD", "P2SF", "0.5*AF+0.5*AWF"]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([2, 4, 64]),
)
def test_a_hard_deadline_that_a_plan_meets_is_kept(workload, metric, budget, window):
    policy = SearchPolicy(objective=objective(metric), budget=budget, window=window)
    assert_deadlines_are_kept(policy, workload, PROCS)


@settings(max_examples=draws(60))
@given(MIXED, st.sampled_from(["AF", "AWF", "BSLD", "P2SF"]), st.integers(1, 200))
def test_never_worse_than_the_best_seed(view, metric, budget):
    decision = SearchPolicy(objective=objective(metric), budget=budget).decide(view)
    if decision.notes:
        assert decision.notes["cost"] <= decision.notes["seed_cost"]
    round = Round.from_view(view)
    start = np.array([decision.planned.get(job, view.now) for job in round.job.tolist()])
    if len(decision.start):
        round.check(start)
