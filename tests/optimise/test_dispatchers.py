"""The CP dispatchers on nodes: small rounds by hand, every schedule checked, limits, failures, choices."""

from __future__ import annotations

from dataclasses import replace

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
from packwise.model.errors import InputError, SolverFailed
from packwise.model.view import fits_on_nodes
from packwise.optimise.cp.nodes import method as method_module
from packwise.optimise.cp.nodes.auto import CHOICES, Record, alike, choose
from packwise.optimise.cp.nodes.beginning import BUDGET, searched_plan
from packwise.optimise.cp.nodes.best_fit import best_fit
from packwise.optimise.cp.nodes.identical import IdenticalNodesModel, arrange
from packwise.optimise.cp.nodes.instance import Plan, by_priority, instance, steps
from packwise.optimise.cp.nodes.lists import list_plan, other_list_plans
from packwise.optimise.cp.nodes.lns import neighbourhood
from packwise.optimise.cp.nodes.method import FAILED, TOO_LARGE, Task, find_with
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.patience import LONGEST, NO_BETTER, PROOF, Patience, Progress, solve
from packwise.optimise.cp.nodes.pcp19 import Pcp19Model
from packwise.optimise.cp.nodes.pcp21 import Arrays, Pcp21Model
from packwise.optimise.cp.nodes.policies import DISPATCHERS
from packwise.optimise.cp.nodes.positions import in_one_piece, slabs, taken_boxes
from packwise.optimise.cp.nodes.scheduling import SchedulingModel, twins
from packwise.optimise.cp.search import Answer
from packwise.registry import policy
from tests.draws import draws
from tests.lanes import broad

pytest.importorskip("ortools")

NAMES = ["pcp19", "hcp19", "pcp21", "pcp21s", "pcp-auto"]
EXACT_MODELS = [Pcp19Model, Pcp21Model, IdenticalNodesModel]
LITTLE = Patience(0.5, 0.5, deterministic=True)
NOTES = {
    "jobs",
    "variables",
    "constraints",
    "build_seconds",
    "solve_seconds",
    "solve_work",
    "fails",
    "extensions",
    "ended",
    "objective",
    "bound",
    "gap",
    "improved",
    "fallback",
    "postponed",
}
#: Two nodes with cores only, one with a GPU, one with more of both.
MIXED = Cluster(
    "mixed",
    (
        NodeGroup("cpu", 2, {"cores": 4, "memory": 8}),
        NodeGroup("gpu", 1, {"cores": 4, "memory": 8, "gpus": 1}),
        NodeGroup("fat", 1, {"cores": 6, "memory": 16, "gpus": 2}),
    ),
)
#: Some nodes are shared, of others a job has the whole.
OWN = Cluster(
    "own",
    (
        NodeGroup("shared", 2, {"cores": 4, "memory": 8, "gpus": 1}),
        NodeGroup("whole", 2, {"cores": 4, "memory": 8, "gpus": 1}, shared=False),
        NodeGroup("large", 1, {"cores": 8, "memory": 8, "gpus": 1}, shared=False),
    ),
)
ALIKE = Cluster("alike", (NodeGroup("cpu", 4, {"cores": 2}),))


def work(rows):
    """From (submit, units, cores, memory, gpus of a unit, run time) tuples."""
    submit, units, cores, memory, gpus, runtime = np.array(rows, np.int64).T
    return Workload(
        name="small",
        id=np.arange(1, len(rows) + 1),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=units * cores,
        units=units,
        per_unit={"cores": cores, "memory": memory, "gpus": gpus},
    )


def some_work(seed, jobs=12, *, gpus=True):
    rng = np.random.default_rng(seed)
    return work(
        [
            (
                int(at),
                int(rng.integers(1, 4)),
                int(rng.integers(1, 4)),
                int(rng.integers(0, 5)),
                int(rng.integers(0, 2)) * (gpus and rng.random() < 0.5),
                int(rng.integers(5, 60)),
            )
            for at in np.sort(rng.integers(0, 40, jobs))
        ]
    )


