"""solve_round against brute force, with hints, weights, ready times and limits."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.model.errors import InputError, UnknownName
from packwise.optimise.cp import solve as solve_module
from packwise.optimise.cp import solve_round
from packwise.optimise.cp.linear import LinearCosts, whole_weights
from packwise.optimise.cp.model import Model
from packwise.optimise.cp.problem import Problem
from packwise.optimise.cp.ratio import RatioCosts
from packwise.optimise.cp.search import OPTIMAL
from packwise.optimise.cp.symmetry import chains, in_chain_order
from packwise.optimise.metrics_of_plan import metric_of_plan
from packwise.optimise.round import Round
from tests.draws import draws

pytest.importorskip("ortools")

NOW = 100


def a_round(demand, estimate, submit=None, times=(NOW,), free=(6,)) -> Round:
    n = len(demand)
    columns = (range(n), [NOW] * n if submit is None else submit, demand, estimate, times, free)
    return Round(NOW, max(free), *(np.array(column, np.int64) for column in columns))


def random_round(seed: int, jobs: int = 5, *, alike: bool = False) -> Round:
    rng = np.random.default_rng(seed)
    demand, estimate = rng.integers(1, 7, jobs), rng.integers(1, 30, jobs)
    if alike:
        demand, estimate = rng.choice([1, 4], jobs), rng.choice([5, 12], jobs)
    submit = np.sort(NOW - rng.integers(0, 40, jobs))
    return a_round(demand, estimate, submit, (NOW, NOW + 4, NOW + 9), (2, 3, 6))


def list_plans(round: Round) -> list[np.ndarray]:
    return [round.insert(order) for order in round.list_orders().values()]


def solved(round: Round, metric: str | None = None, **options):
    return solve_round(round, metric, deterministic=5, **options)


def test_two_jobs_by_hand():
    """The machine holds one of them at a time; the short one goes first: (0 + 10 + 10 + 40) / 2."""
    found = solved(a_round([6, 6], [40, 10]), "AF")
    assert found.start.tolist() == [NOW + 10, NOW]
    assert (found.objective, found.bound, found.status, found.gap) == (30.0, 30.0, OPTIMAL, 0.0)
    # By area the order does not matter; what each waits for is the other's area.
    assert solved(a_round([6, 6], [40, 10]), "AWF").objective == (40 * 40 + 10 * 50) / 50


def test_a_short_job_waits_for_nothing_where_slowdown_is_bounded():
    """Slowdown of 5 s counts from 10 s on: it may wait for 5 s, so the other goes first."""
    found = solved(a_round([6, 6], [5, 5], submit=[NOW - 20, NOW]), "BSLD")
    assert found.start.tolist() == [NOW, NOW + 5]
    assert found.objective == pytest.approx((2.5 + 1) / 2)
    assert found.bound == pytest.approx(found.objective)


@pytest.mark.parametrize("metric", ["AF", "AWF", "BSLD"])
@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(6, few=2)))
def test_regular_metrics_against_all_orders(metric, seed):
    round = random_round(seed, alike=seed % 2 == 1)
    plans = [round.insert(np.array(order)) for order in permutations(range(len(round)))]
    best = min(metric_of_plan(metric, round, plan) for plan in plans)
    for hints in ([], list_plans(round)):
        found = solved(round, metric, hints=hints)
        assert found.status == OPTIMAL
        assert found.objective == pytest.approx(best, rel=1e-12)
        assert found.bound <= best * (1 + 1e-9)
        assert found.gap < 1e-5


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(6, few=1)))
def test_p2sf_against_all_starts(seed):
    """Jobs that have just come gain by waiting for nothing: no order of insertion finds those plans."""
    rng = np.random.default_rng(seed)
    round = a_round(
        rng.integers(1, 7, 3),
        rng.integers(1, 8, 3),
        np.sort(NOW - rng.integers(0, 4 if seed % 2 else 30, 3)),
        (NOW, NOW + 4, NOW + 9),
        (2, 3, 6),
    )
    best = np.inf
    for delays in product(range(26), repeat=3):
        plan = NOW + np.array(delays)
        value = metric_of_plan("P2SF", round, plan)
        if value < best:
            try:
                round.check(plan)
            except InputError:
                continue
            best = value
    for hints in ([], [round.insert(round.order_by())]):
        found = solved(round, "P2SF", hints=hints)
        assert found.objective == pytest.approx(best, rel=1e-9)
        assert found.status == OPTIMAL
        assert found.bound == pytest.approx(best, rel=1e-6)


def test_p2sf_with_costs_of_large_numbers():
    """Found by enumeration; with integer costs beyond 2^40 the solver called [0, 5, 4] optimal."""
    round = a_round([2, 2, 1], [2, 2, 4], [91, 100, 100], free=(3,))
    solution = solve_round(round, "P2SF", deterministic=0.5)
    assert (solution.start - NOW).tolist() == [0, 5, 3]
    assert solution.bound <= solution.objective * (1 + 1e-6)


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(12, few=2)))
def test_p2sf_of_three_jobs_against_all_starts(seed):
    rng = np.random.default_rng(seed)
    submit = np.sort(NOW - rng.integers(0, 12, 3))
    round = a_round(rng.integers(1, 4, 3), rng.integers(1, 5, 3), submit, free=(3,))
    best = np.inf
    for starts in product(range(13), repeat=3):
        start = NOW + np.array(starts)
        try:
            round.check(start)
        except InputError:
            continue
        best = min(best, metric_of_plan("P2SF", round, start))
    solution = solve_round(round, "P2SF", deterministic=2)
    assert solution.bound <= best * (1 + 1e-6)
    assert solution.objective <= best * (1 + (1e-6 if solution.status == OPTIMAL else 1e-3))


def test_p2sf_delays_a_job_on_purpose():
    round = a_round([1, 6], [50, 2], submit=[0, NOW])
    found = solved(round, "P2SF")
    assert found.objective <= min(metric_of_plan("P2SF", round, p) for p in list_plans(round))
    assert found.status == OPTIMAL


def test_p2sf_of_jobs_whose_costs_cancel():
    """At its own ratio the cost of a lone job is nothing, however steep it is."""
    round = a_round([3], [40_000], submit=[0], times=(NOW, NOW + 70_000), free=(2, 6))
    found = solved(round, "P2SF", hints=list_plans(round))
    assert found.start.tolist() == [NOW + 70_000]
    assert found.status == OPTIMAL


def test_weights_of_ones_own():
    """Of two jobs with the same size the dearer goes first, whoever came first."""
    round = a_round([6, 6], [10, 10], submit=[NOW - 5, NOW])
    found = solved(round, weights=np.array([0.5, 2.0]))
    assert found.start.tolist() == [NOW + 10, NOW]
    assert found.objective == found.bound == 5.0
    free = solved(round, weights=np.zeros(2))
    assert (free.objective, free.bound, free.gap) == (0.0, 0.0, 0.0)


def test_ready_times():
    """The second comes at 103. Waiting for it is worse than letting it wait."""
    round = a_round([6, 6], [10, 4], submit=[NOW, NOW + 3])
    ready = np.array([NOW, NOW + 3])
    assert solved(round, "AF", ready=ready).start.tolist() == [NOW + 7, NOW + 3]
    assert solved(round, "AWF", ready=ready).start.tolist() == [NOW, NOW + 10]
    found = solved(round, "P2SF", ready=ready)
    assert found.status == OPTIMAL
    assert (found.start >= ready).all()
    with pytest.raises(InputError, match="before its submission"):
        solved(round, "AF", ready=np.array([NOW, NOW]))
    with pytest.raises(InputError, match="before it is ready"):
        solved(round, "AF", ready=ready, hints=[np.array([NOW + 4, NOW])])


def test_capacity_that_falls_again():
    """A reservation of someone else's from 105 to 110: the long job fits behind it only."""
    round = a_round([4, 4], [6, 5], times=(NOW, NOW + 5, NOW + 10), free=(6, 1, 6))
    assert solved(round, "AF").start.tolist() == [NOW + 10, NOW]


