"""What newcomers are expected to pay on nodes, against a twin that looks at each second by itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from packwise import Decision, Exact, Workload, simulate
from packwise.engine.decide import Asked
from packwise.model import Cluster, NodeGroup, Outage, View
from packwise.optimise.kernels.lessons import KINDS, LESSONS, NEEDED, SORTED, SORTS, WIDTHS
from packwise.optimise.kernels.sorts import learn_all
from packwise.optimise.kernels.workspace import COST, NEWCOMERS, SPACE, WAITING
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.policies.catalogue import POLICIES

CLUSTER = Cluster(
    "two sorts",
    (
        NodeGroup("cpu", 3, {"cores": 8, "memory": 32}),
        NodeGroup("gpu", 2, {"cores": 4, "memory": 64, "gpus": 2}),
    ),
)
DAY = 86_400


def jobs(many: int, seed: int) -> Workload:
    draw = np.random.default_rng(seed)
    runtime = draw.integers(1, 60, many)
    cores = draw.integers(1, 4, many)
    return Workload(
        name="mixed",
        id=np.arange(1, many + 1),
        submit=np.sort(draw.integers(0, 4 * many, many)),
        runtime=runtime,
        requested_time=runtime,
        demand=cores,
        units=np.ones(many, np.int64),
        per_unit={
            "cores": cores,
            "memory": draw.integers(0, 30, many),
            "gpus": draw.integers(0, 2, many),
        },
    )


def naive_sort(needs: list[int], total: list[int], procs: int) -> tuple[int, int]:
    parts = [need / all_of_it for need, all_of_it in zip(needs, total, strict=True)]
    return parts.index(max(parts)), int(math.log2(max(max(parts) * procs, 1.0)))


class Looking:
    """The order search, whose expectations a naive twin works out again at every round."""

    name = "looking"

    def __init__(self, asked: list[Asked]) -> None:
        self.asked = asked
        self.policy = SearchPolicy(objective=objective("BSLD"))
        self.begun: dict[int, int] = {}
        self.ended: list[tuple[int, int, int]] = []  # job, begin and end
        self.compared = 0
        self.kinds: set[int] = set()

    def decide(self, view: View) -> Decision:
        for job in sorted(self.begun.keys() - set(view.running.tolist())):
            self.ended.append((job, self.begun.pop(job), view.now))
        self.asked.clear()
        decision = self.policy.decide(view)
        if self.asked and self.asked[0].state[SPACE].report[COST] > 0:
            self.compare(view)
        self.begun |= dict.fromkeys(np.asarray(decision.start).tolist(), view.now)
        return decision

    def compare(self, view: View) -> None:
        space, pool = (self.asked[0].state[group] for group in (SPACE, WAITING))
        assert view.nodes is not None
        needs = view.nodes.units[:, None] * view.nodes.per_unit
        total = view.nodes.capacity.sum(axis=0)
        waiting = view.memory.order if view.memory is not None else view.queue[:0]
        waiting = [*waiting.tolist(), *(j for j in view.queue.tolist() if j not in waiting)]
        planned = [
            (int(pool.kept[k]), int(view.estimate[job]), needs[job])
            for k, job in enumerate(waiting)
        ]
        held = [
            (view.now, int(end) - view.now, needs[job])
            for job, end in zip(view.running.tolist(), view.expected_end.tolist(), strict=True)
        ]
        expected = self.naive_pay(view, [*held, *planned], needs, total)
        assert space.report[NEWCOMERS] == pytest.approx(expected, rel=1e-9)
        self.compared += expected > 0

    def naive_pay(
        self,
        view: View,
        plan: list[tuple[int, int, np.ndarray]],
        needs: np.ndarray,
        total: np.ndarray,
    ) -> float:
        if not self.ended:
            return 0.0
        sorts: dict[tuple[int, int], list[tuple[float, np.ndarray]]] = {}
        for job, begin, end in self.ended:
            sort = naive_sort(needs[job].tolist(), total.tolist(), view.procs)
            sorts.setdefault(sort, []).append((1 / max(end - begin, 10), needs[job]))
            self.kinds.add(sort[0])
        seconds = max(self.ended[-1][2] - min(self.ended[0][1:]), DAY)
        pays = 0.0
        for like in sorts.values():
            weight = sum(one for one, _ in like)
            mean = sum(one * need for one, need in like) / weight
            for t in range(view.now, max(start + span for start, span, _ in plan)):
                there = [(s + span, need) for s, span, need in plan if s <= t < s + span]
                moments = [t, *sorted(end for end, _ in there)]
                fits = next(
                    at
                    for at in moments
                    if (
                        total - sum((need for end, need in there if end > at), 0) >= mean - 1e-6
                    ).all()
                )
                pays += weight / seconds * max(fits - t - 0.5, 0.0)
        return pays


@pytest.fixture
def noted(monkeypatch):
    """What rounds were asked for, with their arrays."""
    asked: list[Asked] = []

    class Noted(Asked):
        def __init__(self, *given):
            super().__init__(*given)
            asked.append(self)

    monkeypatch.setattr("packwise.engine.decide.Asked", Noted)
    return asked


def test_newcomers_wait_for_all_that_they_need(noted):
    looking = Looking(noted)
    simulate(jobs(120, 5), CLUSTER, looking, Exact())
    assert looking.compared > 20
    assert looking.kinds == {0, 1, 2}


@pytest.mark.parametrize(
    ("needs", "sort"),
    [
        ([1, 2, 1], 2 * WIDTHS + 3),  # a quarter of the GPUs is as much as 8 of 32 cores
        ([4, 0, 0], 2),
        ([1, 9, 0], WIDTHS),
        ([1, 7, 0], 0),  # equal parts: the first
        ([0, 0, 0], 0),
    ],
)
def test_the_sort_of_a_job(needs, sort):
    lessons = np.zeros(LESSONS)
    one = np.array([10], np.int64)
    total = np.array([32, 224, 4])
    term = objective("BSLD").table()[0]
    learn_all(lessons, term, one, np.array([needs]), total, 32.0, one, one, one, 100)
    assert np.flatnonzero(lessons[SORTED : SORTED + SORTS]).tolist() == [sort]
    learned = lessons[NEEDED + sort * KINDS :][: len(needs)] / lessons[SORTED + sort]
    assert learned.tolist() == pytest.approx(needs)


def test_by_mean_flow_newcomers_wait_for_cores():
    lessons = np.zeros(LESSONS)
    one = np.array([10], np.int64)
    term = objective("AF").table()[0]
    needs, total = np.array([[10, 200, 4]]), np.array([32, 224, 4])
    learn_all(lessons, term, one, needs, total, 32.0, one, one, one, 100)
    assert np.flatnonzero(lessons[SORTED : SORTED + SORTS]).tolist() == [3]
    assert lessons[NEEDED + 3 * KINDS :][:3].tolist() == [10, 0, 0]


def test_nodes_begin_to_matter_and_cease_to():
    """A live host may change what it tells of its nodes: what was remembered is of use still."""
    searched = SearchPolicy(objective=objective("BSLD"))
    widths = []

    class Changing:
        name = "changing"

        def decide(self, view: View) -> Decision:
            assert view.nodes is not None
            matter = len(widths) % 4 < 2
            memory = searched.decide(view._replace(nodes=view.nodes._replace(matter=matter))).memory
            widths.append((matter, memory.needs.shape[1]))
            return replace(POLICIES["easy"].decide(view._replace(memory=None)), memory=memory)

    done = simulate(jobs(60, 7), CLUSTER, Changing(), Exact())
    assert {*widths} == {(True, 3), (False, 0)}
    assert done.schedule.ran.all()


def test_what_nobody_can_have_is_not_free(noted):
    """A node that is out has all of its cores, and one that somebody has to himself some of them."""
    cluster = Cluster(
        "three",
        (
            NodeGroup("shared", 2, {"cores": 8}),
            NodeGroup("own", 1, {"cores": 8}, shared=False),
        ),
        outages=(Outage((1,), 2, 100),),
    )
    cores = np.array([3, 3, 4, 6, 6])
    runtime = np.array([50, 60, 40, 30, 20])
    five = Workload(
        name="five",
        id=np.arange(1, 6),
        submit=np.array([0, 0, 3, 3, 3]),
        runtime=runtime,
        requested_time=runtime,
        demand=cores,
        units=np.ones(5, np.int64),
        per_unit={"cores": cores},
    )

    class OnTheFirstAndTheLast:
        """The first two jobs on these nodes; then the search is asked."""

        name = "given"

        def decide(self, view: View) -> Decision:
            if view.now == 0:
                first = {0: {0: 1}, 1: {2: 1}}
                return Decision(start=view.queue, allocation=first)
            noted.clear()
            return SearchPolicy(objective=objective("BSLD")).decide(view)

    looked = []

    class Watching(OnTheFirstAndTheLast):
        def decide(self, view: View) -> Decision:
            decision = super().decide(view)
            if view.now == 3:
                looked.append(noted[0].state[SPACE])
            return decision

    simulate(five, cluster, Watching(), Exact())
    (space,) = looked
    # 5 of the shared node; its other 3 at 50; the whole of the other's 8 at 60, when it is given back
    assert space.base_times[:3].tolist() == [3, 50, 60]
    assert space.back[:3, 0].tolist() == [5, 3, 16]


def test_more_resources_than_are_told_apart():
    many = {f"licence{k}": 4 for k in range(KINDS)}
    cluster = Cluster("many", (NodeGroup("all", 2, {"cores": 4, **many}),))
    draw = np.random.default_rng(3)
    runtime = draw.integers(1, 60, 80)
    workload = Workload(
        name="many",
        id=np.arange(1, 81),
        submit=np.sort(draw.integers(0, 900, 80)),
        runtime=runtime,
        requested_time=runtime,
        demand=np.ones(80, np.int64),
        units=np.ones(80, np.int64),
        per_unit={"cores": np.ones(80, np.int64)}
        | {name: draw.integers(0, 3, 80) for name in many},
    )
    policy = SearchPolicy(objective=objective("BSLD"))
    done = simulate(workload, cluster, policy, Exact())
    stepped = simulate(workload, cluster, policy, Exact(), stepped=True)
    assert done.schedule.start.tolist() == stepped.schedule.start.tolist()