def views_of(jobs, cluster, name="easy"):
    """The rounds of a replay in which somebody waits on."""
    found = []

    class Watching:
        name = "watching"

        def decide(self, view):
            decision = policy(self.asked).decide(view)
            if len(decision.start) < len(view.queue):
                found.append(view._replace(memory=None))
            return decision

    watching = Watching()
    watching.asked = name
    simulate(jobs, cluster, watching, Exact())
    return found


def crowded(seed=1, cluster=MIXED, **more):
    """The round of a small replay with the longest queue."""
    return max(views_of(some_work(seed, **more), cluster), key=lambda view: len(view.queue))


def problem(view):
    jobs = by_priority(view, view.queue)
    plans = [list_plan(view, jobs, np.arange(len(jobs))), *other_list_plans(view, jobs)]
    found = instance(view, jobs)
    return found, min(plans, key=lambda plan: found.slowdown(plan.start))


def check_plan(view, found, plan):
    """Nobody has more of a node than it has, at any moment; every unit is somewhere."""
    nodes = view.nodes
    moments = {0, *plan.start.tolist()}
    for moment in moments:
        free = nodes.free.astype(np.int64)
        for k, job in enumerate(view.running.tolist()):
            if view.expected_end[k] <= view.now + moment:
                for node, units in nodes.held.of(k).items():
                    free[node] += units * nodes.per_unit[job]
        for place, job in enumerate(found.job.tolist()):
            if plan.start[place] <= moment < plan.start[place] + found.estimate[place]:
                for node, units in plan.where[place].items():
                    free[node] -= units * nodes.per_unit[job]
                    assert nodes.open[nodes.where[job], node]
        assert (free >= 0).all(), moment
    for place, job in enumerate(found.job.tolist()):
        assert sum(plan.where[place].values()) == nodes.units[job]


# ---- Names and parameters ----


def test_the_names():
    assert [one.name for one in DISPATCHERS] == NAMES
    for name in NAMES:
        found = policy(name)
        assert isinstance(found, Policy)
        assert (found.patience.limit, found.patience.longest) == (1.0, 16.0)
        assert (found.patience.extensions, found.jobs, found.hint) == (2, 100, "lists")
        assert not found.reproducible
        assert policy(f"{name}(deterministic=0.1)").reproducible
        assert all(found.parameters.values())
    assert policy("PCP21( Limit = 100ms )").name == "pcp21(limit=100ms)"


