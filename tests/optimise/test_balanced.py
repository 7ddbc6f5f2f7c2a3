"""The balanced policy: the same compiled and stepped, and what it promises about jobs that have waited long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from packwise import Exact, Requested, Workload, simulate
from packwise.model.errors import InputError
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.carried import Carried
from packwise.optimise.kernels.lessons import LESSONS
from packwise.optimise.kernels.standing import STANDING
from packwise.optimise.objectives import balanced
from packwise.optimise.policy import SearchPolicy
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.draws import draws
from tests.optimise.keeping_deadlines import assert_deadlines_are_kept
from tests.optimise.stepping import assert_the_same_stepped
from tests.oracle.naive_balance import Job, Taken, TooClose, earliest, naive_round
from tests.properties.workload_strategies import deadline_workloads, workloads

HOUR = 3600
PROCS = 8
NOW = 50_000


@settings(max_examples=draws(150))
@given(
    workloads(most=40),
    st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
    st.sampled_from([Requested(), Exact(), Exact(0.5), estimate("last2"), estimate("hierarchy")]),
    st.sampled_from([0, 7, 60]),
    st.sampled_from([1, 3600, 20000]),
)
def test_compiled_and_stepped_replays_are_the_same(workload, balance, believed, budget, stretch):
    """Stretched, so that jobs get overdue."""
    one = SearchPolicy(objective=balanced(balance), budget=budget, window=4)
    compiled = assert_the_same_stepped(workload, one, believed, stretch)
    assert compiled.rounds.started.sum() == len(workload)


@pytest.mark.slow
@pytest.mark.parametrize("believed", ["requested", "last2", "exact"])
def test_a_longer_log_is_the_same_stepped(believed):
    log = generate(350, 64, seed=5, load=1.2)
    compiled = simulate(log, 64, policy("packwise(budget=10)"), estimate(believed))
    stepped = simulate(log, 64, policy("packwise(budget=10)"), estimate(believed), stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)


@st.composite
def queues(draw: st.DrawFn) -> tuple[list[Job], list[Taken]]:
    """Jobs of odd lengths, so that no two orders cost the same, behind some running ones."""
    many = draw(st.integers(2, 14))
    jobs = [
        Job(
            draw(st.integers(0, NOW)) if draw(st.booleans()) else NOW,
            draw(st.integers(1, PROCS)),
            draw(st.integers(1, 200_000)),
        )
        for _ in range(many)
    ]
    running = [
        Taken(0, NOW + draw(st.integers(1, 90_000)), draw(st.integers(1, 2)))
        for _ in range(draw(st.integers(0, 4)))
    ]
    return sorted(jobs, key=lambda job: job.submit), running


def view_of(jobs: list[Job], running: list[Taken]) -> View:
    count = len(running)
    held = [(0, one.demand, one.end) for one in running]
    columns = np.array(held + [tuple(job) for job in jobs], np.int64).T
    zeros = np.zeros(columns.shape[1], np.int64)
    return View(
        now=NOW,
        procs=PROCS,
        free=PROCS - sum(one.demand for one in running),
        queue=np.arange(count, count + len(jobs)),
        running=np.arange(count),
        expected_end=np.array([one.end for one in running], np.int64),
        submit=columns[0],
        demand=columns[1],
        estimate=columns[2],
        limit=columns[2],
        user=zeros,
        group=zeros,
        app=zeros,
        queue_number=zeros,
        deadline=zeros + NO_DEADLINE,
    )


def memory_of(judged: int) -> Carried:
    """Estimates were off by half for so many jobs; nothing else is known."""
    none = np.empty(0, np.int64)
    experience = np.array([judged * 500_000, judged, 0])
    running = *(none,) * 2, none.reshape(0, 0), *(none,) * 3
    return Carried(none, *running, experience, np.zeros(STANDING), np.zeros((2, LESSONS)))


@settings(max_examples=draws(200))
@given(queues(), st.sampled_from([0, 1000]))
def test_a_round_of_the_naive_twin(found, judged):
    """Without search, after a log in which estimates were right, or off by half."""
    jobs, running = found
    view = view_of(jobs, running)._replace(memory=memory_of(judged))
    wide, free = min(job.demand for job in jobs), view.free
    if wide > free or sum(job.demand for job in jobs) <= free:
        return
    rules = {"patience": 0.5 * HOUR, "share": 0.03, "small": 10.0}
    try:
        twin = naive_round(jobs, NOW, PROCS, running, **rules, fills=judged > 0)
    except TooClose:
        reject()
    started, planned, overdue = twin
    decision = SearchPolicy(budget=0).decide(view)
    first = len(running)
    assert {int(job) - first for job in decision.start} == set(started)
    assert {job - first: start for job, start in decision.planned.items()} == planned
    if overdue is not None:
        alone = earliest(jobs[overdue], NOW, PROCS, running)
        assert decision.planned.get(overdue + first, NOW) == alone


def test_a_wide_job_does_not_starve():
    """Narrow jobs that come all the time are worth more, and yet the wide one gets its turn."""
    count = 3000
    narrow = [(40 * k, 1, 600, 600) for k in range(count)]
    log = Workload.of([(HOUR, 16, HOUR, HOUR), *narrow])
    waits = {
        name: simulate(log, 16, policy(name)).schedule.wait(log)[log.demand == 16][0]
        for name in ("packwise(budget=5)", "packwise(objective=AF,local=metric,budget=5)")
    }
    fair, unfair = waits.values()
    assert fair <= 2 * HOUR
    assert unfair > 24 * HOUR


def test_the_knob_moves_along_the_front():
    """Small jobs at one end, fairness and packing at the other."""
    from packwise import summarize

    log = generate(2000, 128, seed=3, load=0.85)
    ends = {}
    for balance in (0.0, 1.0):
        run = simulate(log, 128, SearchPolicy(objective=balanced(balance), budget=20))
        ends[balance] = summarize(run.workload, 128, run.schedule, ["BSLD", "P2SF"])
    assert ends[0.0]["BSLD"] < ends[1.0]["BSLD"]
    assert ends[1.0]["P2SF"] < ends[0.0]["P2SF"]


@settings(max_examples=draws(60))
@given(deadline_workloads(most=30), st.sampled_from([0, 60]))
def test_a_hard_deadline_that_a_plan_meets_is_kept(workload, budget):
    assert_deadlines_are_kept(SearchPolicy(budget=budget), workload, 8)


def test_with_deadlines_compiled_and_stepped_replays_are_the_same():
    """What a job gains by being small is its own in every round, whether deadlines wait or not."""
    log = generate(200, 64, seed=2, load=1.0)
    some = np.arange(len(log)) % 12 == 5
    due = np.where(some, log.submit + 2 * log.requested_time, NO_DEADLINE)
    policy = SearchPolicy(budget=20)
    runs = [
        simulate(log.replace(deadline=due), 64, policy, stepped=stepped)
        for stepped in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)


@pytest.mark.parametrize("given", ["1.5", "-0.1", "nan", "half"])
def test_a_balance_that_is_none(given):
    with pytest.raises(InputError, match="balance should be a number from 0 to 1"):
        policy(f"packwise(balance={given})")


@pytest.mark.parametrize("other", ["objective=AF", "local=metric"])
def test_balance_is_instead_of_an_objective(other):
    with pytest.raises(InputError, match="balance is instead of"):
        policy(f"packwise(balance=0.3,{other})")


def test_a_balance_out_of_range_in_python():
    with pytest.raises(InputError, match="found 2"):
        balanced(2.0)
