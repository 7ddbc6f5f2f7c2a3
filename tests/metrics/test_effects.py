"""Who is better and who is worse off: by hand, against a naive twin, and where nothing can be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, Schedule, Workload, simulate, summarize
from packwise.metrics.effects import FEWEST_JOBS, effects
from packwise.model.errors import InputError
from packwise.registry import policy
from packwise.workloads.lublin import generate
from tests.draws import draws
from tests.metrics.random_schedules import Case, cases

AGAINST_EASY = ["users_worse", "users_better", "worst_size"]


def test_by_hand():
    """Three users, one job each but for the last: +50 %, -50 %, and +5 %, which nobody notices."""
    jobs = Workload.of([(0, 1, 10, 10), (0, 1, 10, 10), (0, 3, 100, 100), (0, 3, 100, 100)])
    jobs = jobs.replace(user=np.array([7, 8, 9, 9]))
    before = Schedule([10, 10, 100, 0], [20, 20, 200, 100])
    after = Schedule([20, 0, 115, 0], [30, 10, 215, 100])
    found = effects(jobs, after, before)
    assert [(one.who, one.jobs, one.change) for one in found.users] == [
        ("user 7", 1, pytest.approx(50.0)),
        ("user 8", 1, pytest.approx(-50.0)),
        ("user 9", 2, pytest.approx(5.0)),
    ]
    assert [one.who for one in found.users_worse] == ["user 7"]
    assert [one.who for one in found.users_better] == ["user 8"]
    assert [(one.who, one.change) for one in found.sizes] == [
        ("1", pytest.approx(0.0)),
        ("2-4", pytest.approx(5.0)),
    ]
    assert found.words("mine", "yours") == (
        "mine against yours: the mean response time is more than 10 % shorter for 1 of 3 users, and more than "
        "10 % longer for 1 (most of all user 7 with 1 job: +50 %). By size of job, worse off in 1 of 2 "
        "classes: 2-4 processors +5.0 %."
    )


def test_users_with_few_jobs_are_left_out_where_enough_others_remain():
    many = [user for user in range(6) for _ in range(FEWEST_JOBS)]
    jobs = Workload.of([(k, 1, 5, 5) for k in range(len(many) + 1)])
    jobs = jobs.replace(user=np.array([*many, 99]))
    plan = Schedule(jobs.submit, jobs.submit + 5)
    assert [one.who for one in effects(jobs, plan, plan).users] == [f"user {k}" for k in range(6)]


def test_a_log_without_users():
    jobs = Workload.of([(0, 1, 5, 5), (1, 1, 5, 5)])
    plan = Schedule([0, 5], [5, 10])
    assert "does not say whose jobs" in effects(jobs, plan, plan).words("a", "b")
    values = summarize(jobs, 1, plan, AGAINST_EASY)
    assert math.isnan(values["users_worse"])
    assert math.isnan(values["users_better"])
    assert values["worst_size"] == 0.0


def test_schedules_without_a_job_in_common():
    jobs = Workload.of([(0, 1, 5, 5), (1, 1, 5, 5)])
    with pytest.raises(InputError, match="no job that ran in both"):
        effects(jobs, Schedule([0, -1], [5, -1]), Schedule([-1, 1], [-1, 6]))


def test_a_job_that_does_not_fit():
    jobs = Workload.of([(0, 4, 5, 5)])
    with pytest.raises(InputError, match="needs every job to fit"):
        summarize(jobs, 2, Schedule([0], [5]), ["users_worse"])


@settings(max_examples=draws(100))
@given(cases(rejections=True), st.data())
def test_against_easy_as_the_naive_twin_has_it(case: Case, data):
    users = data.draw(
        st.lists(st.integers(0, 2), min_size=len(case.workload), max_size=len(case.workload))
    )
    workload = case.workload.replace(user=np.array(users))
    ran = case.schedule.ran
    easy = simulate(workload.select(ran), case.cluster, policy("easy")).schedule
    pairs: dict[int, list[tuple[int, int]]] = {}
    for k, job in enumerate(np.flatnonzero(ran)):
        submit = int(workload.submit[job])
        flows = int(case.schedule.end[job]) - submit, int(easy.end[k]) - submit
        pairs.setdefault(users[job], []).append(flows)
    changes = [sum(a for a, _ in some) / sum(b for _, b in some) - 1 for some in pairs.values()]
    found = summarize(workload, case.cluster, case.schedule, AGAINST_EASY)
    worse = sum(change > 0.1 for change in changes if abs(abs(change) - 0.1) > 1e-12)
    unsure = sum(abs(abs(change) - 0.1) <= 1e-12 for change in changes)
    assert worse <= found["users_worse"] * len(changes) / 100 + 1e-9 <= worse + unsure + 2e-9


def test_easy_against_itself():
    log = generate(400, 32, seed=1, load=1.0)
    run = simulate(log, 32, policy("easy"))
    assert summarize(log, 32, run.schedule, AGAINST_EASY) == dict.fromkeys(AGAINST_EASY, 0.0)
    strict = simulate(log, 32, policy("fcfs"))
    assert summarize(log, Cluster.pool(32), strict.schedule, ["users_worse"])["users_worse"] > 50
