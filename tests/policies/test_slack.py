"""Slack-based backfilling: by hand, as conservative backfilling, against a naive twin, and what it promises."""

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
from packwise.policies.slack import SlackPolicy
from packwise.registry import policy
from tests.draws import draws
from tests.properties.workload_strategies import PROCS, workloads

FACTOR = st.sampled_from([0.5, 1.0, 3.0, 50.0])
#: Job 2 waits 10 s for job 1: from then on the mean wait is 5 s.
WAITED = [(0, 4, 10, 10), (0, 4, 10, 10)]


def starts(jobs: list[tuple[int, int, int, int]], name: str) -> list[int]:
    return simulate(Workload.of(jobs), 4, policy(name)).schedule.start.tolist()


def test_as_long_as_nobody_has_waited_nobody_has_slack():
    """Job 3 is planned for 20. Before it, job 4 would save 15 s and cost 1 s."""
    jobs = [(0, 3, 10, 10), (0, 1, 20, 20), (11, 4, 10, 10), (15, 1, 6, 6)]
    assert starts(jobs, "slack(factor=9)") == starts(jobs, "cbf") == [0, 0, 20, 30]


def test_by_hand():
    """Job 4, of 40 processor-seconds, is planned for 32, behind job 3. The mean of the four jobs so far is
    (40 + 40 + 12 + 40) / 4 = 33, so its slack is 5 / (1 + 40 / 33) = 2.26 times the factor.

    Job 5 would take from 20 to 34: that costs 2 s and saves 22 s.
    """
    jobs = [*WAITED, (11, 1, 12, 12), (12, 4, 10, 10), (20, 1, 14, 14)]
    assert starts(jobs, "cbf") == [0, 10, 20, 32, 42]
    assert starts(jobs, "slack(factor=0.5)") == [0, 10, 20, 32, 42]
    assert starts(jobs, "slack(factor=1)") == [0, 10, 20, 34, 20]


def test_delays_do_not_add_up():
    """Job 4 may start at 34 at the latest. Once job 5 has moved it to 34, job 6 cannot move it to 35."""
    jobs = [*WAITED, (11, 1, 12, 12), (12, 4, 10, 10), (20, 1, 14, 14), (21, 1, 14, 14)]
    assert starts(jobs, "slack(factor=1)") == [0, 10, 20, 34, 20, 44]


def test_whoever_saves_less_than_others_lose_goes_behind():
    """Job 6 of 10 s would save 3 s before jobs 3 to 5 of 1 s, and cost them 30 s."""
    jobs = [*WAITED, (11, 4, 1, 1), (11, 4, 1, 1), (11, 4, 1, 1), (12, 4, 10, 10)]
    assert starts(jobs, "slack(factor=1000)") == starts(jobs, "cbf") == [0, 10, 20, 21, 22, 23]


@settings(max_examples=draws(150))
@given(
    workloads(most=25),
    st.sampled_from(
        ["requested", "exact", "exact*0.5", "exact*1.5", "last2", "last2(update=submission)"]
    ),
)
def test_without_slack_it_is_conservative_backfilling(workload, estimate):
    slack, cbf = (
        simulate(workload, PROCS, policy(name), estimate) for name in ("slack(factor=0)", "cbf")
    )
    np.testing.assert_array_equal(slack.schedule.start, cbf.schedule.start)
    np.testing.assert_array_equal(slack.schedule.promised, cbf.schedule.promised)


