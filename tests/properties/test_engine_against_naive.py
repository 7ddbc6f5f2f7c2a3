"""The compiled engine, the step loop and the naive twin give the same schedule, job by job."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model import Cluster, Workload
from packwise.policies import ConservativePolicy, DeadlinePolicy, ListPolicy
from packwise.policies.catalogue import POLICIES
from packwise.policies.orders import ORDERS
from packwise.predict import Exact, Requested
from packwise.simulation import simulate
from tests.draws import draws
from tests.lanes import by_kind
from tests.oracle.naive_scheduler import naive_replay
from tests.properties.workload_strategies import PROCS, deadline_workloads, workloads

ORDER = st.sampled_from(list(ORDERS.values()))
ESTIMATE = st.sampled_from([Requested(), Exact(), Exact(0.5), Exact(1.5)])


@st.composite
def list_policies(draw: st.DrawFn) -> ListPolicy:
    return ListPolicy(
        order=draw(ORDER),
        tie=draw(ORDER),
        option=draw(st.sampled_from(["strict", "greedy", "backfill", "backfill", "backfill"])),
        depth=draw(st.sampled_from([None, None, 0, 1, 1, 2, 3])),
        backfill_order=draw(st.none() | ORDER),
        backfill_tie=draw(ORDER),
        threshold=draw(st.none() | st.integers(0, 30)),
        cap=draw(st.none() | st.integers(1, 4)),
    )


def agree(workload: Workload, policy: object, estimate: object) -> None:
    procs = int(max(workload.demand.max(), 4))
    cluster = Cluster.pool(procs)
    compiled = simulate(workload, cluster, policy, estimate)
    stepped = simulate(workload, cluster, policy, estimate, stepped=True)
    expected = naive_replay(workload, procs, estimate.estimates(workload), policy)
    np.testing.assert_array_equal(compiled.schedule.start, expected)
    np.testing.assert_array_equal(stepped.schedule.start, expected)
    assert check_schedule(workload, cluster, compiled.schedule).ok
    if compiled.schedule.promised is not None or stepped.schedule.promised is not None:
        np.testing.assert_array_equal(compiled.schedule.promised, stepped.schedule.promised)
    np.testing.assert_array_equal(compiled.rounds.time, stepped.rounds.time)
    np.testing.assert_array_equal(compiled.rounds.started, stepped.rounds.started)
    assert compiled.rounds.started.sum() == len(workload)


@settings(max_examples=draws(300))
@given(workloads(), list_policies(), ESTIMATE)
def test_any_point_of_the_list_family(workload, policy, estimate):
    agree(workload, policy, estimate)


@settings(max_examples=draws(300))
@given(workloads(), ESTIMATE)
@example(  # job 2 outlives its estimate between two rounds, and has ended by the next
    Workload.of([(1, 1, 5, 12), (2, 3, 5, 8), (3, 4, 7, 14), (4, 3, 4, 6)]), Exact(0.5)
)
def test_conservative_backfilling(workload, estimate):
    agree(workload, ConservativePolicy(), estimate)


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(10, few=2)))
def test_conservative_backfilling_of_a_long_queue(seed):
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 90, 60))
    runtime = rng.integers(1, 40, 60)
    limit = runtime * rng.choice([1, 1, 2, 5], 60) if seed % 2 else rng.choice([40, 60, 90], 60)
    demand = np.minimum(rng.geometric(0.3, 60), 12)
    jobs = zip(submit.tolist(), demand.tolist(), runtime.tolist(), limit.tolist(), strict=True)
    estimate = Exact(0.5) if seed % 5 == 0 else Requested()
    agree(Workload.of(list(jobs)), ConservativePolicy(), estimate)


@settings(max_examples=draws(50))
@given(workloads(), ESTIMATE)
def test_conservative_backfilling_that_moves_only_what_can_start(workload, estimate):
    agree(workload, ConservativePolicy(at_once=True), estimate)


@settings(max_examples=draws(150))
@given(deadline_workloads(), st.booleans(), ESTIMATE)
def test_deadline_based_backfilling(workload, at_once, estimate):
    agree(workload, DeadlinePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(25))
@given(deadline_workloads(most=40), st.booleans(), ESTIMATE)
def test_deadline_based_backfilling_on_longer_queues(workload, at_once, estimate):
    agree(workload, DeadlinePolicy(at_once=at_once), estimate)


@settings(max_examples=draws(60))
@given(workloads(most=40), st.sampled_from(list(POLICIES.values())), ESTIMATE)
def test_named_policies_on_longer_queues(workload, policy, estimate):
    agree(workload, policy, estimate)


@settings(max_examples=draws(50))
@given(workloads(), st.booleans(), ESTIMATE)
def test_without_deadlines_deadline_based_backfilling_is_conservative(workload, at_once, estimate):
    runs = [
        simulate(workload, Cluster.pool(PROCS), policy(at_once=at_once), estimate)
        for policy in (ConservativePolicy, DeadlinePolicy)
    ]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    np.testing.assert_array_equal(runs[0].schedule.promised, runs[1].schedule.promised)


@settings(max_examples=draws(100))
@given(deadline_workloads(), st.booleans())
def test_deadlines_and_starts_once_promised_are_kept(workload, at_once):
    """Limits are never outlived, so a promise binds: for all jobs, and so for the deadlines among them."""
    run = simulate(workload, Cluster.pool(PROCS), DeadlinePolicy(at_once=at_once), Requested())
    assert run.schedule.promised is not None
    assert (run.schedule.start <= run.schedule.promised).all()
    in_time = run.schedule.promised + workload.requested_time <= workload.deadline
    assert (run.schedule.end[in_time] <= workload.deadline[in_time]).all()


@settings(max_examples=draws(60))
@given(workloads(), ESTIMATE)
def test_a_conservative_promise_never_moves_later(workload, estimate):
    """Without overruns, the start promised at submission bounds the real one."""
    if isinstance(estimate, Exact) and estimate.factor < 1:
        return
    promised: dict[int, int] = {}
    policy = ConservativePolicy()

    class Recorder:
        name = "recorder"

        def decide(self, view):
            decision = policy.decide(view)
            now = {int(job): view.now for job in decision.start} | dict(decision.planned)
            for job, at in now.items():
                assert at <= promised.get(job, at)
                promised[job] = at
            return decision

    run = simulate(workload, Cluster.pool(PROCS), Recorder(), estimate)
    assert [promised[i] for i in range(len(workload))] == run.schedule.start.tolist()


@pytest.mark.parametrize("name", by_kind(POLICIES))
def test_each_named_policy_is_deterministic_and_feasible(name):
    rng = np.random.default_rng(5)
    jobs = [
        (int(rng.integers(0, 2000)), int(rng.integers(1, 9)), int(d), int(d + rng.integers(0, 300)))
        for d in rng.integers(1, 200, 150)
    ]
    workload = Workload.of(jobs)
    runs = [simulate(workload, Cluster.pool(PROCS), POLICIES[name], Exact(0.7)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    assert check_schedule(workload, Cluster.pool(PROCS), runs[0].schedule).ok
