"""What ``objective=BSLD`` and ``objective=AF`` learn from ended jobs, and the room they leave for newcomers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from packwise import Exact, Requested, simulate
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.carried import Carried
from packwise.optimise.kernels.lessons import (
    ENDED,
    KEPT,
    LESSONS,
    SINCE,
    UNTIL,
    USERS,
)
from packwise.optimise.kernels.sorts import learn_all
from packwise.optimise.kernels.standing import STANDING
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.draws import draws
from tests.lanes import broad
from tests.optimise.stepping import assert_the_same_stepped
from tests.optimise.test_search_against_naive import PROCS, views
from tests.oracle.naive_lessons import Ended, NaiveLessons
from tests.oracle.naive_search import TooClose, naive_search
from tests.properties.view_strategies import a_view
from tests.properties.workload_strategies import workloads

TERM = objective("BSLD").table()[0]
NONE = np.empty(0, np.int64)
NO_NEEDS = np.empty((0, 0), np.int64)
DAY = 86_400

#: Nobody, and somebody whose place nobody would have.
WHO = st.sampled_from([-1, 0, 1, USERS - 1])
ENDINGS = st.lists(
    st.tuples(st.integers(1, PROCS), st.integers(1, 5000), st.floats(0.01, 1.0), WHO), max_size=40
)


def teach(lessons: np.ndarray, term: np.ndarray, one: Ended) -> None:
    """A job on a pool has ended."""
    demand, *others = (np.array([value], np.int64) for value in one[:4])
    learn_all(lessons, term, demand, NO_NEEDS, NONE, float(PROCS), *others, one.at)


def lessons_of(ended: list[Ended], metric: str = "BSLD") -> np.ndarray:
    lessons = np.zeros((1, LESSONS))
    for one in ended:
        teach(lessons[0], objective(metric).table()[0], one)
    return lessons


def memory_of(ended: list[Ended], metric: str) -> tuple[Carried, float]:
    """What is remembered after these have ended, and the doubt in estimates that comes of it."""
    ratios = [
        1_000_000 * max(min(one.believed, one.runtime), 1) // max(one.believed, one.runtime, 1)
        for one in ended
    ]
    experience = np.array([sum(ratios), len(ratios), 0])
    doubt = min(1.0, 2.0 * (1.0 - (sum(ratios) / 1e6 + 10) / (len(ratios) + 10)))
    standing = np.zeros(STANDING)
    known = experience, standing, lessons_of(ended, metric)
    return Carried(*(NONE,) * 3, NO_NEEDS, *(NONE,) * 3, *known), doubt


#: Jobs of which many weigh the same, and plans that cost the same but for the order of additions.
ALIKE = views(st.integers(2, 6), st.sampled_from([1, 3, 5]), st.sampled_from([1, 2, 3]))
#: Two orders of one plan: 0.1 * (11 + 14 + 13) is a bit less than 0.1 * (13 + 11 + 14). The first is kept.
TWO_ORDERS = a_view(
    now=10,
    procs=PROCS,
    free=7,
    expected_end=np.array([11]),
    submit=np.zeros(4, np.int64),
    demand=np.array([1, 3, 1, 5]),
    estimate=np.array([1, 3, 3, 1]),
    limit=np.array([1, 3, 3, 1]),
    user=np.full(4, -1),
    group=np.full(4, -1),
    app=np.full(4, -1),
    queue_number=np.full(4, -1),
    deadline=np.full(4, NO_DEADLINE),
)


@settings(max_examples=draws(200))
@example(TWO_ORDERS, [], 0, 2, 0, "BSLD", [-1] * (PROCS + 9))
@given(
    st.one_of(views(st.integers(2, 9), st.integers(1, PROCS), st.integers(1, 60)), ALIKE),
    st.one_of(ENDINGS, st.just([])),
    st.integers(0, 40),
    st.sampled_from([2, 5, 64]),
    st.integers(0, 3),
    st.sampled_from(["BSLD", "AF"]),
    st.lists(WHO, min_size=PROCS + 9, max_size=PROCS + 9),
)
def test_the_plan_and_the_cost_of_the_naive_twin(
    view, endings, budget, window, seed, metric, users
):
    ended = [
        Ended(r, e, max(int(part * e), 1), user, 6000 + 100 * k)
        for k, (r, e, part, user) in enumerate(endings)
    ]
    memory, doubt = memory_of(ended, metric)
    one = SearchPolicy(objective=objective(metric), budget=budget, window=window, seed=seed)
    view = view._replace(user=np.array(users[: len(view.user)], np.int64))
    decision = one.decide(view._replace(memory=memory))
    round = Round.from_view(view)
    if not decision.notes:
        return
    known = NaiveLessons(ended, doubt, metric)
    r, e, s = round.demand.tolist(), round.estimate.tolist(), round.submit.tolist()
    jobs = range(len(round))
    weight = known.weights(list(zip(r, e, view.user[round.job].tolist(), strict=True)), view.procs)
    span = [known.span(e[j]) for j in jobs]
    moments = np.arange(view.now + int(round.estimate.sum()) + 100)
    free = round.free[np.searchsorted(round.times, moments, side="right") - 1].tolist()
    back = [
        (int(after), int(many))
        for after, many in zip(round.times[1:] - view.now, np.diff(round.free), strict=True)
    ]

    def beside(starts):
        plan = sorted((starts[j] - view.now, j) for j in starts)[:window]
        return known.newcomers_pay(view.free, back, [(at, r[j], span[j]) for at, j in plan])

    def cost(j, start):
        return weight[j] * (start - s[j] + e[j])

    try:
        order, starts = naive_search(
            view.now,
            s,
            r,
            e,
            [True] * len(round),
            free.__getitem__,
            cost,
            lambda j: weight[j],
            budget=budget,
            window=window,
            temperature=0.05,
            seed=seed,
            latest={},
            beside=beside,
        )
    except TooClose:
        reject()
    assert decision.start.tolist() == [round.job[j] for j in order if starts[j] == view.now]
    assert decision.planned == {int(round.job[j]): starts[j] for j in order if starts[j] > view.now}
    total = sum(cost(j, starts[j]) for j in jobs) + beside(starts)
    assert decision.notes["cost"] == pytest.approx(total, rel=1e-9)
    assert decision.notes["bound"] <= decision.notes["cost"] * (1 + 1e-9)


def test_the_naive_twin_by_hand():
    """Those who come are as wide as the machine: they wait for whoever runs, now or later."""
    ended = [Ended(8, 100, 100, 0, 90_000 + k) for k in range(20)]
    known = NaiveLessons(ended, 0.0)
    assert known.weight(100, 0) == pytest.approx(0.01)
    assert known.span(100) == 100
    # 20 jobs of weight 1/100 in a day: a newcomer in an hour's wait would pay half of 3600^2 times the rate
    hour = pytest.approx(20 * 0.01 / DAY * 3600**2 / 2)
    assert known.newcomers_pay(8, [], [(0, 1, 3600)]) == hour
    assert known.newcomers_pay(8, [], [(100, 1, 3600)]) == hour
    assert known.newcomers_pay(7, [(3600, 1)], []) == hour
    assert known.newcomers_pay(8, [], []) == 0.0


@settings(max_examples=draws(100))
@given(
    workloads(most=40),
    st.sampled_from(["BSLD", "AF", "0.7*BSLD+0.3*AWF", "BSLD+AF"]),
    st.sampled_from([Requested(), Exact(), Exact(0.5), estimate("last2")]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([1, 600]),
)
def test_compiled_and_stepped_replays_are_the_same(workload, name, believed, budget, stretch):
    one = SearchPolicy(objective=objective(name), budget=budget, window=6)
    assert_the_same_stepped(workload, one, believed, stretch)


@pytest.mark.parametrize("believed", broad(["requested", "last2", "exact"]))
def test_a_longer_log_is_the_same_stepped(believed):
    log = generate(350, 64, seed=5, load=1.2)
    one = policy("packwise(objective=BSLD,budget=10)")
    compiled = simulate(log, 64, one, estimate(believed))
    stepped = simulate(log, 64, one, estimate(believed), stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)


def test_lessons_fade():
    """After many jobs the sums are halved, and so is the time that they stand for: rates stay what they are."""
    lessons = np.zeros(LESSONS)
    many = KEPT + 1
    at = np.arange(many, dtype=np.int64) * 60 + 60
    for k in range(many):
        teach(lessons, TERM, Ended(4, 60, 60, 0, at[k]))
    assert lessons[ENDED] == many / 2
    assert lessons[UNTIL] == at[-1]
    assert lessons[UNTIL] - lessons[SINCE] == at[-1] / 2


def test_whose_last_jobs_were_short_is_expected_to_have_more_of_these():
    """By hand: nine jobs of an hour's limit that took it, and one user's that ended at once."""
    hour = [Ended(1, 3600, 3600, user, 90_000 + user) for user in range(9)]
    known = NaiveLessons([*hour, Ended(1, 3600, 10, 9, 90_100)], 1.0)
    mean = (9 / 3600 + 0.1) / 10
    rating = (0.1 + 4 * mean) / (1 / 3600 + 4 * mean)
    assert known.weight(3600, 7) == pytest.approx(mean)  # a job as expected leaves it as it was
    assert known.weight(3600, 9) == pytest.approx(mean * rating)
    assert known.weight(3600, -1) == pytest.approx(mean)
    assert NaiveLessons([*hour, Ended(1, 3600, 10, 9, 90_100)], 0.0).weight(3600, 9) < 2 * mean


def test_users_with_high_numbers_have_a_place():
    one = lessons_of([Ended(1, 60, 60, 7, 100), Ended(1, 60, 30, 7, 200)])
    other = lessons_of([Ended(1, 60, 60, 7 + 5 * USERS, 100), Ended(1, 60, 30, 7, 200)])
    np.testing.assert_array_equal(one, other)


def test_without_users_all_jobs_are_of_strangers():
    """Who has no past is expected to do as all do; and a past makes a difference."""
    log = generate(300, 64, seed=5, load=1.1)
    one = policy("packwise(objective=BSLD,budget=10)")
    unknown, strangers, same = (
        simulate(replace(log, user=user), 64, one).schedule.start
        for user in (np.full(300, -1), np.arange(300), np.zeros(300, np.int64))
    )
    np.testing.assert_array_equal(unknown, strangers)
    assert (unknown != same).any()


@pytest.mark.parametrize("metric", ["AF", "BSLD"])
@pytest.mark.parametrize("busy", [20_000, 600_000])
def test_no_newcomer_is_worth_a_hard_deadline(metric, busy):
    """Half of the machine is busy. Job 1 would start now and keep its deadline; started later, it would leave
    the free half to the many that are expected.
    """
    ended = [Ended(4, 60, 60, 0, 60 * k) for k in range(1, 5001)]
    now = ended[-1].at + 1
    memory, _ = memory_of(ended, metric)
    estimate = np.array([busy, busy + 20, 10])
    view = a_view(
        now=now,
        procs=8,
        free=4,
        expected_end=np.array([now + busy]),
        submit=np.full(3, now),
        demand=np.array([4, 4, 8]),
        estimate=estimate,
        limit=estimate,
        deadline=np.array([NO_DEADLINE, now + 2 * busy + 19, NO_DEADLINE]),
        memory=memory._replace(order=np.array([1, 2])),
    )
    hard = SearchPolicy(objective=objective(metric)).decide(view)
    assert hard.start.tolist() == [1]
    ignored = SearchPolicy(objective=objective(metric), deadlines="ignore").decide(view)
    assert ignored.start.tolist() == []  # so it is the deadline that does it
