"""Nodes that go out and come back, worked out by hand. A row is a core; nodes are divided by dashes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, Decision, Requested, check_schedule, simulate
from packwise.model import NodeGroup, Outage, Schedule
from packwise.model.errors import InputError, OverAllocation, PredictorFailed
from packwise.registry import policy
from tests.engine.test_nodes_small_cases import work
from tests.lanes import broad

TWO = Cluster("two", (NodeGroup("cpu", 2, {"cores": 2}),))
POLICIES = ("fcfs", "easy", "list-sjf", "cbf", "packwise")


def out(*outages):
    return replace(TWO, outages=tuple(Outage(*one) for one in outages))


@pytest.fixture(params=[False, True], ids=["compiled", "stepped"])
def run(request):
    def replayed(name, rows, cluster):
        given = work(rows)
        done = simulate(
            given, cluster, policy(name), Requested(), placement="first-fit", stepped=request.param
        )
        assert check_schedule(given, cluster, done.schedule).ok
        return done

    return replayed


@pytest.mark.parametrize("name", POLICIES)
def test_a_killed_job_runs_again_from_its_beginning(run, name):
    # 1111xx      The first node is out from 4 to 6: job 1 is killed, and begins again on the second.
    # 1111xx
    # -----------
    # ....1111111
    # ....1111111
    done = run(name, [(0, 1, 2, 7)], out(((0,), 4, 6)))
    assert done.schedule.start.tolist() == [4]
    assert done.schedule.end.tolist() == [11]
    assert done.schedule.allocation.of(0) == {1: 1}
    lost = done.interrupted
    assert (lost.job.tolist(), lost.start.tolist(), lost.end.tolist()) == ([0], [0], [4])
    assert lost.allocation.of(0) == {0: 1}
    assert done.schedule.wait(done.workload).tolist() == [4]  # what was lost counts as waiting


@pytest.mark.parametrize("name", POLICIES)
def test_who_may_stay_stays_but_nobody_comes(run, name):
    # 1111111..33    The first node takes nobody from 4 to 9. Job 1 goes on until 7; job 2 has the second
    # 1111111..33    node until 12, so job 3 waits for 9.
    # ------------
    # 222222222222
    # 222222222222
    rows = [(0, 1, 2, 7), (0, 1, 2, 12), (5, 1, 2, 2)]
    done = run(name, rows, out(((0,), 4, 9, False)))
    assert done.schedule.start.tolist() == [0, 0, 9]
    assert len(done.interrupted) == 0


@pytest.mark.parametrize("name", POLICIES)
def test_who_ends_when_the_outage_begins_has_ended(run, name):
    done = run(name, [(0, 1, 2, 4)], out(((0, 1), 4, 9)))
    assert done.schedule.start.tolist() == [0]
    assert len(done.interrupted) == 0


@pytest.mark.parametrize("name", POLICIES)
def test_killed_twice_and_the_whole_machine_out(run, name):
    done = run(name, [(0, 2, 2, 5)], out(((0, 1), 2, 3), ((1,), 6, 10), ((0,), 8, 12)))
    assert done.schedule.start.tolist() == [12]
    assert done.interrupted.start.tolist() == [0, 3]
    assert done.interrupted.end.tolist() == [2, 6]


@pytest.mark.parametrize("name", POLICIES)
def test_a_kill_during_a_longer_drain(run, name):
    # The first node is drained from 2 to 100, and job 1 killed at 4: it begins again on the second at once.
    done = run(name, [(0, 1, 2, 7), (1000, 1, 2, 1)], out(((0,), 2, 100, False), ((0,), 4, 50)))
    assert done.schedule.start.tolist() == [4, 1000]


@pytest.mark.parametrize("name", broad(POLICIES, quick=2))
def test_hundreds_of_outages(run, name):
    cluster = out(*(((0,), 10 * k, 10 * k + 5) for k in range(300)))
    done = run(name, [(0, 2, 2, 4), (1600, 1, 2, 1), (2990, 2, 2, 3)], cluster)
    assert done.schedule.start.tolist() == [5, 1600, 2995]


def test_a_reservation_is_behind_the_outage(run):
    # xxxxxx33    The first node is out until 6. Job 1 has the second until 3. Job 2 needs both: it is
    # xxxxxx33    reserved for 6. Job 3 (3 s) ends by then and starts at 3; job 4 (4 s) would not.
    # --------
    # 111333224444
    # 111...22
    rows = [(0, 1, 2, 3), (1, 2, 2, 2), (2, 1, 1, 3), (2, 1, 1, 4)]
    done = run("easy", rows, out(((0,), 0, 6)))
    assert done.schedule.start.tolist() == [0, 6, 3, 8]


def test_a_promise_is_kept_where_it_can_be(run):
    # Job 2 is promised both nodes for 5, job 3 the first one for 7. Then the second is out from 2 to 9: job 2
    # finds both at 10 (behind job 3, which keeps its place).
    rows = [(0, 2, 2, 5), (1, 2, 2, 2), (1, 1, 2, 3)]
    done = run("cbf", rows, out(((1,), 2, 9, False)))
    assert done.schedule.start.tolist() == [0, 10, 7]
    assert done.schedule.promised.tolist() == [0, 5, 7]


def test_a_killed_job_gets_a_new_promise_behind_the_others(run):
    # Job 1 is killed at 2. Job 3 keeps its promise of 5, on the second node; job 1 follows it there at 9.
    rows = [(0, 1, 2, 5), (0, 1, 2, 5), (1, 1, 2, 4)]
    done = run("cbf", rows, out(((0,), 2, 20)))
    assert done.schedule.start.tolist() == [9, 0, 5]
    assert done.schedule.promised.tolist() == [
        0,
        0,
        5,
    ]  # the first promise counts: job 1's is broken


def test_what_a_killed_job_had_elsewhere_is_given_to_others(run):
    # Job 1 has both nodes until it is killed at 4, when the second goes out until 50. Job 2 was promised 20,
    # and moves forward to the first node.
    done = run("cbf", [(0, 2, 2, 20), (1, 1, 2, 5)], out(((1,), 4, 50)))
    assert done.schedule.start.tolist() == [50, 4]


def test_a_policy_sees_which_nodes_are_out():
    seen = []

    class Looks:
        name = "looks"

        def decide(self, view):
            seen.append((view.now, view.nodes.free[:, 0].tolist(), view.nodes.out.tolist()))
            fits = [j for j in view.queue if (view.nodes.free[:, 0] >= 2).any()]
            return Decision(start=fits[:1])

    simulate(work([(0, 1, 2, 9), (0, 1, 2, 3)]), out(((0,), 2, 8)), Looks(), placement="first-fit")
    assert seen[:4] == [
        (0, [2, 2], [0, 0]),
        (2, [0, 2], [8, 0]),
        (8, [2, 0], [0, 0]),
        (11, [2, 2], [0, 0]),
    ]


@pytest.mark.parametrize("told", [True, False])
def test_a_policy_cannot_use_a_node_that_is_out(told):
    class Blind:
        name = "blind"

        def decide(self, view):
            where = {j: {0: 1} for j in view.queue.tolist()} if told else {}
            return Decision(start=view.queue, allocation=where)

    rows = [(3, 1, 2, 5), (3, 1, 2, 5)] if not told else [(3, 1, 2, 5)]
    with pytest.raises(OverAllocation, match="job"):
        simulate(work(rows), out(((0,), 2, 8)), Blind())


def test_the_checker_knows_of_outages():
    given, cluster = work([(0, 1, 2, 7)]), out(((0,), 4, 6))
    done = simulate(given, TWO, policy("fcfs"), placement="first-fit")
    verdict = check_schedule(given, cluster, done.schedule)
    assert [(v.job_id, v.time, v.amount) for v in verdict.violations] == [(1, 4, 2)]
    assert (
        "job 1 is on node cpu-1 from 4 on, which is out then, for 2 s"
        in verdict.violations[0].message
    )
    # With running = "keep" it may have started before, but not while the outage lasts.
    keeps = out(((0,), 4, 6, False))
    assert check_schedule(given, keeps, done.schedule).ok
    late = Schedule(np.array([5]), np.array([12]), allocation=done.schedule.allocation)
    assert not check_schedule(given, keeps, late).ok


@pytest.mark.parametrize(
    ("outage", "said"),
    [
        (Outage((), 1, 2), "nodes from 0 to 1, found none"),
        (Outage((2,), 1, 2), "found 2"),
        (Outage((0,), 2, 2), "found 2 to 2"),
        (Outage((0,), -1, 2), "found -1 to 2"),
        (Outage((0,), 0.5, 2), "whole seconds"),
    ],
)
def test_outages_that_are_none(outage, said):
    with pytest.raises(InputError, match=said):
        replace(TWO, outages=(outage,))
    with pytest.raises(InputError, match="a pool of processors has none"):
        replace(Cluster.pool(4), outages=(Outage((0,), 0, 1),))


def test_a_cluster_with_outages_survives_a_document():
    cluster = out(((0, 1), 4, 6), ((1,), 8, 9, False))
    assert Cluster.from_document(cluster.document()) == cluster


class Listens:
    """A predictor that hears what happens to jobs."""

    name = "listens"

    def __init__(self):
        self.heard = []

    def predict(self, job):
        return job.limit

    def started(self, job, now):
        self.heard.append(("started", job.id, now))

    def interrupted(self, job, now):
        self.heard.append(("interrupted", job.id, now))

    def learn(self, job, runtime):
        self.heard.append(("ended", job.id))
        heard.extend(self.heard[-4:])


heard: list[tuple[object, ...]] = []


@pytest.mark.parametrize("stepped", [False, True])
def test_a_predictor_hears_of_it(stepped):
    heard.clear()
    simulate(work([(0, 1, 2, 7)]), out(((0,), 4, 6)), policy("easy"), Listens(), stepped=stepped)
    assert heard == [("started", 1, 0), ("interrupted", 1, 4), ("started", 1, 4), ("ended", 1)]


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_a_predictor_that_fails_then_is_named(name, stepped):
    class Breaks(Listens):
        name = "breaks"

        def interrupted(self, job, now):
            raise KeyError(job.id)

    with pytest.raises(PredictorFailed, match=r"'breaks' raised KeyError \(job 1, .* at time 4\)"):
        simulate(work([(0, 1, 2, 7)]), out(((0,), 4, 6)), policy(name), Breaks(), stepped=stepped)
