"""Bad policies end in a named error that says what they did; never a hang, never a wrong schedule."""

from __future__ import annotations

import math

import pytest

from packwise import Cluster, Decision, Workload, check_policy, order_key, simulate
from packwise.engine import stepping
from packwise.model.errors import (
    BadDecision,
    InputError,
    JobTooLarge,
    OverAllocation,
    PolicyFailed,
    Stalled,
)
from packwise.policies import ListPolicy

#      |1111      |   job 1: 4 processors, 0 to 10
#      |    2222  |   job 2: 3 processors, from 10
#      |    333333|   job 3: 1 processor
JOBS = Workload.of([(0, 4, 10, 10), (1, 3, 5, 8), (2, 1, 7, 7)])
FOUR = Cluster.pool(4)


def policy(decide):
    class Bad:
        name = "bad"

        def decide(self, view):
            return decide(view)

    return Bad()


def test_starts_a_job_twice():
    with pytest.raises(BadDecision, match=r"job 1 \(number 0\) at time 0, but it is not waiting"):
        simulate(JOBS, FOUR, policy(lambda view: Decision(start=[0, 0])))


def test_starts_a_job_again_later():
    with pytest.raises(BadDecision, match="at time 1, but it is not waiting"):
        simulate(JOBS, FOUR, policy(lambda view: Decision(start=[0])))


def test_starts_a_job_of_the_future():
    with pytest.raises(BadDecision, match="not waiting"):
        simulate(JOBS, FOUR, policy(lambda view: Decision(start=[2])))


def test_starts_a_job_that_does_not_exist():
    for number in (-1, 99, 2**40):
        with pytest.raises(BadDecision, match=f"job number {number}"):
            simulate(JOBS, FOUR, policy(lambda view, n=number: Decision(start=[n])))


def test_over_allocates():
    with pytest.raises(
        OverAllocation, match=r"job 2 .* at time 1, which needs 3 processors; 0 are"
    ):
        simulate(JOBS, FOUR, policy(lambda view: Decision(start=view.queue)))


def test_never_decides():
    with pytest.raises(Stalled, match=r"3 job\(s\) waiting for ever, the first being job 1"):
        simulate(JOBS, FOUR, policy(lambda view: Decision()))


@pytest.fixture
def impatient(monkeypatch):
    """It takes seconds until the patience of the host is at its end."""
    monkeypatch.setattr(stepping, "PATIENCE", 500)


def test_sleeps_for_ever(impatient):
    with pytest.raises(Stalled, match="waiting for ever"):
        simulate(JOBS, FOUR, policy(lambda view: Decision(wake_at=view.now + 1)))


def test_sleeps_while_others_are_still_to_come(impatient):
    late = Workload.of([(0, 1, 1, 1), (2**40, 1, 1, 1)])
    with pytest.raises(Stalled, match="waiting for ever"):
        simulate(late, FOUR, policy(lambda view: Decision(wake_at=view.now + 1)))


def test_asking_to_be_woken_for_ever_does_not_keep_the_run_alive():
    def restless(view):
        fit = [j for j in view.queue if view.demand[j] <= view.free][:1]
        return Decision(start=fit, wake_at=view.now + 60)

    assert simulate(JOBS, FOUR, policy(restless)).schedule.ran.all()


def test_wakes_in_the_past():
    for at in (0, -5, "soon", 1.5):
        with pytest.raises(BadDecision, match="wake_at should be a whole number"):
            simulate(JOBS, FOUR, policy(lambda view, at=at: Decision(wake_at=at)))


def test_raises():
    def boom(view):
        raise ZeroDivisionError("oh dear")

    with pytest.raises(PolicyFailed, match="raised ZeroDivisionError at time 0: oh dear"):
        simulate(JOBS, FOUR, policy(boom))


def test_leaves_the_process():
    def quit_now(view):
        raise SystemExit(0)

    with pytest.raises(PolicyFailed, match=r"raised SystemExit at time 0: 0 \(.*, line \d+\)"):
        simulate(JOBS, FOUR, policy(quit_now))


def test_answers_something_else():
    for answer in (None, [0], "start"):
        with pytest.raises(BadDecision, match="should return a Decision"):
            simulate(JOBS, FOUR, policy(lambda view, a=answer: a))


def test_starts_things_that_are_no_jobs():
    for start in ([1.5], ["a"], [[0]], None, 3, True, (j for j in [0])):
        with pytest.raises(BadDecision, match="should be a list of job numbers"):
            simulate(JOBS, FOUR, policy(lambda view, s=start: Decision(start=s)))


def test_writes_into_the_view():
    for field in ("queue", "demand", "estimate", "submit"):

        def scribble(view, field=field):
            getattr(view, field)[0] = 7
            return Decision(start=view.queue)

        with pytest.raises(PolicyFailed, match="read-only"):
            simulate(JOBS, FOUR, policy(scribble))


def test_sees_nothing_of_the_future():
    def peek(view):
        assert len(view.submit) == len(view.demand) == len(view.estimate)
        assert (view.submit <= view.now).all()
        free, start = view.free, []
        for job in view.queue:
            if view.demand[job] <= free:
                start.append(job)
                free -= view.demand[job]
        return Decision(start=start)

    run = simulate(JOBS, FOUR, policy(peek))
    assert run.schedule.start.tolist() == [0, 10, 10]


