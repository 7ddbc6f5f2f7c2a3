"""Deadlines in the model of constraint programming, against all plans of small rounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import registry
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.cp.solve import solve_round
from packwise.optimise.metrics_of_plan import metric_of_plan
from packwise.optimise.round import Round
from tests.draws import draws
from tests.optimise.keeping_deadlines import assert_deadlines_are_kept
from tests.properties.workload_strategies import PROCS, deadline_workloads

NOW = 10


@st.composite
def rounds(draw: st.DrawFn, soft: bool = False) -> Round:
    n = draw(st.integers(2, 5))
    estimate = np.array([draw(st.integers(1, 9)) for _ in range(n)], np.int64)
    slack = st.integers(0, 20) | st.just(NO_DEADLINE)
    deadline = [
        NOW + int(e) + s if (s := draw(slack)) < NO_DEADLINE else NO_DEADLINE for e in estimate
    ]
    return Round(
        now=NOW,
        procs=6,
        job=np.arange(n),
        submit=np.sort(np.array([draw(st.integers(0, NOW)) for _ in range(n)], np.int64)),
        demand=np.array([draw(st.integers(1, 6)) for _ in range(n)], np.int64),
        estimate=estimate,
        times=np.array([NOW, NOW + draw(st.integers(1, 9))]),
        free=np.array([draw(st.integers(0, 5)), 6]),
        deadline=np.array(deadline, np.int64),
        soft=soft,
    )


def plans(round: Round) -> list[np.ndarray]:
    """All that matter for costs that do not fall with a later start."""
    return [round.insert(np.array(order)) for order in permutations(range(len(round)))]


@settings(max_examples=draws(30))
@given(rounds(), st.sampled_from(["AF", "AWF", "BSLD"]))
def test_hard_deadlines_are_kept_at_the_lowest_metric_of_the_regular_jobs(round, metric):
    """All deadlines that one of the plans keeps at once: the one with the fewest late jobs."""
    everything = plans(round)
    safe = min(everything, key=lambda plan: int((plan > round.latest).sum()))
    due = np.where(safe > round.latest, NO_DEADLINE, round.latest)
    if not round.regular.any():
        return
    found = solve_round(round, metric, due=due, hints=[safe], deterministic=1.0)
    assert (found.start <= due).all()
    best = min(metric_of_plan(metric, round, plan) for plan in everything if (plan <= due).all())
    assert found.objective == pytest.approx(best)
    regular = round.part(np.flatnonzero(round.regular))
    alone = Round(*(getattr(regular, name) for name in list(vars(regular))[:8]))
    assert found.objective == metric_of_plan(metric, alone, found.start[round.regular])


@settings(max_examples=draws(30))
@given(rounds(soft=True), st.sampled_from(["AF", "AWF", "BSLD"]))
def test_soft_deadlines_are_weighed(round, metric):
    found = solve_round(round, metric, deterministic=1.0)
    values = [metric_of_plan(metric, round, plan) for plan in plans(round)]
    assert found.objective == pytest.approx(min(values))
    assert found.bound <= found.objective + 1e-6 * abs(found.objective)


def test_what_lateness_costs_by_hand():
    """Two jobs, one regular. AF is that of the regular one, plus ten times the lateness of the other."""
    round = Round(
        now=0, procs=4, job=np.arange(2), submit=np.zeros(2, np.int64), demand=np.array([4, 4]),
        estimate=np.array([10, 5]), times=np.array([0]), free=np.array([4]),
        deadline=np.array([12, NO_DEADLINE]), soft=True,
    )  # fmt: skip
    assert metric_of_plan("AF", round, np.array([5, 0])) == 5 + 10 * 3
    assert metric_of_plan("AF", round, np.array([0, 10])) == 15
    found = solve_round(round, "AF", deterministic=1.0)
    assert found.start.tolist() == [0, 10]


@settings(max_examples=draws(6))
@given(deadline_workloads(most=10), st.sampled_from(["cp-af", "cp-awf", "cp-bsld+", "cp-p2sf"]))
def test_a_hard_deadline_that_a_plan_keeps_is_kept(workload, name):
    policy = registry.policy(f"{name}(deterministic=0.02,jobs=6)")
    assert_deadlines_are_kept(policy, workload, PROCS)


def test_p2sf_cannot_weigh_lateness():
    with pytest.raises(InputError, match=r"'cp-p2sf\(deadlines=soft\)': P2SF is a ratio.*hard"):
        registry.policy("cp-p2sf(deadlines=soft)")
    assert registry.policy("cp-awf(deadlines=soft)").deadlines == "soft"
    with pytest.raises(InputError, match="should be hard, soft or ignore, found 'maybe'"):
        registry.policy("cp-awf(deadlines=maybe)")


def test_due_times_need_a_plan():
    round = Round(
        now=0, procs=4, job=np.arange(1), submit=np.zeros(1, np.int64), demand=np.array([4]),
        estimate=np.array([10]), times=np.array([0]), free=np.array([4]),
    )  # fmt: skip
    with pytest.raises(InputError, match="needs a plan in 'hints'"):
        solve_round(round, "AF", due=np.array([5]))
    with pytest.raises(InputError, match="starts a job after it is due"):
        solve_round(round, "AF", due=np.array([5]), hints=[np.array([6])])