@pytest.mark.parametrize("metric", ["AF", "AWF", "BSLD", "P2SF"])
@pytest.mark.parametrize("deterministic", [1e-7, 1e-3])
def test_never_worse_than_the_hints(metric, deterministic):
    round = random_round(7, jobs=25, alike=True)
    plans = list_plans(round)
    found = solve_round(round, metric, hints=plans, deterministic=deterministic)
    round.check(found.start)
    assert found.objective <= min(metric_of_plan(metric, round, plan) for plan in plans)
    assert found.objective == metric_of_plan(metric, round, found.start)


def test_hints_are_put_into_the_order_of_symmetry_breaking():
    """Alike jobs in reverse order: a hint that is optimal, but not in the model as it is."""
    round = a_round([6, 6, 6], [10, 10, 10], submit=[90, 95, 100])
    problem = Problem.of(round)
    for metric in ("AF", "AWF", "BSLD"):
        groups = chains(problem, LinearCosts.of_metric(metric, problem))
        assert [group.tolist() for group in groups] == [[0, 1, 2]]
        assert in_chain_order(np.array([20, 10, 0]), groups).tolist() == [0, 10, 20]
    hint = np.array([NOW + 20, NOW + 10, NOW])
    assert solve_round(round, "AF", hints=[hint], deterministic=1e-3).found


