"""What ``objective=BSLD`` learns from ended jobs, and the room that it leaves for those who come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from packwise import Exact, Requested, simulate
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.kernels.lessons import ENDED, KEPT, LESSONS, SINCE, UNTIL, learn_all
from packwise.optimise.kernels.standing import STANDING
from packwise.optimise.objectives import objective
from packwise.optimise.policy import Carried, SearchPolicy
from packwise.optimise.round import Round
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.optimise.stepping import assert_the_same_stepped
from tests.optimise.test_search_against_naive import PROCS, views
from tests.oracle.naive_lessons import Ended, NaiveLessons
from tests.oracle.naive_search import TooClose, naive_search
from tests.properties.workload_strategies import workloads

BSLD = objective("BSLD")
NONE = np.empty(0, np.int64)
DAY = 86_400

ENDINGS = st.lists(
    st.tuples(st.integers(1, PROCS), st.integers(1, 5000), st.floats(0.01, 1.0)), max_size=40
)


def lessons_of(ended: list[Ended]) -> np.ndarray:
    lessons = np.zeros(LESSONS)
    for one in ended:
        column = [np.array([value], np.int64) for value in one[:3]]
        learn_all(lessons, BSLD.learned, *column, one.at)
    return lessons


def memory_of(ended: list[Ended]) -> tuple[Carried, float]:
    """What is remembered after these have ended, and the doubt in estimates that comes of it."""
    ratios = [
        1_000_000 * max(min(one.believed, one.runtime), 1) // max(one.believed, one.runtime, 1)
        for one in ended
    ]
    experience = np.array([sum(ratios), len(ratios), 0])
    doubt = min(1.0, 2.0 * (1.0 - (sum(ratios) / 1e6 + 10) / (len(ratios) + 10)))
    standing = np.zeros(STANDING)
    return Carried(*(NONE,) * 5, experience, standing, lessons_of(ended)), doubt


@settings(max_examples=150)
@given(
    views(st.integers(2, 9), st.integers(1, PROCS), st.integers(1, 60)),
    ENDINGS,
    st.integers(0, 40),
    st.sampled_from([2, 5, 64]),
    st.integers(0, 3),
)
def test_the_plan_and_the_cost_of_the_naive_twin(view, endings, budget, window, seed):
    ended = [
        Ended(r, e, max(int(part * e), 1), 6000 + 100 * k) for k, (r, e, part) in enumerate(endings)
    ]
    memory, doubt = memory_of(ended)
    one = SearchPolicy(objective=BSLD, budget=budget, window=window, seed=seed)
    decision = one.decide(view._replace(memory=memory))
    round = Round.from_view(view)
    if not decision.notes:
        return
    known = NaiveLessons(ended, doubt)
    r, e, s = round.demand.tolist(), round.estimate.tolist(), round.submit.tolist()
    jobs = range(len(round))
    weight = [known.weight(r[j], e[j]) for j in jobs]
    span = [known.span(r[j], e[j]) for j in jobs]
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
    ended = [Ended(8, 100, 100, 90_000 + k) for k in range(20)]
    known = NaiveLessons(ended, 0.0)
    assert known.weight(8, 100) == pytest.approx(0.01)
    assert known.span(8, 100) == 100
    # 20 jobs of weight 1/100 in a day: a newcomer in an hour's wait would pay half of 3600^2 times the rate
    hour = pytest.approx(20 * 0.01 / DAY * 3600**2 / 2)
    assert known.newcomers_pay(8, [], [(0, 1, 3600)]) == hour
    assert known.newcomers_pay(8, [], [(100, 1, 3600)]) == hour
    assert known.newcomers_pay(7, [(3600, 1)], []) == hour
    assert known.newcomers_pay(8, [], []) == 0.0


@settings(max_examples=100)
@given(
    workloads(most=40),
    st.sampled_from(["BSLD", "0.7*BSLD+0.3*AWF", "BSLD+AF"]),
    st.sampled_from([Requested(), Exact(), Exact(0.5), estimate("last2")]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([1, 600]),
)
def test_compiled_and_stepped_replays_are_the_same(workload, name, believed, budget, stretch):
    one = SearchPolicy(objective=objective(name), budget=budget, window=6)
    assert_the_same_stepped(workload, one, believed, stretch)


@pytest.mark.parametrize("believed", ["requested", "last2", "exact"])
def test_a_longer_log_is_the_same_stepped(believed):
    log = generate(700, 64, seed=5, load=1.1)
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
        learn_all(
            lessons, BSLD.learned, *(np.array([value], np.int64) for value in (4, 60, 60)), at[k]
        )
    assert lessons[ENDED] == many / 2
    assert lessons[UNTIL] == at[-1]
    assert lessons[UNTIL] - lessons[SINCE] == at[-1] / 2


def test_many_running_jobs_are_put_together():
    """Newcomers pay a little more than for each step by itself: a step comes as late as the last of those
    that it is made of, and these lie within a seventh of it.
    """
    ended = [Ended(1, 100, 100, 90_000 + k) for k in range(50)]
    memory, doubt = memory_of(ended)
    running, procs = 200, 208
    ends = 1000 + 37 * np.arange(running, dtype=np.int64)
    zeros = np.zeros(running + 2, np.int64)
    view = View(
        now=0,
        procs=procs,
        free=4,
        queue=np.array([running, running + 1]),
        running=np.arange(running),
        expected_end=ends,
        submit=zeros,
        demand=np.array([1] * running + [4, 8], np.int64),
        estimate=np.array([0] * running + [500, 500], np.int64),
        limit=zeros + 500,
        user=zeros,
        group=zeros,
        app=zeros,
        queue_number=zeros,
        deadline=zeros + NO_DEADLINE,
        memory=memory,
    )
    decision = SearchPolicy(objective=BSLD).decide(view)
    known = NaiveLessons(ended, doubt)
    start = {running: 0} | decision.planned
    assert decision.start.tolist() == [running]
    jobs = [(start[job], int(view.demand[job]), 500) for job in (running, running + 1)]
    waiting = sum(known.weight(r, 500) * (at + 500) for at, r, _ in jobs)
    back = [(int(end), 1) for end in ends]
    exact = waiting + known.newcomers_pay(4, back, jobs)
    assert exact <= decision.notes["cost"] * (1 + 1e-9) <= 1.4 * exact