class Naive:
    """The same rules with the processors in use counted second by second, and all options tried to the end."""

    name = "naive"
    keeps_estimates = True

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def decide(self, view):
        plan, best, slack, ends, past = view.memory or ({}, {}, {}, {}, (0, 0, 0, 0))
        waits, started, areas, came = past
        now, queue = view.now, view.queue.tolist()
        length = {job: int(view.estimate[job]) for job in queue}
        demand = view.demand.tolist()
        expected = dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
        running = [(now, end, demand[job]) for job, end in expected.items()]

        def blocks(of):
            return [(t, t + length[job], demand[job]) for job, t in of.items()]

        def first(job, taken, t):
            while any(
                sum(d for b, e, d in taken if b <= s < e) + demand[job] > view.procs
                for s in range(t, t + length[job])
            ):
                t += 1
            return t

        plan = {job: max(start, now) for job, start in plan.items()}
        for job, start in plan.items():
            others = {one: t for one, t in plan.items() if one != job}
            if any(end > now and job not in expected for job, end in ends.items()):
                plan[job] = min(start, first(job, running + blocks(others), now))
                best[job] = min(best[job], plan[job])
        for job in [job for job in queue if job not in plan]:
            came += 1
            areas += demand[job] * length[job]
            weight = 1 + demand[job] * length[job] / (areas / came)
            slack[job] = math.floor(self.factor * (waits / started / weight if started else 0))
            around = first(job, running + blocks(plan), now)
            chosen, least = {**plan, job: around}, sum(plan.values()) + around
            order = sorted(plan, key=lambda one: plan[one])
            for k in range(len(order)):
                tried = {one: plan[one] for one in order[:k]}
                tried[job] = first(job, running + blocks(tried), now)
                for one in order[k:]:
                    tried[one] = first(one, running + blocks(tried), plan[one])
                late = any(tried[one] > max(best[one] + slack[one], plan[one]) for one in plan)
                if not late and sum(tried.values()) < least:
                    chosen, least = tried, sum(tried.values())
            plan = {one: chosen[one] for one in (*plan, job)}
            best[job] = plan[job]
        begun = [job for job, start in plan.items() if start <= now]
        waits += sum(now - int(view.submit[job]) for job in begun)
        plan = {job: start for job, start in plan.items() if start > now}
        ends = expected | {job: now + length[job] for job in begun}
        past = (waits, started + len(begun), areas, came)
        return Decision(
            start=begun,
            wake_at=min(plan.values(), default=None),
            memory=(plan, dict(best), dict(slack), ends, past),
        )


@settings(max_examples=draws(100))
@given(workloads(most=14), FACTOR, st.sampled_from(["requested", "exact"]))
def test_same_as_naive(workload, factor, estimate):
    fast = simulate(workload, PROCS, SlackPolicy(factor=factor), estimate)
    naive = simulate(workload, PROCS, Naive(factor), estimate)
    np.testing.assert_array_equal(fast.schedule.start, naive.schedule.start)
    assert check_schedule(workload, Cluster.pool(PROCS), fast.schedule).ok


@settings(max_examples=draws(150))
@given(workloads(most=30), FACTOR, st.sampled_from(["requested", "exact"]))
def test_everybody_starts_by_the_promised_latest_start(workload, factor, estimate):
    """Limits are never outlived."""
    run = simulate(workload, PROCS, SlackPolicy(factor=factor), estimate)
    assert (run.schedule.promised >= 0).all()
    assert (run.schedule.start <= run.schedule.promised).all()


def test_slack_is_used():
    """Not all random plans are those of conservative backfilling."""
    rng = np.random.default_rng(3)
    runtime = rng.integers(1, 60, 120)
    columns = (rng.integers(0, 900, 120), rng.integers(1, PROCS + 1, 120), runtime, runtime)
    jobs = Workload.of(list(zip(*(column.tolist() for column in columns), strict=True)))
    plans = [simulate(jobs, PROCS, policy(name)).schedule for name in ("cbf", "slack(factor=3)")]
    waits = [plan.wait(jobs).mean() for plan in plans]
    assert waits[1] < waits[0]


def test_it_keeps_its_contract():
    assert check_policy(SlackPolicy()).ok


@pytest.mark.parametrize("value", ["-1", "nan", "much", "inf"])
def test_what_is_no_factor(value):
    with pytest.raises(InputError, match=r"factor should be a number of 0 or more, found"):
        policy(f"slack(factor={value})")


def test_names():
    assert policy("slack").name == "slack"
    assert policy("Slack( factor = 2 )").name == "slack(factor=2)"
    with pytest.raises(InputError, match="factor"):
        policy("slack(depth=2)")
