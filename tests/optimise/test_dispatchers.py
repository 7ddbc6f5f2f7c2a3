"""The CP dispatchers: small rounds by hand, every schedule checked, limits, what they do without a plan."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import (
    Cluster,
    Decision,
    Exact,
    Policy,
    Workload,
    check_policy,
    check_schedule,
    simulate,
)
from packwise.model import NodeGroup, Outage
from packwise.model.errors import InputError
from packwise.optimise.cp.library import original_cp
from packwise.optimise.cp.nodes import boxes as boxes_module
from packwise.optimise.cp.nodes import dispatcher as dispatcher_module
from packwise.optimise.cp.nodes.best_fit import best_fit
from packwise.optimise.cp.nodes.boxes import BoxesModel, node_of
from packwise.optimise.cp.nodes.copies import CopiesModel
from packwise.optimise.cp.nodes.effort import (
    LONGEST,
    NO_BETTER,
    NONE,
    PROOF,
    TOO_LARGE,
    Effort,
    Limit,
    solve,
)
from packwise.optimise.cp.nodes.instance import Taken, by_priority, instance, steps
from packwise.optimise.cp.nodes.lowest import LowestModel
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.pairs import pairs_by_energy
from packwise.optimise.cp.nodes.policies import DISPATCHERS
from packwise.optimise.cp.nodes.positions import slabs
from packwise.optimise.cp.nodes.schedule import ScheduleModel
from packwise.optimise.cp.nodes.search import ByVariables
from packwise.registry import policy
from tests.draws import draws
from tests.lanes import broad
from tests.optimise.dispatch_cases import (
    ALIKE,
    MIXED,
    OWN,
    check_plan,
    crowded,
    some_work,
    views_of,
    work,
)

pytest.importorskip("ortools")

NAMES = ["pcp19", "hcp19", "pcp21", "pcp21s"]
MODELS = [ScheduleModel, CopiesModel, BoxesModel, LowestModel]
NOTES = {
    "jobs",
    "variables",
    "build_seconds",
    "solve_seconds",
    "python_seconds",
    "branches",
    "fails",
    "solutions",
    "extensions",
    "ended",
    "objective",
    "unsolved",
    "fallback",
    "postponed",
}
#: To the end, on rounds as small as these.
ENOUGH = Effort(10**6, 10**6, extensions=0, restart=False)


def found_by(model, problem, effort=ENOUGH):
    made = model(problem)
    outcome = solve(made, effort)
    return outcome, None if outcome.values is None else made.plan(outcome.values)


def first_jobs(view, count):
    return instance(view, by_priority(view, view.queue)[:count])


# ---- Names and parameters ----


def test_the_names():
    assert [one.name for one in DISPATCHERS] == NAMES
    for name in NAMES:
        found = policy(name)
        assert isinstance(found, Policy)
        assert found.effort == METHODS[name].effort
        assert (found.jobs, found.hint, found.reproducible) == (100, "off", True)
        assert all(found.parameters.values())


def test_the_parameters():
    found = policy("PCP21( branches=50 )")
    assert (found.name, found.method) == ("pcp21(branches=50)", "pcp21")
    assert found.effort == Effort(50, 800, extensions=0, restart=False)
    found = policy("hcp19(branches=50,most_branches=60,extensions=2,jobs=7,hint=lists)")
    assert found.effort == Effort(50, 60, extensions=2, restart=True)
    assert (found.jobs, found.hint) == (7, "lists")
    assert policy("hcp19").seconds_per_job > found.seconds_per_job


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pcp21(solver=cp)", "unknown parameter 'solver'"),
        ("pcp21(limit=1s)", "unknown parameter 'limit'"),
        ("pcp21(hint=search)", "hint should be lists or off, found 'search'"),
        ("pcp21(branches=0)", "branches should be a whole number of 1 or more"),
        ("pcp21(branches=9,most_branches=8)", "longest limit should be no less than"),
    ],
)
def test_what_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        policy(name)


# ---- Replays ----


@pytest.mark.parametrize("variant", broad([*NAMES, "pcp21,hint=lists", "hcp19,hint=lists"]))
@pytest.mark.parametrize("cluster", [MIXED, ALIKE, OWN], ids=lambda cluster: cluster.name)
def test_every_schedule_is_feasible_and_comes_again(variant, cluster):
    jobs = some_work(3, gpus=cluster is MIXED)
    if cluster is ALIKE:
        cores = np.minimum(jobs.per_unit["cores"], 2)
        jobs = jobs.replace(per_unit={"cores": cores}, demand=jobs.units * cores)
    name, _, options = variant.partition(",")
    chosen = policy(f"{name}(branches=30{',' * bool(options)}{options})")
    first, second = (simulate(jobs, cluster, chosen, Exact()) for _ in range(2))
    assert check_schedule(jobs, cluster, first.schedule).ok
    assert first.schedule.ran.all()
    assert first.schedule.start.tolist() == second.schedule.start.tolist()
    notes = first.rounds.notes
    assert set(notes) == NOTES
    for name in ("branches", "fails"):
        np.testing.assert_array_equal(notes[name], second.rounds.notes[name])


@pytest.mark.parametrize("name", broad(NAMES))
def test_on_a_pool_there_is_nothing_to_allocate(name):
    rng = np.random.default_rng(1)
    runtime = rng.integers(1, 60, 25)
    jobs = Workload(
        name="pool",
        id=np.arange(1, 26),
        submit=np.sort(rng.integers(0, 60, 25)),
        runtime=runtime,
        requested_time=runtime,
        demand=rng.integers(1, 5, 25),
    )
    done = simulate(jobs, 4, policy(f"{name}(branches=40)"), Exact())
    assert check_schedule(jobs, Cluster.pool(4), done.schedule).ok
    assert done.schedule.ran.all()
    assert done.schedule.allocation is None


@pytest.mark.parametrize("name", broad(NAMES))
def test_dispatchers_keep_the_contract(name):
    report = check_policy(policy(f"{name}(branches=20)"), jobs=6)
    assert report.ok, report.problems


def test_outages_and_nodes_of_ones_own():
    outages = (Outage((1,), 20, 60),)
    cluster = Cluster(
        "own",
        (
            NodeGroup("shared", 2, {"cores": 4, "memory": 8}),
            NodeGroup("whole", 3, {"cores": 4, "memory": 8}, shared=False),
        ),
        outages=outages,
    )
    jobs = some_work(5, jobs=9, gpus=False)
    jobs = jobs.replace(per_unit={name: jobs.per_unit[name] for name in ("cores", "memory")})
    for name in NAMES:
        done = simulate(jobs, cluster, policy(f"{name}(branches=50)"), Exact())
        assert check_schedule(done.workload, cluster, done.schedule).ok, name
        assert done.schedule.ran.all(), name


@pytest.mark.parametrize("name", broad(NAMES))
def test_without_a_plan_fewer_take_part_until_one_is_left(name):
    jobs = some_work(7, jobs=20)
    jobs = jobs.replace(submit=np.zeros(20, np.int64))
    starved = policy(f"{name}(branches=1,most_branches=1)")
    done = simulate(jobs, MIXED, starved, Exact())
    assert done.schedule.ran.all()
    assert check_schedule(jobs, MIXED, done.schedule).ok
    notes = done.rounds.notes
    assert np.nansum(notes["unsolved"]) > 0
    assert not (notes["unsolved"] * notes["fallback"] > 0).any()
    assert np.nanmin(notes["jobs"]) == 1
    lists = policy(f"{name}(branches=1,most_branches=1,hint=lists)")
    done = simulate(jobs, MIXED, lists, Exact())
    assert done.schedule.ran.all()
    assert np.nansum(done.rounds.notes["fallback"]) > 0
    assert np.nansum(done.rounds.notes["unsolved"]) == 0


def test_the_number_of_jobs_is_halved_and_comes_back():
    view = crowded(7, jobs=20)
    starved = policy("pcp21(branches=1,most_branches=1)")
    without = starved.decide(view)
    jobs = int(without.notes["jobs"])
    assert jobs > 1
    assert (list(without.start), without.memory) == ([], jobs // 2)
    assert without.wake_at == view.now + 1
    fewer = policy("pcp21").decide(view._replace(memory=jobs // 2))
    assert fewer.notes["jobs"] == jobs // 2
    assert len(fewer.start) > 0
    assert fewer.memory == 100


def test_only_those_take_part_who_could_start_now():
    # Four cores a node. Job 0 leaves two of the first; 1 wants four and 2 wants all nodes: only 1 fits.
    one = Cluster("two", (NodeGroup("cpu", 2, {"cores": 4}),))
    jobs = work([(0, 1, 2, 0, 0, 50), (1, 1, 4, 0, 0, 20), (1, 2, 4, 0, 0, 20)])
    jobs = jobs.replace(per_unit={"cores": jobs.per_unit["cores"]})
    for name in NAMES:
        done = simulate(jobs, one, policy(f"{name}"), Exact())
        assert done.schedule.start.tolist() == [0, 1, 50], name
        assert np.nanmax(done.rounds.notes["jobs"]) == 1


def test_a_model_that_is_too_large_is_not_made(monkeypatch):
    monkeypatch.setattr(dispatcher_module, "MOST_VARIABLES", 3)
    jobs = some_work(3)
    done = simulate(jobs, MIXED, policy("pcp19"), Exact())
    assert done.schedule.ran.all()
    assert TOO_LARGE in done.rounds.notes["ended"]


def test_who_has_no_node_in_the_end_is_postponed():
    # Two nodes of four cores, two taken on each: four are free, but nowhere for a unit of three.
    two = Cluster("two", (NodeGroup("cpu", 2, {"cores": 4}),))
    jobs = work(
        [(0, 2, 2, 0, 0, 50), (1, 1, 2, 0, 0, 10), (1, 1, 2, 0, 0, 11), (1, 2, 1, 0, 0, 12)]
    )
    jobs = jobs.replace(per_unit={"cores": jobs.per_unit["cores"]})
    three = work(
        [(0, 2, 2, 0, 0, 50), (1, 1, 1, 0, 0, 10), (1, 1, 1, 0, 0, 10), (1, 1, 2, 0, 0, 9)]
    )
    three = three.replace(per_unit={"cores": three.per_unit["cores"]})
    for these in (jobs, three):
        done = simulate(these, two, policy("hcp19"), Exact())
        assert check_schedule(these, two, done.schedule).ok
        assert done.schedule.ran.all()


def test_many_more_jobs_than_take_part():
    jobs = some_work(7, jobs=20)
    done = simulate(jobs, MIXED, policy("pcp21(jobs=3)"), Exact())
    assert check_schedule(jobs, MIXED, done.schedule).ok
    assert np.nanmax(done.rounds.notes["jobs"]) == 3


@settings(max_examples=draws(15))
@given(seed=st.integers(0, 10_000), name=st.sampled_from(NAMES))
def test_any_small_case(seed, name):
    jobs = some_work(seed, jobs=8)
    done = simulate(jobs, MIXED, policy(f"{name}(branches=30)"), Exact())
    assert check_schedule(jobs, MIXED, done.schedule).ok
    assert done.schedule.ran.all()


# ---- Models ----


def best_by_trying(problem):
    """The least total slowdown over all orders of the jobs and all nodes of their units, each as early as it
    fits after those before.
    """
    nodes = range(len(problem.capacity))
    places = [
        [
            np.bincount(chosen, minlength=len(nodes))
            for chosen in combinations_with_replacement(
                np.flatnonzero(problem.most[i]).tolist(), int(problem.units[i])
            )
        ]
        for i in range(len(problem))
    ]
    best = np.inf
    for order in permutations(range(len(problem))):
        for where in product(*places):
            held = [(int(b), int(e), int(n), a) for n, b, e, a in zip(*problem.taken, strict=True)]
            start = np.zeros(len(problem), np.int64)
            for i in order:
                amounts = where[i][:, None] * problem.need[i]
                start[i] = _earliest(problem, held, amounts, int(problem.estimate[i]))
                if start[i] < 0:
                    break
                end = int(start[i] + problem.estimate[i])
                held += [(int(start[i]), end, n, amounts[n]) for n in nodes if amounts[n].any()]
            else:
                best = min(best, problem.slowdown(start))
    return best


def _earliest(problem, held, amounts, duration):
    for at in sorted({0, *(end for _, end, _, _ in held)}):
        moments = {at, *(begin for begin, *_ in held if at < begin < at + duration)}
        if all(_fits(problem, held, amounts, moment) for moment in moments):
            return at
    return -1


def _fits(problem, held, amounts, moment):
    free = problem.capacity - amounts
    for begin, end, node, amount in held:
        if begin <= moment < end:
            free[node] = free[node] - amount
    return (free >= 0).all()


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(6, few=2)))
def test_plans_against_all_that_there_are(seed):
    """As a pool is a bound. PCP'19 has all plans. PCP'21 wants units in one piece, PCP'21s on the first nodes,
    and both who needs less first.
    """
    view = crowded(seed, jobs=10)
    problem = first_jobs(view, 3)
    least = best_by_trying(problem)
    cost = {}
    for model in MODELS:
        outcome, plan = found_by(model, problem)
        assert outcome.ended == PROOF
        cost[model] = problem.slowdown(plan.start)
        if model is not ScheduleModel:
            check_plan(view, problem, plan)
    assert cost[ScheduleModel] <= least + 1e-6
    assert cost[CopiesModel] == pytest.approx(least)
    assert least - 1e-6 <= min(cost[BoxesModel], cost[LowestModel])


@pytest.mark.draws
def test_any_plan_can_be_followed():
    """Where jobs that could not start now take part, PCP'21 may find none: it postpones who has no room for as
    long as the pool has, and nothing moves the start.
    """
    found = {"pcp19": 0, "pcp21": 0, "pcp21s": 0}
    for seed in range(draws(10, few=4)):
        view = crowded(seed)
        problem = first_jobs(view, 100)
        for name in found:
            effort = replace(METHODS[name].effort, branches=100, longest=400)
            _, plan = found_by(METHODS[name].model, problem, effort)
            if plan is not None:
                check_plan(view, problem, plan)
                found[name] += 1
    assert all(found.values())


def test_nodes_are_given_for_as_long_as_a_job_runs():
    """Two nodes of a core. Job 0 has the first from 5 on, and job 1 runs from 0 to 10: it gets the second."""
    nobody = Taken(*(np.zeros(0, np.int64) for _ in range(3)), np.zeros((0, 1), np.int64))
    ones = np.ones((2, 1), np.int64)
    problem = replace(
        first_jobs(crowded(1), 2),
        resources=("cores",),
        capacity=ones,
        taken=nobody,
        units=np.array([1, 1]),
        need=ones,
        may=np.ones((2, 2), np.int64),
        estimate=np.array([10, 10]),
    )
    model = LowestModel(problem)
    model._given = [[0]]
    model._has = [SimpleNamespace(Value=lambda: 0), SimpleNamespace(Value=lambda: -1)]
    for later, nodes in ((5, [1]), (10, [0])):
        model.starts = [SimpleNamespace(Min=lambda at=at: at) for at in (later, 0)]
        assert model._first_nodes(1) == nodes


@pytest.mark.draws
def test_what_runs_is_held_back_as_boxes_are(monkeypatch):
    """By when positions become free or, where these are many, by boxes: the same best plans."""
    for seed in range(draws(4, few=2)):
        problem = first_jobs(crowded(seed, jobs=10), 3)
        cost = []
        for most in (boxes_module.MOST_POSITIONS, 0):
            monkeypatch.setattr(boxes_module, "MOST_POSITIONS", most)
            _, plan = found_by(BoxesModel, problem)
            cost.append(problem.slowdown(plan.start))
        monkeypatch.undo()
        assert cost[0] == pytest.approx(cost[1])


def test_the_first_plan_goes_by_priority():
    # One core. Who waits: three jobs of equal length, whose priorities are their order.
    one = Cluster("one", (NodeGroup("cpu", 1, {"cores": 1}),))
    rows = [(0, 1, 1, 0, 0, 9), *((at, 1, 1, 0, 0, 10) for at in (1, 2, 3))]
    jobs = work(rows).replace(per_unit={"cores": np.ones(4, np.int64)})
    view = max(views_of(jobs, one), key=lambda view: len(view.queue))
    problem = first_jobs(view, 3)
    for model in MODELS:
        _, plan = found_by(model, problem, Effort(7, 7, extensions=0, restart=True))
        end = int(problem.taken.end.max())
        assert plan.start.tolist() == [end, end + 10, end + 20], model


def test_the_size_of_pcp21_does_not_grow_with_the_machine():
    problem = first_jobs(crowded(1), 100)
    larger = replace(
        problem,
        capacity=np.repeat(problem.capacity, 10, axis=0),
        may=np.repeat(problem.may, 10, axis=1),
        taken=problem.taken._replace(node=10 * problem.taken.node),
    )
    assert BoxesModel.size_of(larger) == BoxesModel.size_of(problem)
    assert CopiesModel.size_of(larger) > 5 * CopiesModel.size_of(problem)
    needs = (problem.need > 0).sum(axis=1)
    assert BoxesModel.size_of(problem) == len(problem) + (problem.units * needs).sum()


@pytest.mark.parametrize("size", [[2, 2, 2], [0, 2, 2], [2, 2, 3, 3], [0, 2, 0, 0, 2, 5, 0, 1]])
def test_the_node_of_a_position(size):
    solver = original_cp().Solver("positions")
    y = solver.IntVar(0, sum(size) - 1)
    node = node_of(solver, y, np.array(size)).Var()
    every = solver.AllSolutionCollector()
    every.Add([y, node])
    solver.Solve(solver.Phase([y], solver.CHOOSE_FIRST_UNBOUND, solver.ASSIGN_MIN_VALUE), [every])
    found = [every.Value(k, node) for k in range(every.SolutionCount())]
    assert found == np.repeat(np.arange(len(size)), size).tolist()


def test_pairs_by_energy():
    # On 14 cores (MIXED has 4 + 4 + 4 + 6 = 18): by hand on an instance of three jobs.
    problem = first_jobs(crowded(1), 3)
    problem = replace(
        problem,
        resources=("cores", "gpus"),
        capacity=np.array([[4, 1], [6, 0]]),
        units=np.array([1, 2, 1]),
        need=np.array([[2, 1], [4, 0], [3, 0]]),
        estimate=np.array([10, 10, 20]),
    )
    # Energy of cores 20, 80 and 60. The second and the third: 140 of 10 * 20. The first two: 100 of 10 * 10.
    assert pairs_by_energy(problem) == ([], [(0, 1), (0, 2)])
    longer = replace(
        problem, estimate=np.array([11, 10, 20]), need=np.array([[4, 1], [4, 0], [6, 0]])
    )
    # 44, 80 and 120: the first two need 124 of 110; 44 + 120 and 80 + 120 are no more than 200.
    assert pairs_by_energy(longer) == ([(0, 1)], [(0, 2), (1, 2)])


# ---- Search and limits ----


def test_what_ends_a_search_that_begins_again():
    limit = Limit.first(Effort(10, 80, extensions=1, restart=True))
    assert not limit.reached(None)
    assert not limit.reached(7)
    assert (limit.branches, limit.extensions) == (40, 2)
    assert limit.reached(7)
    assert limit.ended == NO_BETTER


def test_what_ends_a_search_that_goes_on():
    limit = Limit.first(Effort(10, 35, extensions=0, restart=False))
    assert not limit.reached(None)
    assert not limit.reached(None)
    assert limit.branches == 35
    assert limit.reached(None)
    assert limit.ended == LONGEST
    limit = Limit.first(Effort(10, 35, extensions=0, restart=False))
    assert limit.reached(7)
    assert (limit.ended, limit.extensions) == (NO_BETTER, 0)


def test_branches_are_what_was_allowed():
    problem = first_jobs(crowded(1, jobs=20), 100)
    for model in (ScheduleModel, CopiesModel, BoxesModel):
        once, _ = found_by(model, problem, Effort(60, 60, extensions=0, restart=False))
        again, _ = found_by(model, problem, Effort(60, 960, extensions=1, restart=True))
        if once.ended != PROOF:
            assert once.branches <= 61
        if again.ended == NO_BETTER:
            assert again.branches >= 60 + 120


def test_there_may_be_no_plan():
    problem = first_jobs(crowded(1), 2)
    nowhere = replace(problem, capacity=problem.capacity * 0 + [[3] * len(problem.resources)])
    nowhere = replace(nowhere, need=np.full_like(problem.need, 2), units=np.array([9, 9]))
    outcome, plan = found_by(ScheduleModel, nowhere)
    assert (outcome.ended, plan) == (NONE, None)


def test_a_mistake_in_a_decision_comes_out():
    class Mistaken(BoxesModel):
        def search(self):
            return self.interleaved(ByVariables([self.wanted] * 2, lambda _: 1 // 0))

    with pytest.raises(ZeroDivisionError):
        found_by(Mistaken, first_jobs(crowded(1), 2))


# ---- Parts ----


def test_instances_are_coarse_but_no_more_is_free():
    view = crowded(4)
    found = first_jobs(view, 100)
    for node in range(len(found.capacity)):
        times, free = found.free_over_time(node)
        assert (free >= 0).all()
        assert (np.diff(free, axis=0) >= 0).all()  # nothing but ends
        assert (free[-1] == found.capacity[node]).all()
        assert times[0] == 0
    columns = [view.nodes.resources.index(name) for name in found.resources]
    grain = np.maximum(np.gcd.reduce(view.nodes.per_unit[found.job][:, columns], axis=0), 1)
    now = np.stack([found.free_over_time(node)[1][0] for node in range(len(found.capacity))])
    assert (now == view.nodes.free[:, columns] // grain).all()


def test_steps():
    times, sums = steps(np.array([0, 2]), np.array([4, 6]), np.array([1, 2]), 6)
    assert times.tolist() == [0, 2, 4]
    assert sums.tolist() == [1, 3, 2]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_slabs_fill_the_area_under_steps(heights):
    horizon = len(heights)
    boxes = slabs(np.arange(horizon), np.array(heights), horizon)
    area = np.zeros((horizon, 5), int)
    for box in boxes:
        area[box.begin : box.end, box.low : box.high] += 1
    expected = [[int(level < height) for level in range(5)] for height in heights]
    assert area.tolist() == expected


def test_best_fit_leaves_large_gaps():
    # Nodes with 3, 1 and 2 cores free: a unit of one core goes to the second, two more to the third.
    rows = [(0, 1, 1, 0, 0, 50), (0, 1, 3, 0, 0, 50), (0, 1, 2, 0, 0, 50), (1, 1, 4, 0, 0, 5)]
    three = Cluster("three", (NodeGroup("a", 3, {"cores": 4, "memory": 8, "gpus": 1}),))

    class ThereAndThen:
        name = "there"
        seen = None

        def decide(self, view):
            if 3 in view.queue:
                self.seen = self.seen or view
                return policy("easy").decide(view._replace(memory=None))
            where = {job: {job: 1} for job in view.queue.tolist()}
            return Decision(start=view.queue, allocation=where)

    there = ThereAndThen()
    simulate(work(rows), three, there, Exact())
    view = there.seen
    assert view.nodes.free[:, 0].tolist() == [3, 1, 2]
    few = view.nodes._replace(units=np.array([1, 1, 1, 3]), per_unit=np.array([[1, 0, 0]] * 4))
    one = view._replace(nodes=few)
    assert best_fit(one, np.array([3])) == {3: {1: 1, 2: 2}}
    assert best_fit(view, np.array([3])) == {}