def test_the_parameters():
    found = policy(
        "pcp21(limit=2s,extensions=3,workers=2,seed=7,jobs=30,hint=off,lns=on,identical=on)"
    )
    assert found.patience == Patience(2.0, 32.0, 3, False, 2, 7)
    assert (found.jobs, found.hint, found.options) == (30, "off", {"lns": True, "identical": True})
    assert policy("pcp19(limit=2s,longest=3s)").patience.longest == 3.0
    assert policy("hcp19(deterministic=0.5)").patience == Patience(0.5, 8.0, deterministic=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit=0s", "limit should be a duration above 0 with a unit"),
        ("limit=2s,longest=1s", "the longest limit should be no less than the first"),
        ("deterministic=1,limit=1s", "limit would have no effect beside 'deterministic'"),
        ("deterministic=1,longest=1s", "longest would have no effect"),
        ("extensions=0", "extensions should be a whole number of 1 or more"),
        ("jobs=0", "jobs should be a whole number of 1 or more"),
        ("hint=perhaps", "hint should be lists, search or off, found 'perhaps'"),
        ("lns=perhaps", "lns should be on or off"),
        ("objective=AF", "objective"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        policy(f"pcp21({text})")


def test_variants_are_for_those_that_have_them():
    with pytest.raises(InputError, match="lns"):
        policy("pcp19(lns=on)")


# ---- Replays ----


@pytest.mark.parametrize(
    "variant",
    broad(
        [*NAMES, "pcp21,lns=on", "pcp21,identical=on", "pcp21,hint=off", "pcp21,hint=search"],
    ),
)
@pytest.mark.parametrize("cluster", [MIXED, ALIKE], ids=lambda cluster: cluster.name)
def test_every_schedule_is_feasible_and_comes_again(variant, cluster):
    jobs = some_work(3, gpus=cluster is MIXED)
    if cluster is ALIKE:
        cores = np.minimum(jobs.per_unit["cores"], 2)
        jobs = jobs.replace(per_unit={"cores": cores}, demand=jobs.units * cores)
    name, _, options = variant.partition(",")
    chosen = policy(f"{name}(deterministic=0.004{',' * bool(options)}{options})")
    first, second = (simulate(jobs, cluster, chosen, Exact()) for _ in range(2))
    assert check_schedule(jobs, cluster, first.schedule).ok
    assert first.schedule.start.tolist() == second.schedule.start.tolist()
    assert first.schedule.ran.all()
    notes = first.rounds.notes
    assert set(notes) >= NOTES
    if name == "pcp-auto":
        assert set(notes["chosen"][np.isfinite(notes["chosen"])]) <= {0.0, 1.0}


@pytest.mark.parametrize("name", broad([*NAMES, "pcp21,lns=on"]))
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
    name, _, option = name.partition(",")
    chosen = policy(f"{name}(deterministic=0.002{',' * bool(option)}{option})")
    done = simulate(jobs, 4, chosen, Exact())
    assert check_schedule(jobs, Cluster.pool(4), done.schedule).ok
    assert done.schedule.allocation is None


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
        done = simulate(jobs, cluster, policy(f"{name}(deterministic=0.01)"), Exact())
        assert check_schedule(done.workload, cluster, done.schedule).ok, name


@pytest.mark.parametrize("name", broad(NAMES))
def test_dispatchers_keep_the_contract(name):
    report = check_policy(policy(f"{name}(deterministic=0.001)"), jobs=6)
    assert report.ok, report.problems


def test_a_node_that_is_drained_is_not_free_when_its_outage_ends():
    # Node 0 is out from 5 to 10, and job 1 may go on there until 100: job 2 can only run on it after that.
    outages = (Outage((0,), 5, 10, kill=False),)
    one = Cluster(
        "one", (NodeGroup("a", 1, {"cores": 2}), NodeGroup("b", 1, {"cores": 1})), outages=outages
    )
    jobs, _ = pair_of_nodes([(0, 1, 2, 100), (6, 1, 2, 5), (7, 1, 1, 5), (7, 1, 1, 6)])
    for view in views_of(jobs, one):
        if view.now == 7:
            found, best = problem(view)
            answer = find_with(Pcp21Model, Task(view, found, best, True, LITTLE))
            two = found.job.tolist().index(1)
            assert answer.plan.start[two] == 93


def test_many_more_jobs_than_take_part():
    jobs = some_work(7, jobs=20)
    done = simulate(jobs, MIXED, policy("pcp21(deterministic=0.01,jobs=3)"), Exact())
    assert check_schedule(jobs, MIXED, done.schedule).ok
    assert np.nanmax(done.rounds.notes["jobs"]) == 3


# ---- Models, exact on small rounds ----


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(6, few=2)))
def test_models_agree_and_their_plans_can_be_followed(seed):
    """Proven plans: PCP'19 is free to spread units in time as it likes; PCP'21 wants them in one piece, which
    may cost; the scheduling model is a bound for both.
    """
    view = crowded(seed, jobs=10)
    found, best = problem(view)
    values = {}
    for model in (SchedulingModel, *EXACT_MODELS):
        answer = find_with(model, Task(view, found, best, True, LITTLE))
        assert answer.ended == PROOF
        values[model] = found.slowdown(answer.plan.start)
        assert answer.bound == pytest.approx(values[model], rel=1e-5)
        if model is not SchedulingModel:
            check_plan(view, found, answer.plan)
    assert values[SchedulingModel] <= values[Pcp19Model] + 1e-6
    assert values[Pcp19Model] <= values[Pcp21Model] + 1e-6
    assert values[Pcp21Model] == pytest.approx(values[IdenticalNodesModel], rel=1e-6)
    assert (
        values[Pcp21Model]
        <= found.slowdown(in_one_piece(found, best, taken_boxes(found)).plan.start) + 1e-6
    )


