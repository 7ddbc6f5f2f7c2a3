"""The order search on nodes: the plans of its naive twin, and the same schedule compiled and stepped."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Decision, Exact, Requested, Workload, simulate
from packwise.feasibility import check_schedule
from packwise.model import Cluster, View
from packwise.model.demands import misfits, nodes_matter
from packwise.optimise.objectives import balanced, objective
from packwise.optimise.policy import SearchPolicy
from packwise.policies.catalogue import POLICIES
from tests.draws import draws
from tests.optimise.test_search_against_naive import COSTS
from tests.oracle.naive_nodes import NaiveNodes
from tests.oracle.naive_scheduler import Block, NaiveJob, earliest, take
from tests.oracle.naive_search import TooClose, naive_search
from tests.properties.test_nodes_against_naive import PLACEMENT, clusters, jobs_with_units


class Twin:
    """EASY, which at every round compares the plan of a search with that of the naive twin."""

    name = "twin"

    def __init__(
        self, policy: SearchPolicy, metric: str, cluster: Cluster, jobs: Workload, rule: str
    ):
        self.policy, self.metric, self.cluster, self.jobs, self.rule = (
            policy,
            metric,
            cluster,
            jobs,
            rule,
        )
        self.searched = 0

    def decide(self, view: View) -> Decision:
        if view.nodes is not None and view.nodes.matter and len(view.queue) > 1:
            self.compare(view._replace(memory=None))
        return POLICIES["easy"].decide(view)

    def compare(self, view: View) -> None:
        found = self.policy.decide(view)
        room, running = self.room(view)
        queue = view.queue.tolist()
        e = view.estimate[view.queue].tolist()
        r, s = view.demand[view.queue].tolist(), view.submit[view.queue].tolist()

        def naive(j: int) -> NaiveJob:
            return NaiveJob(queue[j], s[j], r[j], 0, 0, e[j], 0)

        def placed(order: Any) -> dict[int, int]:
            blocks, starts = list(running), {}
            for j in order:
                job = naive(j)
                starts[j] = earliest(room, blocks, view.now, job)
                blocks.append(take(room, blocks, view.now, job, starts[j]))
            return starts

        order, starts = range(len(queue)), placed(range(len(queue)))
        fits = [room.fits(running, naive(j), view.now, view.now + e[j]) for j in order]
        all_start = set(starts.values()) == {view.now} and sum(r) <= view.free
        if any(fits) and not all_start:
            delay, slope = COSTS[self.metric]
            policy = self.policy
            self.searched += 1
            order, starts = naive_search(
                view.now,
                s,
                r,
                e,
                [True] * len(queue),
                lambda _: 0,
                lambda j, start: delay(r[j], e[j], start - s[j]),
                lambda j: slope(r[j], e[j], view.now - s[j]),
                budget=policy.budget,
                window=policy.window,
                temperature=policy.temperature,
                seed=policy.seed,
                latest={},
                on_nodes=placed,
            )
        now = [queue[j] for j in order if starts[j] == view.now]
        later = {queue[j]: starts[j] for j in order if starts[j] > view.now}
        assert np.asarray(found.start).tolist() == now
        assert found.planned == later

    def room(self, view: View) -> tuple[NaiveNodes, list[Block]]:
        assert view.nodes is not None
        room = NaiveNodes(self.cluster, self.jobs, self.rule)
        for number in range(len(view.submit)):
            room.note(NaiveJob(number, 0, 0, 0, 0, 0, 0))
        room.out = {node: int(back) for node, back in enumerate(view.nodes.out) if back}
        blocks = [
            Block(view.now, int(end), NaiveJob(int(job), 0, 0, 0, 0, 0, 0), view.nodes.held.of(k))
            for k, (job, end) in enumerate(zip(view.running, view.expected_end, strict=True))
        ]
        return room, blocks


@settings(max_examples=draws(60))
@given(
    jobs_with_units(),
    clusters(),
    PLACEMENT,
    st.sampled_from(sorted(COSTS)),
    st.sampled_from([0, 3, 25]),
    st.sampled_from([2, 3, 64]),
    st.sampled_from([0.0, 0.05, 1.0]),
)
def test_the_plan_of_the_naive_twin(workload, cluster, rule, metric, budget, window, heat):
    fits = ~misfits(workload, cluster).which
    if not fits.any():
        return
    workload = workload.select(fits)
    policy = SearchPolicy(
        objective=objective(metric, local="metric"), budget=budget, window=window, temperature=heat
    )
    twin = Twin(policy, metric, cluster, workload, rule)
    try:
        simulate(workload, cluster, twin, Requested(), placement=rule)
    except TooClose:
        return


@settings(max_examples=draws(60))
@given(
    jobs_with_units(most=24),
    clusters(),
    PLACEMENT,
    st.sampled_from([balanced(0.5), *map(objective, ("AF", "AWF", "BSLD", "P2SF"))]),
    st.sampled_from([Requested(), Exact(), Exact(0.5)]),
    st.sampled_from([0, 20]),
    st.sampled_from([False, False, True]),
)
def test_compiled_and_stepped_replays_are_the_same(
    workload, cluster, rule, aim, estimate, budget, due
):
    fits = ~misfits(workload, cluster).which
    if not fits.any():
        return
    workload = workload.select(fits)
    if due:
        workload = workload.replace(deadline=workload.submit + 3 * workload.requested_time)
    policy = SearchPolicy(objective=aim, budget=budget)
    compiled = simulate(workload, cluster, policy, estimate, placement=rule)
    stepped = simulate(workload, cluster, policy, estimate, placement=rule, stepped=True)
    np.testing.assert_array_equal(compiled.schedule.start, stepped.schedule.start)
    jobs = range(len(workload))
    one, other = compiled.schedule.allocation, stepped.schedule.allocation
    assert [one.of(j) for j in jobs] == [other.of(j) for j in jobs]
    assert check_schedule(workload, cluster, compiled.schedule).ok


def test_something_is_searched():
    """The twin of the first test does compare searched rounds."""
    from packwise.clusters.presets import PRESETS
    from packwise.workloads.accelerated import generate_accelerated

    eurora = PRESETS["eurora"]
    small = Cluster("small", tuple(_few(group) for group in eurora.groups))
    workload = generate_accelerated(40, small, 1, load=2.0)
    assert nodes_matter(workload, small)
    policy = SearchPolicy(objective=objective("AF", local="metric"), budget=5, window=4)
    twin = Twin(policy, "AF", small, workload, "first-fit")
    simulate(workload, small, twin, Requested(), placement="first-fit")
    assert twin.searched > 10


def _few(group: Any) -> Any:
    from dataclasses import replace

    return replace(group, count=2)