def test_rejecting_is_allowed_and_counted():
    def choosy(view):
        start = [j for j in view.queue if view.demand[j] <= view.free][:1]
        return Decision(start=start, reject=[j for j in view.queue if view.demand[j] == 3])

    run = simulate(JOBS, FOUR, policy(choosy))
    assert run.rejected.tolist() == [2]
    assert run.schedule.start.tolist() == [0, -1, 10]


def test_memory_comes_back():
    seen = []

    def remember(view):
        seen.append(view.memory)
        start = (
            [view.queue[0]] if len(view.queue) and view.demand[view.queue[0]] <= view.free else []
        )
        return Decision(start=start, memory=len(seen))

    simulate(JOBS, FOUR, policy(remember))
    assert seen == [None, *range(1, len(seen))]


def test_a_wake_up_call_comes():
    """Job 1 could start at 0 but is held until 5."""
    run = simulate(
        Workload.of([(0, 1, 3, 3)]),
        FOUR,
        policy(lambda v: Decision(wake_at=5) if v.now < 5 else Decision(start=v.queue)),
    )
    assert run.schedule.start.tolist() == [5]


def test_not_a_policy():
    with pytest.raises(BadDecision, match="should have a name and a decide"):
        simulate(JOBS, FOUR, object())


def test_a_job_that_can_never_fit():
    with pytest.raises(JobTooLarge, match="job 1 needs 4 processors and can never run on 3"):
        simulate(JOBS, Cluster.pool(3), ListPolicy())
    run = simulate(JOBS, Cluster.pool(3), ListPolicy(), reject_too_large=True)
    assert run.rejected.tolist() == [1]
    assert run.workload.id.tolist() == [2, 3]


def not_a_number(estimate):
    return float("nan") if estimate > 7 else 1.0


def minus_infinity(estimate):
    return -math.inf


def divides_by_zero(demand):
    return 1 / (demand - 3)


def raises(estimate):
    if estimate > 5:
        raise ValueError("no")
    return 1.0


@pytest.mark.parametrize("key", [not_a_number, minus_infinity, divides_by_zero, raises])
@pytest.mark.parametrize("stepped", [False, True])
def test_a_key_that_is_not_a_finite_number(key, stepped):
    queue = ListPolicy(name="q", order=order_key(key))
    with pytest.raises(PolicyFailed, match="key function did not give a finite number"):
        simulate(JOBS, FOUR, queue, stepped=stepped)
    # One processor stays free beside job 1, so the backfill order of the two behind job 2 is asked for.
    jobs = Workload.of([(0, 3, 10, 10), (1, 4, 5, 8), (2, 1, 9, 9), (2, 1, 8, 8)])
    if key is not divides_by_zero:
        for depth in (1, 2):
            backfill = ListPolicy(name="b", depth=depth, backfill_order=order_key(key))
            with pytest.raises(PolicyFailed, match="key function did not give a finite number"):
                simulate(jobs, FOUR, backfill, stepped=stepped)


def nothing(estimate):
    return None


def text(estimate):
    return "long"


@pytest.mark.parametrize("key", [nothing, text])
@pytest.mark.parametrize("stepped", [False, True])
def test_a_key_that_cannot_be_compiled(key, stepped):
    with pytest.raises(InputError, match="should return one number"):
        simulate(JOBS, FOUR, ListPolicy(name="b", order=order_key(key)), stepped=stepped)


def test_a_key_may_be_a_condition():
    @order_key
    def long_ones_last(estimate):
        return estimate > 7

    assert simulate(JOBS, FOUR, ListPolicy(name="c", order=long_ones_last)).schedule.ran.all()


def test_a_key_with_unknown_arguments():
    with pytest.raises(InputError, match="should take arguments out of now, submit"):

        @order_key
        def wrong(runtime):
            return runtime


def test_rejecting_everything_keeps_the_contract():
    assert check_policy(policy(lambda view: Decision(reject=view.queue)), jobs=20).ok


def test_the_contract_checker_finds_them():
    report = check_policy(policy(lambda view: Decision(start=view.queue)), jobs=20)
    assert not report.ok
    assert any("OverAllocation" in problem for problem in report.problems)

    calls = []

    def moody(view):
        calls.append(1)
        if len(view.queue) and (len(calls) % 3 or not len(view.running)):
            fit = [j for j in view.queue if view.demand[j] <= view.free]
            return Decision(start=fit[:1], wake_at=view.now + 600)
        return Decision(wake_at=view.now + 600) if len(view.queue) else Decision()

    assert any(
        "two different schedules" in p for p in check_policy(policy(moody), jobs=20).problems
    )


@pytest.mark.parametrize("notes", [{"a": "x"}, {"a": None}, [1], None])
def test_notes_that_are_no_numbers(notes):
    with pytest.raises(BadDecision, match=r"Decision\.notes should be numbers by name"):
        simulate(JOBS, FOUR, policy(lambda view: Decision(start=view.queue[:1], notes=notes)))