def test_without_a_hint_the_same_is_proven():
    view = crowded(2, jobs=8)
    found, best = problem(view)
    for model in EXACT_MODELS:
        with_hint, without = (
            find_with(model, Task(view, found, best, hinted, LITTLE)) for hinted in (True, False)
        )
        assert found.slowdown(with_hint.plan.start) == pytest.approx(
            found.slowdown(without.plan.start)
        )


def test_the_variables_of_pcp21_do_not_grow_with_the_machine():
    view = crowded(1)
    found, best = problem(view)
    rows = len(found.capacity)
    larger = replace(
        found,
        capacity=np.repeat(found.capacity, 10, axis=0),
        may=np.repeat(found.may, 10, axis=1),
        taken=found.taken._replace(node=10 * found.taken.node),
    )
    where = tuple({10 * node: count for node, count in nodes.items()} for nodes in best.where)
    assert Pcp21Model.size(larger) == Pcp21Model.size(found)
    small = Pcp21Model(found, best, hinted=True)
    large = Pcp21Model(larger, best._replace(where=where), hinted=True)
    assert large.variables == small.variables == Pcp21Model.size(found)
    assert Pcp19Model.size(larger) > 5 * Pcp19Model.size(found)
    assert Pcp19Model(found, best, hinted=True).variables == Pcp19Model.size(found)
    assert len(larger.capacity) == 10 * rows


@pytest.mark.draws
@pytest.mark.parametrize("cluster", ["mixed", "own"])
def test_hints_are_complete_and_keep_every_constraint(cluster):
    """With every variable fixed to its hint, the model has a plan: the one it began with."""
    for seed in range(draws(4, few=2)):
        view = crowded(seed, {"mixed": MIXED, "own": OWN}[cluster], gpus=cluster == "mixed")
        found, best = problem(view)
        for model in EXACT_MODELS:
            made = model(found, best, hinted=True)
            hint = made.cp.proto.solution_hint
            assert model is Pcp19Model or len(hint.vars) == made.variables
            if cluster == "own" and model is Pcp19Model:
                continue  # its copies are on nodes of one kind, where the list plan need not be
            for place, value in zip(list(hint.vars), list(hint.values), strict=True):
                made.cp.add(made.cp.get_int_var_from_proto_index(place) == value)
            outcome = solve(made, LITTLE)
            assert outcome.values is not None, (seed, model)


@pytest.mark.draws
def test_nothing_is_proven_of_nodes_of_ones_own_that_differ():
    for seed in range(draws(3, few=1)):
        view = crowded(seed, OWN, gpus=False)
        found, best = problem(view)
        assert found.restricted
        for name in ("pcp19", "pcp21", "pcp21s"):
            answer = METHODS[name].find(Task(view, found, best, True, LITTLE))
            assert not answer.proven
            assert np.isnan(answer.bound)
            if name != "pcp21s" and answer.plan is not None:
                check_plan(view, found, answer.plan)


def test_twins_start_in_their_order():
    jobs = work([(0, 4, 4, 0, 0, 30), *((1, 1, 2, 0, 0, 10) for _ in range(6))])
    view = max(views_of(jobs, MIXED), key=lambda view: len(view.queue))
    found, best = problem(view)
    groups = twins(found)
    assert [len(group) for group in groups] == [len(found)]
    answer = find_with(Pcp21Model, Task(view, found, best, True, LITTLE))
    assert (np.diff(answer.plan.start[groups[0]]) >= 0).all()


# ---- Parts ----


def test_the_plan_of_the_order_search_has_nodes():
    aim = f"packwise(objective=BSLD,local=E^-1,budget={BUDGET},window=%s)"
    rounds = same = 0
    for view in (one for seed in range(2) for one in views_of(some_work(seed, jobs=20), MIXED)):
        if not any(fits_on_nodes(view.nodes, job) for job in view.queue.tolist()):
            continue
        found, _ = problem(view)
        plan = searched_plan(view, found.job, seed=0)
        check_plan(view, found, plan)
        decision = policy(aim % max(2, len(found))).decide(view)
        wanted = [decision.planned.get(job, view.now) - view.now for job in found.job.tolist()]
        same += plan.start.tolist() == wanted
        rounds += 1
    assert rounds > 10
    assert (
        same > 0.8 * rounds
    )  # a job that starts now may have been placed behind one that starts later


