"""Bounds on a round: below every plan, equal to a naive twin, tight where the fluid is a plan."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from packwise.model.errors import InputError, UnknownName
from packwise.optimise.bounds import aged_bound, bound_of_metric, fluid_bound
from packwise.optimise.kernels.fluid import fluid, pour_or_place
from packwise.optimise.metrics_of_plan import METRICS, metric_of_plan
from tests.draws import draws
from tests.optimise import naive_fluid
from tests.optimise.rounds import a_round, rounds

#: Rounding of floating point, relative to the value.
EPS = 1e-9
WEIGHTS = {
    "AF": lambda r, e: Fraction(1),
    "AWF": lambda r, e: Fraction(r * e),
    "BSLD": lambda r, e: Fraction(1, max(e, 10)),
}


def plans(round):
    """Serial insertion of every permutation: the best of each regular measure is among these."""
    for order in permutations(range(len(round))):
        yield round.insert(np.array(order, np.int64))


def weights_of(name, round):
    return [
        WEIGHTS[name](int(r), int(e)) for r, e in zip(round.demand, round.estimate, strict=True)
    ]


def numerator(alpha, round, start):
    wait = (start - round.submit).astype(float)
    flow = wait + round.estimate
    return float((round.demand * (flow ** (alpha + 2) - wait ** (alpha + 2))).sum())


def numerator_bound(alpha, round):
    return (alpha + 2) / (alpha + 1) * aged_bound(round, alpha, 0.0)


@njit
def compiled_fluid(order, weights, demand, estimate, times, free):
    return fluid(order, weights, demand, estimate, times, free, times.size)


def plain_fluid(order, weights, round):
    return compiled_fluid(order, weights, round.demand, round.estimate, round.times, round.free)


@settings(max_examples=draws(60))
@given(rounds(), st.sampled_from([*METRICS, "P0SF", "P1SF", "P0.5SF"]))
def test_no_insertion_is_below_the_bound_of_a_metric(round, metric):
    best = min(metric_of_plan(metric, round, start) for start in plans(round))
    assert bound_of_metric(metric, round) <= best * (1 + EPS)


@settings(max_examples=draws(40))
@given(rounds(jobs=6), st.lists(st.floats(0, 1000), min_size=6, max_size=6))
def test_no_insertion_is_below_the_bound_of_any_weights(round, weights):
    w = np.array(weights[: len(round)])
    order = round.order_by(-w / (round.demand * round.estimate))
    plain = plain_fluid(order, w, round)
    bound = fluid_bound(round, w)
    assert plain <= bound * (1 + EPS)
    best = min(float((w * (start + round.estimate)).sum()) for start in plans(round))
    assert bound <= best * (1 + EPS)


@settings(max_examples=draws(40))
@given(rounds(), st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]))
def test_no_insertion_is_below_the_bound_of_the_numerator(round, alpha):
    best = min(numerator(alpha, round, start) for start in plans(round))
    assert numerator_bound(alpha, round) <= best * (1 + EPS)


@settings(max_examples=draws(25))
@given(rounds(jobs=3, longest=5), st.sampled_from(METRICS))
def test_no_plan_at_all_is_below_the_bound(round, metric):
    """Plans with idle time as well: waiting on purpose can lower P2SF, which is a ratio."""
    bound = bound_of_metric(metric, round)
    for delays in product(range(0, 14, 2), repeat=len(round)):
        start = round.now + np.array(delays, np.int64)
        try:
            round.check(start)
        except InputError:
            continue
        assert bound <= metric_of_plan(metric, round, start) * (1 + EPS)


def poured(round, order, scale, since, alpha, ratio):
    """What the kernel says of the fluid alone."""
    never = np.full(len(round), -np.inf)
    jobs = round.demand, round.estimate, never
    return pour_or_place(order, scale, since, *jobs, round.times, round.free, alpha, ratio, 0)


@settings(max_examples=draws(60))
@given(rounds(), st.sampled_from(list(WEIGHTS)))
def test_the_naive_twin_of_weights(round, name):
    exact = weights_of(name, round)
    w = np.array([float(one) for one in exact])
    density = w / (round.demand * round.estimate)
    order = round.order_by(-density)
    beyond = poured(round, order, density, np.full(len(round), 100.0), 0.0, 0.0)
    found = beyond + float((w * (100 + round.estimate / 2)).sum())
    assert found == pytest.approx(float(naive_fluid.weighted(exact, round)), rel=EPS)
    assert found <= fluid_bound(round, w) * (1 + EPS)


@settings(max_examples=draws(60))
@given(rounds(), st.sampled_from([0, 1, 2]), st.integers(0, 150))
def test_the_naive_twin_of_ages(round, alpha, ratio):
    lowest = Fraction(ratio * alpha, alpha + 1)

    def paid(age):
        return Fraction(alpha + 1, alpha + 2) * age ** (alpha + 2) - ratio * age ** (alpha + 1)

    def never_falling(age):
        if age >= lowest:
            return paid(age)
        return paid(lowest) + (alpha + 1) * lowest**alpha * (lowest - ratio) * (age - lowest)

    naive = float(naive_fluid.aged(round, never_falling))
    order, since = round.order_by(round.submit), round.submit.astype(float)
    found = poured(round, order, np.ones(len(round)), since, float(alpha), float(ratio))
    size = float((round.demand * round.estimate).sum()) * 300.0 ** (alpha + 1)
    assert found == pytest.approx(naive, abs=1e-7 * size)
    assert found <= naive + EPS * size


def test_jobs_that_fill_the_machine_one_after_the_other():
    """Ages 10, 20 and 40 on 4 processors, which all need: the fluid is the plan, shortest first."""
    round = a_round([(10, 4, 10), (20, 4, 20), (40, 4, 30)], 4)
    # Completions 110, 130, 160; the oldest comes first in the round.
    assert fluid_bound(round, np.ones(3)) == pytest.approx(110 + 130 + 160)
    assert bound_of_metric("AF", round) == pytest.approx((20 + 50 + 100) / 3)
    # AWF does not care about their order: 40, 80 and 120 processor seconds.
    expected = (40 * 20 + 80 * 50 + 120 * 100) / 240
    assert bound_of_metric("AWF", round) == pytest.approx(expected)
    # By slowdown the shortest is first, too: 20/10, 50/20 and 100/30.
    assert bound_of_metric("BSLD", round) == pytest.approx((2 + 2.5 + 100 / 30) / 3)


def test_the_numerator_of_jobs_that_fill_the_machine():
    """First come, first served: 30 s for the oldest, then 20 s, then 10 s."""
    round = a_round([(10, 4, 10), (20, 4, 20), (40, 4, 30)], 4)
    expected = 4 * ((70**4 - 40**4) + (70**4 - 50**4) + (70**4 - 60**4))
    assert numerator_bound(2, round) == pytest.approx(expected)


def test_a_job_waits_until_as_much_as_it_needs_is_free():
    """One of 4 processors is free for 50 s: a job of 4 x 10 starts then, not before."""
    round = a_round([(0, 4, 10)], 4, running=[(3, 50)])
    assert bound_of_metric("AF", round) == 60
    assert bound_of_metric("BSLD", round) == 6
    assert numerator_bound(0, round) == pytest.approx(4 * (60**2 - 50**2))
    assert bound_of_metric("P2SF", round) <= 0.75 * (60**4 - 50**4) / (60**3 - 50**3)


def test_a_narrow_job_is_better_bounded_alone():
    """On 8 processors the fluid does 1 x 80 in 10 s; alone it takes 80 s."""
    round = a_round([(0, 1, 80), (0, 8, 10)], 8)
    # 8 x 10 first in the fluid (they are equally dense): completes at 10; the other alone at 80.
    assert fluid_bound(round, np.ones(2)) == pytest.approx(110 + 180)


def test_a_slowdown_is_1_or_more():
    round = a_round([(0, 1, 1), (0, 1, 1)], 2)
    assert bound_of_metric("BSLD", round) == 1


def test_the_plain_fluid_of_a_loop():
    """Two of 4 processors for 10 s, then all 4: 4 x 10 are done after 15 s."""
    round = a_round([(0, 4, 10)], 4, running=[(2, 10)])
    # 20 in the first 10 s (mean 105), 20 in the next 5 s (mean 112.5), and half of E.
    assert plain_fluid(np.array([0]), np.ones(1), round) == pytest.approx((105 + 112.5) / 2 + 5)


def test_large_times_and_machines_keep_their_digits():
    round = a_round([(0, 1, 1)] * 3 + [(50, 100_000, 1000)], 100_000, running=[(99_999, 10**6)])
    moved = round.part(np.arange(4))
    far = type(round)(
        10**9,
        moved.procs,
        moved.job,
        moved.submit + 10**9 - 100,
        moved.demand,
        moved.estimate,
        moved.times + 10**9 - 100,
        moved.free,
    )
    for metric in METRICS:
        assert bound_of_metric(metric, far) == pytest.approx(
            bound_of_metric(metric, round), rel=1e-7
        )


def test_nobody_and_nonsense():
    round = a_round([(0, 1, 1)], 1)
    assert bound_of_metric("AF", round.part(np.empty(0, np.int64))) == 0
    with pytest.raises(UnknownName, match="BSLD"):
        bound_of_metric("BSLT", round)
