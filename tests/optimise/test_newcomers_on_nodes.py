"""What newcomers are expected to pay on nodes, against a twin that looks at each second by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from packwise import Decision, Exact, Workload, simulate
from packwise.engine.decide import Asked
from packwise.model import Cluster, NodeGroup, View
from packwise.optimise.kernels.lessons import KINDS, LESSONS, NEEDED, SORTED, SORTS, WIDTHS
from packwise.optimise.kernels.sorts import learn_all
from packwise.optimise.kernels.workspace import COST, NEWCOMERS, SPACE, WAITING
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy

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


def test_newcomers_wait_for_all_that_they_need(monkeypatch):
    asked: list[Asked] = []

    class Noted(Asked):
        def __init__(self, *given):
            super().__init__(*given)
            asked.append(self)

    monkeypatch.setattr("packwise.engine.decide.Asked", Noted)
    looking = Looking(asked)
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
    assert (done.schedule.start >= workload.submit).all()