def test_instances_are_coarse_but_no_more_is_free():
    view = crowded(4)
    found, _ = problem(view)
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


def test_arrays_tell_where_nodes_begin():
    arrays = Arrays.of(np.array([[4, 0], [4, 0], [4, 2], [4, 2], [8, 2]]))
    assert arrays.runs == [(0, 1), (2, 3), (4, 4)]
    cores, gpus = arrays.rows
    assert cores.first.tolist() == [0, 4, 8, 12, 16]
    assert gpus.first.tolist() == [0, 0, 0, 2, 4]
    assert cores.is_even(arrays.runs[:2])
    assert not cores.is_even(arrays.runs)
    assert gpus.is_even(arrays.runs[1:])
    assert not gpus.is_even(arrays.runs[:2])


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


def test_nodes_that_are_alike_come_last():
    view = crowded(1)
    found, _ = problem(view)
    arranged = arrange(found)
    tail = arranged.instance.capacity[arranged.first :]
    assert (tail == tail[0]).all()
    assert sorted(arranged.old.tolist()) == list(range(len(found.capacity)))
    assert arranged.instance.capacity.tolist() == found.capacity[arranged.old].tolist()
    last = range(arranged.first, len(arranged.old))
    free = [arranged.instance.free_over_time(node)[1].tolist() for node in last]
    assert all(one == free[0] for one in free)


def test_a_neighbourhood_has_those_who_start_about_then():
    view = crowded(8, jobs=30)
    found, best = problem(view)
    task = Task(view, found, best, True, LITTLE)
    for seed in range(5):
        chosen = neighbourhood(task, best, np.random.default_rng(seed))
        assert len(chosen) == min(10, len(found)) == len(set(chosen.tolist()))


def test_a_part_of_an_instance_holds_the_rest_where_it_is():
    view = crowded(8, jobs=20)
    found, best = problem(view)
    free, others = np.arange(3), np.arange(3, len(found))
    part = found.part(free, best, others)
    answer = find_with(
        Pcp19Model,
        Task(view, part, Plan(best.start[free], best.where[:3]), True, LITTLE),
    )
    start = best.start.copy()
    start[free] = answer.plan.start
    whole = Plan(start, (*answer.plan.where, *best.where[3:]))
    check_plan(view, found, whole)
    assert found.slowdown(whole.start) <= found.slowdown(best.start) + 1e-9


# ---- Patience ----


def test_limits_double_up_to_the_longest():
    assert list(Patience(1.0, 16.0).moments()) == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert list(Patience(1.0, 5.0).moments()) == [1.0, 2.0, 4.0, 5.0]
    assert list(Patience(3.0, 3.0).moments()) == [3.0]


def test_it_gives_up_after_two_extensions_without_a_better_plan():
    progress = Progress(Patience())
    assert [progress.at_limit(cost) for cost in (9.0, 9.0, 8.0, 8.0, 8.0)] == [False] * 4 + [True]
    progress = Progress(Patience())  # as long as there is no plan, it goes on
    assert [progress.at_limit(cost) for cost in (None, None, None, None, 5.0)] == [False] * 5