@pytest.mark.parametrize("metric", ["AF", "AWF", "BSLD", "P2SF"])
def test_a_hint_is_a_solution_of_its_model(metric):
    """With every variable at its hint the model holds, and a ratio's cost is what it should be: nothing."""
    from ortools.sat.python import cp_model

    for seed in range(5):
        round = random_round(seed, jobs=12, alike=seed % 2 == 1)
        problem, start = Problem.of(round), round.insert(round.order_by())
        value = metric_of_plan(metric, round, start)
        costs = (
            RatioCosts(problem, 2.0, value * 4 / 3, (start - NOW,))
            if metric == "P2SF"
            else LinearCosts.of_metric(metric, problem)
        )
        model = Model(problem, costs, start - NOW, hinted=True)
        assert not model.cp.validate()
        solver = cp_model.CpSolver()
        solver.parameters.fix_variables_to_their_hinted_value = True
        solver.parameters.num_workers = 1
        assert int(solver.solve(model.cp)) == OPTIMAL
        cost = solver.objective_value / model.factor
        assert costs.bound(cost) == pytest.approx(value, rel=1e-5)  # rounding of a ratio's costs


@pytest.mark.parametrize("ratio", [1.0, 40.0, 2000.0])
def test_steps_are_nowhere_above_the_cost_and_meet_it_at_known_plans(ratio):
    """At every second: the cost falls and rises, is turned at now or later, or only rises."""
    for seed in range(5):
        round = random_round(seed, jobs=8)
        problem, known = Problem.of(round), round.insert(round.order_by()) - NOW
        costs = RatioCosts(problem, 2.0, ratio, (known,))
        latest = np.maximum(known, problem.earliest + 150)
        points, values = costs._steps(latest)
        assert (points[0] == problem.earliest).all()
        for start in range(int(problem.earliest.min()), int(latest.max()) + 1):
            at = np.clip(np.full(len(round), start), problem.earliest, latest)
            last = np.array([np.flatnonzero(points[:, j] <= at[j])[-1] for j in range(len(round))])
            here, true = values[last, np.arange(len(round))], costs.cost(at)
            assert (here <= true + 1e-9 * np.abs(true)).all()
            exact = at == known
            np.testing.assert_allclose(here[exact], true[exact], rtol=1e-12)


def test_a_plan_that_the_fluid_proves_is_not_searched(monkeypatch):
    """One job alone, started at once: the fluid bound is its ratio."""
    monkeypatch.setattr(solve_module, "search", None)
    round = a_round([6], [50], submit=[0])
    found = solved(round, "P2SF", hints=[np.array([NOW])])
    assert (found.status, found.found, found.gap) == (OPTIMAL, True, pytest.approx(0, abs=1e-6))


