"""Relaxed backfilling: by hand, against a naive twin, as EASY, and the latest start that it promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, Decision, Workload, simulate
from packwise.contract import check_policy
from packwise.feasibility import check_schedule
from packwise.model.errors import InputError
from packwise.policies.relaxed import RelaxedPolicy
from packwise.registry import policy
from tests.draws import draws
from tests.properties.workload_strategies import PROCS, workloads

ESTIMATE = st.sampled_from(["requested", "exact", "exact*0.5", "last2"])
RELAXATION = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0])


def starts(jobs: list[tuple[int, int, int, int]], name: str, procs: int = 4) -> list[int]:
    return simulate(Workload.of(jobs), procs, policy(name)).schedule.start.tolist()


def test_by_hand():
    """Job 2 came at 0 and may expect to start at 10. With half of that wait it may start at 15 at the latest.

    3   . . . . . . . . . . . . . 2 2
    2   . 4 4 4 4 4 4 4 4 4 4 4 4 2 2     job 3, of 15 s, would end at 16: that is too late for job 2
    1   1 1 1 1 1 1 1 1 1 1 . . . 2 2     job 4, of 12 s, ends at 13
    0   1 1 1 1 1 1 1 1 1 1 . . . 2 2
    """
    jobs = [(0, 2, 10, 10), (0, 4, 2, 2), (1, 1, 15, 15), (1, 1, 12, 12)]
    assert starts(jobs, "easy") == [0, 10, 12, 12]
    assert starts(jobs, "relaxed(relaxation=0)") == [0, 10, 12, 12]
    assert starts(jobs, "relaxed(relaxation=0.5)") == [0, 13, 15, 1]
    assert starts(jobs, "relaxed(relaxation=0.6)") == [0, 16, 1, 1]


def test_delays_do_not_add_up():
    """Job 2 may start at 15 at the latest. That it had to wait until 14 does not give it until 21.

    Jobs 3 and 4 of 5 s start at 9 and 10; job 5 would end at 16.
    """
    jobs = [(0, 3, 10, 10), (0, 4, 2, 2), (9, 1, 5, 5), (10, 1, 5, 5), (11, 1, 5, 5)]
    assert starts(jobs, "relaxed(relaxation=0.5)") == [0, 15, 9, 10, 17]


def test_an_early_end_brings_the_latest_start_forward():
    """Job 1 ends at 4 instead of 10. Then job 2 starts, or as soon as job 3 is gone: at 5, and by 7 instead of
    15. Job 4 may take until 7.
    """
    jobs = [(0, 3, 4, 10), (0, 4, 2, 2), (0, 1, 4, 4), (4, 1, 3, 3)]
    assert starts(jobs, "relaxed(relaxation=0.5)") == [0, 4, 0, 6]
    jobs = [(0, 3, 4, 10), (0, 4, 2, 2), (0, 1, 5, 5), (4, 1, 3, 3), (4, 1, 4, 4)]
    assert starts(jobs, "relaxed(relaxation=0.5)") == [0, 7, 0, 4, 9]


@settings(max_examples=draws(200))
@given(workloads(most=25), ESTIMATE)
def test_without_relaxation_it_is_easy(workload, estimate):
    relaxed, easy = (
        simulate(workload, PROCS, policy(name), estimate)
        for name in ("relaxed(relaxation=0)", "easy")
    )
    np.testing.assert_array_equal(relaxed.schedule.start, easy.schedule.start)


class Naive:
    """Whoever fits starts, in order of submission, unless the first job would then start after its latest.

    When that would be is found out by trying every moment.
    """

    name = "naive"

    def __init__(self, relaxation: float) -> None:
        self.relaxation = relaxation

    def decide(self, view):
        best = dict(view.memory or {})
        held = list(
            zip(view.expected_end.tolist(), view.demand[view.running].tolist(), strict=True)
        )
        begun: list[int] = []
        head: int | None = None
        latest = 0
        arrivals_only = view.memory is not None and not view.memory[-1] - set(view.running.tolist())
        new = [j for j in view.queue.tolist() if view.submit[j] == view.now]
        useless = arrivals_only and new and all(view.demand[j] > view.free for j in new)
        for job in view.queue.tolist():
            demand, end = int(view.demand[job]), view.now + int(view.estimate[job])
            fits = sum(d for _, d in held) + demand <= view.procs
            if head is None and fits:
                begun.append(job)
                held.append((end, demand))
            elif head is None:
                head = job
                reserved = self.moment(view, held, job)
                best[job] = min(best.get(job, reserved), reserved)
                wait = best[job] - int(view.submit[job])
                latest = max(best[job] + math.floor(self.relaxation * wait), reserved)
            elif fits and not useless and self.moment(view, [*held, (end, demand)], head) <= latest:
                begun.append(job)
                held.append((end, demand))
        ran = {*view.running.tolist(), *begun}
        return Decision(start=begun, memory={**best, -1: ran})

    @staticmethod
    def moment(view, held, job):
        t = view.now
        while sum(d for end, d in held if end > t) + int(view.demand[job]) > view.procs:
            t += 1
        return t


@settings(max_examples=draws(150))
@given(workloads(most=20), RELAXATION, st.sampled_from(["requested", "exact"]))
def test_same_as_naive(workload, relaxation, estimate):
    fast = simulate(workload, PROCS, RelaxedPolicy(relaxation=relaxation), estimate)
    naive = simulate(workload, PROCS, Naive(relaxation), estimate)
    np.testing.assert_array_equal(fast.schedule.start, naive.schedule.start)
    assert check_schedule(workload, Cluster.pool(PROCS), fast.schedule).ok


@settings(max_examples=draws(150))
@given(workloads(most=25), RELAXATION)
def test_who_was_promised_a_latest_start_has_started_by_then(workload, relaxation):
    """Limits are never outlived."""
    run = simulate(workload, PROCS, RelaxedPolicy(relaxation=relaxation))
    promised = run.schedule.promised
    if promised is not None:
        told = promised >= 0
        assert (run.schedule.start[told] <= promised[told]).all()


def test_it_keeps_its_contract():
    assert check_policy(RelaxedPolicy()).ok


@pytest.mark.parametrize("value", ["-1", "nan", "much", "inf"])
def test_what_is_no_relaxation(value):
    with pytest.raises(InputError, match=r"relaxation should be a number of 0 or more, found"):
        policy(f"relaxed(relaxation={value})")


def test_names():
    assert policy("relaxed").name == "relaxed"
    assert policy("Relaxed( relaxation = 0.5 )").name == "relaxed(relaxation=0.5)"
    with pytest.raises(InputError, match="relaxation"):
        policy("relaxed(depth=2)")