@pytest.mark.parametrize(
    ("searches", "ended", "extensions"),
    [
        # Costs by the work that it took, and the status: nothing better after 1 and after 2.
        ([(2, [(0.1, 9.0)])], NO_BETTER, 2),
        ([(4, [(0.1, 9.0)])], PROOF, 0),
        # Better between 1 and 2, so on to 8, which brings nothing.
        ([(2, [(0.1, 9.0), (1.5, 8.0)]), (2, [(0.1, 8.0)])], NO_BETTER, 3),
        # Better between 2 and 4, and again between 4 and 8: to the end.
        ([(2, [(3.0, 9.0)]), (2, [(0.1, 8.0)]), (2, [(0.1, 7.0)])], LONGEST, 4),
        # No plan until after 8.
        ([(0, []), (0, []), (2, [(0.1, 7.0)])], LONGEST, 4),
        ([(0, []), (0, []), (4, [(0.1, 7.0)])], PROOF, 4),
    ],
)
def test_a_search_step_by_step(monkeypatch, searches, ended, extensions):
    view = crowded(1)
    found, best = problem(view)
    model = SchedulingModel(found, best, hinted=True)
    amounts, left = [], list(searches)

    def search(cp, wanted, limits, amount, **_):
        amounts.append(amount)
        status, costs = left.pop(0)
        if not costs:
            return Answer(status, None, float("nan"), amount)
        values, solution = np.zeros(len(wanted), np.int64), [0] * model.variables
        work = 0.5 if status == 4 else amount
        return Answer(status, values, 1.0, amount, costs[-1][1], solution, work, 1, costs)

    monkeypatch.setattr("packwise.optimise.cp.nodes.patience.search", search)
    outcome = solve(model, Patience(1.0, 16.0, deterministic=True))
    assert (outcome.ended, outcome.extensions) == (ended, extensions)
    assert amounts == [4.0, 4.0, 8.0][: len(searches)]


@pytest.mark.parametrize(
    ("looks", "ended", "extensions"),
    [
        ([(1.1, 9.0), (2.1, 9.0), (4.1, 9.0)], NO_BETTER, 2),
        ([(1.1, 9.0), (2.1, 8.0), (4.1, 8.0), (8.1, 7.0)], LONGEST, 4),
        ([(1.1, None), (2.1, None), (4.1, None), (8.1, None)], LONGEST, 4),
        (
            [(4.5, 9.0)],
            NO_BETTER,
            2,
        ),  # looked at late: the limits that have passed have all brought nothing
    ],
)
def test_a_search_that_goes_on(monkeypatch, looks, ended, extensions):
    view = crowded(1)
    found, best = problem(view)
    model = SchedulingModel(found, best, hinted=True)
    asked = []

    def search(cp, wanted, limits, amount, look, **_):
        asked.append(amount)
        for seconds, cost in looks:
            if look(seconds, cost):
                break
        return Answer(2, np.zeros(len(wanted), np.int64), 1.0, 1.0, 9.0)

    monkeypatch.setattr("packwise.optimise.cp.nodes.patience.search", search)
    outcome = solve(model, Patience(1.0, 16.0))
    assert asked == [16.0]  # one search, not one for each limit
    assert (outcome.ended, outcome.extensions) == (ended, extensions)


def test_wall_time_stops_a_search_for_good():
    view = crowded(11, jobs=60)
    found, best = problem(view)
    outcome = solve(Pcp21Model(found, best, hinted=True), Patience(0.01, 0.04, workers=1))
    assert outcome.status in (0, 2, 4)


# ---- What fails ----


@pytest.mark.parametrize("name", NAMES)
def test_a_solver_that_fails_leaves_the_list_plan(monkeypatch, name):
    def search(*_, **__):
        raise SolverFailed("it broke")

    monkeypatch.setattr("packwise.optimise.cp.nodes.patience.search", search)
    jobs = some_work(3)
    done = simulate(jobs, MIXED, policy(name), Exact())
    notes = done.rounds.notes
    solved = np.isfinite(notes["fallback"])
    assert solved.any()
    assert (notes["fallback"][solved] == 1).all()
    assert (notes["ended"][solved] == FAILED).all()
    assert check_schedule(jobs, MIXED, done.schedule).ok


@pytest.mark.parametrize("name", ["pcp19", "pcp21"])
def test_a_solver_without_a_plan_in_time_leaves_the_list_plan(monkeypatch, name):
    monkeypatch.setattr(
        "packwise.optimise.cp.nodes.patience.search",
        lambda *_, **__: Answer(0, None, float("nan"), 1.0),
    )
    jobs = some_work(3)
    done = simulate(jobs, MIXED, policy(f"{name}(deterministic=1)"), Exact())
    notes = done.rounds.notes
    assert np.nansum(notes["fallback"]) == np.isfinite(notes["fallback"]).sum() > 0
    assert set(notes["ended"][np.isfinite(notes["ended"])]) == {LONGEST}
    assert check_schedule(jobs, MIXED, done.schedule).ok