def test_alike_jobs_are_free_where_an_order_could_cost():
    """Where the cost of a ratio bends down, the younger of two may gain more by going first."""
    round = a_round([6, 6], [10, 10], submit=[NOW - 2, NOW])
    problem = Problem.of(round)
    assert not chains(problem, RatioCosts(problem, 2.0, 1000.0, ()))
    assert chains(problem, RatioCosts(problem, 2.0, 1.0, ()))
    dearer_last = LinearCosts.of_weights(np.array([1.0, 2.0]), problem)
    assert chains(problem, dearer_last)[0].tolist() == [1, 0]
    ready = Problem.of(round, np.array([NOW, NOW + 5]))
    assert not chains(ready, LinearCosts.of_weights(np.array([1.0, 2.0]), ready))


def test_a_deterministic_limit_gives_the_same_plan_twice():
    round = random_round(3, jobs=20)
    for workers in (1, 2):
        first, second = (
            solve_round(round, "AF", deterministic=0.01, workers=workers, seed=3) for _ in range(2)
        )
        assert np.array_equal(first.start, second.start)
        assert first.bound == second.bound


def test_without_a_plan():
    found = solve_round(random_round(1, jobs=40), "AF", deterministic=1e-9)
    assert (found.start, found.found) == (None, False)
    assert np.isnan([found.objective, found.bound, found.gap]).all()


def test_whole_weights_have_room_and_are_below():
    latest = np.full(3, 2**30)
    exact, factor = whole_weights(np.array([10.0, 20.0, 50.0]), latest)
    assert (exact.tolist(), factor) == ([1, 2, 5], 0.1)
    huge = np.array([2.0**50, 2.0**49 + 1, 3.0])
    for weights in (huge, np.array([0.1, 1e-5, 1 / 3])):
        whole, factor = whole_weights(weights, latest)
        assert (whole <= weights * factor).all()
        assert int((whole * latest).sum()) < 2**60
    fine, factor = whole_weights(np.array([0.1, 1e-5, 1 / 3]), np.full(3, 2**20))
    assert fine == pytest.approx(np.array([0.1, 1e-5, 1 / 3]) * factor, rel=1e-6)


def test_huge_times_and_areas():
    round = a_round([2**20, 2**20], [2**30, 2**31], times=(NOW,), free=(2**20,))
    for metric in ("AF", "AWF", "P2SF"):
        found = solved(round, metric, hints=list_plans(round))
        assert found.found, metric
    assert solved(round, "AF").start.tolist() == [NOW, NOW + 2**30]


def test_what_cannot_be_solved():
    round = a_round([6, 6], [10, 10])
    with pytest.raises(InputError, match="either a metric or weights"):
        solve_round(round)
    with pytest.raises(UnknownName, match="unknown metric 'AFF'"):
        solve_round(round, "AFF")
    with pytest.raises(InputError, match="one finite number"):
        solve_round(round, weights=np.array([1.0, -1.0]))
    with pytest.raises(InputError, match="found none"):
        solve_round(round.part(np.array([], np.int64)), "AF")
    with pytest.raises(InputError, match="level of 1 or more"):
        solve_round(round, "P0.5SF")
    with pytest.raises(InputError, match="needs 7 processors"):
        solve_round(a_round([7], [10]), "AF")
    for options in ({"limit": 0}, {"deterministic": -1}, {"workers": 0}, {"seed": -1}):
        with pytest.raises(InputError, match="found"):
            solve_round(round, "AF", **options)
    with pytest.raises(InputError, match="where 6 are free"):
        solve_round(round, "AF", hints=[np.array([NOW, NOW])])


@settings(max_examples=draws(15), derandomize=True)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 40)), min_size=1, max_size=7),
    st.sampled_from(["AF", "AWF", "BSLD", "P1SF", "P2SF", "P3SF"]),
    st.booleans(),
)
def test_plans_are_feasible_and_bounds_hold(sizes, metric, hinted):
    round = a_round(*zip(*sizes, strict=True), times=(NOW, NOW + 7), free=(3, 6))
    hints = list_plans(round) if hinted else []
    found = solve_round(round, metric, hints=hints, deterministic=0.01)
    if found.start is None:
        return
    round.check(found.start)
    assert found.objective == metric_of_plan(metric, round, found.start)
    if found.found:
        assert found.bound <= found.objective * (1 + 1e-6)