def test_a_model_that_would_be_too_large_is_not_made(monkeypatch):
    monkeypatch.setattr(method_module, "MOST_VARIABLES", 3)
    jobs = some_work(3)
    done = simulate(jobs, MIXED, policy("pcp19"), Exact())
    notes = done.rounds.notes
    assert set(notes["ended"][np.isfinite(notes["ended"])]) == {TOO_LARGE}
    assert np.nanmin(notes["variables"]) > 3
    assert check_schedule(jobs, MIXED, done.schedule).ok


def test_a_mistake_of_ours_is_told(monkeypatch):
    from packwise.model.errors import PolicyFailed

    monkeypatch.setitem(METHODS, "pcp21", replace(METHODS["pcp21"], find=lambda task: 1 / 0))
    with pytest.raises(PolicyFailed, match="ZeroDivisionError"):
        simulate(some_work(3), MIXED, policy("pcp21"), Exact())


def pair_of_nodes(rows):
    """Jobs for two nodes of two cores, from (submit, units, cores, run time) tuples."""
    submit, units, cores, runtime = np.array(rows, np.int64).T
    jobs = Workload(
        name="pair",
        id=np.arange(1, len(rows) + 1),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=units * cores,
        units=units,
        per_unit={"cores": cores},
    )
    return jobs, Cluster("pair", (NodeGroup("cpu", 2, {"cores": 2}),))


def test_hcp19_postpones_whom_no_node_has_room_for():
    # One core is taken on each node. Job 3 (a unit of two cores) fits by the number of cores, so the solver
    # wants it now, and no node has it. Job 4 (two units of a core) fits: the schedule is made again without
    # job 3 now.
    jobs, pair = pair_of_nodes([(0, 1, 1, 3600), (0, 1, 1, 3600), (1, 1, 2, 1), (1, 2, 1, 20)])
    done = simulate(jobs, pair, policy("hcp19(deterministic=0.1)"), Exact(), placement="balanced")
    assert check_schedule(jobs, pair, done.schedule).ok
    assert done.schedule.start.tolist() == [0, 0, 3600, 1]
    assert len(done.rounds) < 10  # it is not woken again and again


# ---- One that chooses ----


def test_requests_that_are_alike():
    found, _ = problem(crowded(1))
    assert not alike(found)
    same = replace(found, need=np.ones_like(found.need), may=np.ones_like(found.may))
    assert alike(same)


def test_the_choice_goes_by_what_was_gained():
    found, _ = problem(crowded(1))
    new = (Record(), Record())
    assert CHOICES[choose(found, new)][0] == "pcp21"
    bad = (Record(0.1), Record(0.5))
    assert CHOICES[choose(found, bad)][0] == "pcp21s"
    again = (Record(0.1, idle=20), Record(0.5))
    assert CHOICES[choose(found, again)][0] == "pcp21"
    same = replace(found, need=np.ones_like(found.need), may=np.ones_like(found.may))
    assert CHOICES[choose(same, new)][0] == "pcp21s"


# ---- Any case ----


@settings(max_examples=draws(15))
@given(seed=st.integers(0, 10_000), name=st.sampled_from(["pcp19", "pcp21", "pcp21s", "hcp19"]))
def test_any_small_case(seed, name):
    jobs = some_work(seed, jobs=8)
    done = simulate(jobs, MIXED, policy(f"{name}(deterministic=0.005)"), Exact())
    assert check_schedule(jobs, MIXED, done.schedule).ok
    assert done.schedule.ran.all()


def test_a_guess_of_what_it_takes():
    """Of a limit in seconds these count, of one in work what it takes; and a model has to be made."""
    seconds = [
        policy(f"pcp21({limit})").seconds_per_job
        for limit in (
            "deterministic=0.0002",
            "deterministic=0.002",
            "limit=0.1s,longest=1s",
            "limit=1s",
        )
    ]
    assert 0.05 < seconds[0] < seconds[1] < seconds[2] < seconds[3]
