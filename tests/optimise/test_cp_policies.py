"""The policies of constraint programming: names, parameters, replays, and solvers that fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from packwise import Cluster, Exact, Policy, Workload, check_policy, simulate
from packwise.feasibility import check_schedule
from packwise.model.errors import InputError, PolicyFailed, SolverFailed, UnknownName
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.cp import policy as policy_module
from packwise.optimise.cp import search as search_module
from packwise.optimise.cp import solve as solve_module
from packwise.optimise.cp.backfill import backfill
from packwise.optimise.cp.policies import CP_POLICIES
from packwise.optimise.cp.search import Answer
from packwise.optimise.round import Round
from packwise.registry import estimate, policy
from tests.lanes import broad

pytest.importorskip("ortools")

NAMES = ["cp-af", "cp-awf", "cp-bsld", "cp-p2sf", "cp-bsld+", "cp-p2sf+"]
NOTES = {
    "jobs",
    "variables",
    "constraints",
    "build_seconds",
    "solve_seconds",
    "status",
    "objective",
    "bound",
    "gap",
    "improved",
    "fallback",
}


def a_view(demand, runtime, *, free=6, submit=None, running=()) -> View:
    """Jobs that wait at 100, and running ones as (demand, end)."""
    n, now = len(demand), 100
    none = np.full(n + len(running), -1)
    return View(
        now,
        free + sum(r for r, _ in running),
        free,
        np.arange(n),
        np.arange(n, n + len(running)),
        np.array([end for _, end in running], np.int64),
        np.array([*(submit or [now] * n), *(0 for _ in running)]),
        np.array([*demand, *(r for r, _ in running)]),
        np.array([*runtime, *(end for _, end in running)]),
        *(none,) * 4,
        np.full(n + len(running), -1),
        np.full(n + len(running), NO_DEADLINE),
    )


def a_workload(jobs: int = 25, seed: int = 1) -> Workload:
    rng = np.random.default_rng(seed)
    runtime = rng.integers(1, 300, jobs)
    return Workload(
        name="small",
        id=np.arange(1, jobs + 1),
        submit=np.sort(rng.integers(0, 20 * jobs, jobs)),
        demand=rng.integers(1, 9, jobs),
        runtime=runtime,
        requested_time=runtime + rng.integers(0, 600, jobs),
    )


#: One wide job that must wait for the running one, and two that fit in front of it.
CROWDED = a_view([8, 4, 3], [50, 30, 20], submit=[10, 20, 30], running=[(2, 130)])


def test_the_names():
    assert [p.name for p in CP_POLICIES] == NAMES
    for name in NAMES:
        found = policy(name)
        assert isinstance(found, Policy)
        assert policy(f" {name.upper()}( limit = 500ms )").limit == 0.5
        assert policy(f"{name}()").limit == 20
    assert policy("CP-BSLD+(Limit=2m, workers=3)").name == "cp-bsld+(limit=2m,workers=3)"


def test_the_parameters():
    found = policy("cp-awf(limit=1s,extension=0s,workers=2,seed=7,jobs=30,hint=off)")
    assert (found.limit, found.extension, found.workers) == (1.0, 0.0, 2)
    assert (found.seed, found.jobs, found.hint) == (7, 30, "off")
    assert policy("cp-awf(deterministic=0.5)").deterministic == 0.5
    for known in CP_POLICIES:
        assert all(known.parameters.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit=0s", "limit should be a duration above 0 with a unit"),
        ("limit=-1s", "found '-1s'"),
        ("limit=20", "such as 500ms, 1s or 2m, found '20'"),
        ("limit=1e9h", "found '1e9h'"),
        ("limit=", "found 'limit='"),
        ("extension=soon", "extension should be a duration of 0s or more"),
        ("deterministic=0", "deterministic should be a number above 0"),
        ("deterministic=1s", "without a unit, found '1s'"),
        ("deterministic=nan", "found 'nan'"),
        ("deterministic=1,limit=1s", "limit would have no effect"),
        ("deterministic=1,limit=1s,extension=1s", "extension and limit would have no effect"),
        ("workers=0", "workers should be a whole number of 1 or more, found '0'"),
        ("jobs=0", "jobs should be a whole number of 1 or more"),
        ("jobs=ten", "found 'ten'"),
        ("seed=-1", "seed should be a whole number of 0 or more"),
        ("hint=maybe", "hint should be lists, search or off"),
        ("limits=1s", "Did you mean limit"),
    ],
)
def test_wrong_parameters(text, message):
    with pytest.raises(InputError) as caught:
        policy(f"cp-af({text})")
    assert message in str(caught.value)


def test_what_a_search_begins_with():
    assert [policy(name).hint for name in ("cp-af", "cp-p2sf", "cp-bsld+")] == [
        "lists",
        "search",
        "off",
    ]
    assert policy("cp-p2sf").parts == ("plans", "search")
    assert policy("cp-p2sf(hint=lists)").parts == policy("cp-af").parts == ("plans",)
    asked = policy("cp-af(hint=search,deterministic=1e-7)").decide(CROWDED)
    lists = policy("cp-af(hint=lists,deterministic=1e-7)").decide(CROWDED)
    assert asked.notes["objective"] <= lists.notes["objective"]


def test_the_plus_always_begins_with_lists():
    with pytest.raises(UnknownName, match="unknown parameter 'hint'"):
        policy("cp-bsld+(hint=off)")


@pytest.mark.parametrize("name", NAMES)
def test_a_round(name):
    decision = policy(f"{name}(deterministic=0.05)").decide(CROWDED)
    assert set(decision.start) | set(decision.planned) == {0, 1, 2}
    assert set(decision.notes) == NOTES
    notes = decision.notes
    assert (notes["jobs"], notes["fallback"], notes["status"]) == (3, 0, 4)
    assert notes["bound"] == pytest.approx(notes["objective"], rel=1e-6)
    assert notes["gap"] == pytest.approx(0, abs=1e-6)
    assert notes["variables"] >= 3
    assert notes["constraints"] >= 5


def test_the_starts_of_a_round_by_hand():
    """The shortest now, the next as soon as it has ended, the wide one when both have: 0 + 20 + 50."""
    decision = policy("cp-af(deterministic=0.05)").decide(CROWDED)
    assert decision.start.tolist() == [2]
    assert decision.planned == {1: 120, 0: 150}
    assert decision.wake_at == min(decision.planned.values())


def test_a_job_that_is_delayed_on_purpose_wakes_the_policy():
    decision = policy("cp-p2sf(deterministic=0.05)").decide(CROWDED)
    assert decision.wake_at == min(decision.planned.values())


def test_nothing_to_decide():
    for name in NAMES:
        found = policy(name)
        everything = found.decide(a_view([2, 3], [10, 10]))
        assert everything.start.tolist() == [0, 1]
        nothing = found.decide(a_view([4, 5], [10, 10], free=3, running=[(3, 150)]))
        assert (len(nothing.start), nothing.notes) == (0, {})
        assert len(found.decide(a_view([], [])).start) == 0


@pytest.mark.parametrize(
    "name",
    broad(
        [
            "cp-af(deterministic=0.0001)",
            "cp-awf(deterministic=0.0001,hint=off)",
            "cp-bsld+(deterministic=0.0001,jobs=3)",
            "cp-p2sf(deterministic=0.0001,jobs=2)",
        ],
    ),
)
def test_the_contract(name):
    report = check_policy(policy(name), jobs=6)
    assert report.ok, report.problems


@pytest.mark.parametrize("believed", ["exact", "requested"])
def test_a_replay_under_a_limit_on_wall_time(believed):
    workload, cluster = a_workload(), Cluster.pool(8)
    found = policy("cp-awf(limit=10ms,workers=1)")
    run = simulate(workload, cluster, found, estimate(believed))
    assert not check_schedule(workload, cluster, run.schedule).violations
    searched = ~np.isnan(run.rounds.notes["status"])
    assert 0 < searched.sum() < len(run.rounds)


def test_a_deterministic_limit_gives_the_same_schedule_twice():
    found = policy("cp-p2sf+(deterministic=0.0005)")
    starts = [
        simulate(a_workload(10), Cluster.pool(8), found, estimate("exact")).schedule.start
        for _ in range(2)
    ]
    assert np.array_equal(*starts)


def test_the_head_of_the_queue_is_planned_and_the_rest_filled_in():
    """Two of four in the model; the others move neither, and fill what is left, first come first."""
    view = a_view([6, 6, 2, 4], [50, 30, 25, 30], free=6)
    decision = policy("cp-af(deterministic=0.05,jobs=2)").decide(view)
    assert decision.notes["jobs"] == 2
    assert decision.start.tolist() == [1]
    assert decision.planned == {0: 130, 2: 180, 3: 180}
    all_of_them = policy("cp-af(deterministic=0.05,jobs=9)").decide(view)
    assert all_of_them.notes["jobs"] == 4


def test_backfill_keeps_what_is_planned():
    round = Round.from_view(a_view([4, 6, 2, 2], [10, 20, 10, 15], running=[(2, 105)]))
    plan = backfill(round, np.array([100, 110]))
    round.check(plan)
    assert plan.tolist() == [100, 110, 100, 105]


def failing(error):
    def fail(*_, **__):
        raise error

    return fail


def answering(answer):
    return lambda *_, **__: answer


@pytest.mark.parametrize(
    ("place", "status"),
    [
        (("search", failing(SolverFailed("broken"))), -1),
        (("search", answering(Answer(1, None, float("nan"), 0.0))), 1),
        (("search", answering(Answer(0, None, float("nan"), 0.0))), 0),
        (("search", answering(Answer(17, None, float("nan"), 0.0))), 17),
        # All at once: more than there is.
        (("search", answering(Answer(4, np.zeros(3, np.int64), 0.0, 0.0))), -1),
        # Before now.
        (("search", answering(Answer(2, np.array([-5, 0, 50]), 0.0, 0.0))), -1),
    ],
)
def test_a_solver_that_fails_is_counted_and_replaced(monkeypatch, place, status):
    monkeypatch.setattr(solve_module, *place)
    round = Round.from_view(CROWDED)
    in_order = round.insert(round.order_by())
    for name in ("cp-af(hint=off)", "cp-awf", "cp-bsld+", "cp-p2sf", "cp-p2sf+"):
        decision = policy(name).decide(CROWDED)
        assert decision.notes["fallback"] == 1, name
        assert decision.notes["improved"] == 0
        assert decision.notes["status"] == status, name
        assert np.isnan(decision.notes["bound"])
        assert np.isnan(decision.notes["gap"])
        if "off" in name or name == "cp-p2sf+":
            assert set(decision.start) == set(np.flatnonzero(in_order == 100))
    # It does so in every round of a replay, and the replay goes on.
    run = simulate(a_workload(12), Cluster.pool(8), policy("cp-af(hint=off)"), estimate("exact"))
    assert np.nansum(run.rounds.notes["fallback"]) > 0
    listed = simulate(a_workload(12), Cluster.pool(8), policy("list-reg"), estimate("exact"))
    assert np.array_equal(run.schedule.start, listed.schedule.start)


@pytest.mark.parametrize("error", [RuntimeError("broken"), MemoryError(), TypeError("theirs")])
@pytest.mark.parametrize("method", ["solve", "best_objective_bound"])
def test_what_the_solver_raises_is_a_failure_of_the_solver(monkeypatch, error, method):
    from ortools.sat.python.cp_model import CpSolver

    broken = failing(error)
    monkeypatch.setattr(CpSolver, method, broken if method == "solve" else property(broken))
    decision = policy("cp-af(limit=1s)").decide(CROWDED)
    assert (decision.notes["fallback"], decision.notes["status"]) == (1, -1)
    with pytest.raises(SolverFailed, match=f"CP-SAT raised {type(error).__name__}"):
        solve_module.solve_round(Round.from_view(CROWDED), "AF", limit=1.0)


@pytest.mark.parametrize(
    "error", [TypeError("ours"), AssertionError(), InputError("ours"), OverflowError("ours")]
)
@pytest.mark.parametrize(
    "place", [(solve_module, "Model"), (solve_module, "search"), (policy_module, "solve_round")]
)
def test_a_mistake_of_ours_is_no_failure_of_the_solver(monkeypatch, place, error):
    monkeypatch.setattr(*place, failing(error))
    for name in ("cp-af(hint=off)", "cp-awf", "cp-bsld+", "cp-p2sf"):
        with pytest.raises(type(error)):
            policy(f"{name}").decide(CROWDED)
    with pytest.raises((PolicyFailed, InputError), match=r"ours|AssertionError"):
        simulate(a_workload(12), Cluster.pool(8), policy("cp-af"), estimate("exact"))


def test_more_time_where_no_plan_was_found(monkeypatch):
    """Twice the limit, as in the paper (20 s and 40 s), and none where the lists have a plan.

    The limits are longer than any machine takes for these rounds.
    """
    asked: list[float] = []
    real = solve_module.search

    def second_time_lucky(model, wanted, limits, amount):
        asked.append(limits.amount)
        if len(asked) == 1:
            return Answer(0, None, float("nan"), amount)
        return real(model, wanted, limits, amount)

    monkeypatch.setattr(solve_module, "search", second_time_lucky)
    decision = policy("cp-af(limit=10m,hint=off)").decide(CROWDED)
    assert asked == [600.0, 1200.0]
    assert decision.notes["fallback"] == 0
    for name, amounts in (
        ("cp-af(limit=10m,hint=off,extension=50m)", [600.0, 3000.0]),
        ("cp-af(limit=10m,hint=off,extension=0s)", [600.0]),
        ("cp-af(limit=10m)", [600.0]),
    ):
        asked.clear()
        policy(name).decide(CROWDED)
        assert asked == amounts


def test_the_plus_shares_its_limit(monkeypatch):
    asked: list[tuple[int, float]] = []

    def note(round, metric, *, hints, limit, **_):
        asked.append((len(hints), limit))
        raise SolverFailed

    monkeypatch.setattr(policy_module, "solve_round", note)
    policy("cp-bsld+(limit=8s)").decide(CROWDED)
    assert asked == [(1, 2.0), (1, 2.0), (1, 2.0), (0, 2.0)]


def test_without_or_tools(monkeypatch):
    for module in ("ortools", "ortools.sat", "ortools.sat.python"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=r"pip install 'packwise\[cp\]'"):
        simulate(a_workload(), Cluster.pool(8), policy("cp-af"))


def test_ctrl_c_passes_through(monkeypatch):
    monkeypatch.setattr(solve_module, "search", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        policy("cp-af").decide(CROWDED)


def test_an_error_of_the_solver_arrives(monkeypatch):
    class Broken:
        def solve(self, model):
            raise ValueError("from the thread")

    with pytest.raises(SolverFailed, match="CP-SAT raised ValueError: from the thread"):
        search_module._interruptible(Broken(), None)


@pytest.mark.kills
@pytest.mark.skipif(os.name != "posix", reason="signals of another process")
def test_ctrl_c_ends_a_search_and_the_replay():
    """A round that would take an hour. A first replay compiles what is compiled."""
    code = textwrap.dedent(
        """
        import threading
        import numpy as np
        from packwise import Cluster, Workload, simulate
        from packwise.registry import policy

        rng = np.random.default_rng(0)
        runtime = rng.integers(10, 20000, 60)
        workload = Workload("at once", np.arange(60), np.zeros(60, np.int64), runtime, runtime,
                            rng.integers(1, 60, 60))
        simulate(workload.select(np.arange(5)), Cluster.pool(100), policy("cp-af(limit=1ms)"))
        try:
            threading.Timer(1.0, lambda: print("on", flush=True)).start()
            simulate(workload, Cluster.pool(100), policy("cp-af(limit=1h)"))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "on\n"
            child.send_signal(signal.SIGINT)
            assert child.communicate(timeout=600)[0] == "interrupted\n"
            assert child.returncode == 0  # a search still under way would abort it
        finally:
            child.kill()


def test_a_grace_of_bounded_slowdown_stalls_nobody():
    """Jobs below ten seconds may wait a while for nothing; a plan that lets all of them wait must not."""
    jobs = Workload.of([(100, 4, 1, 1), (100, 4, 1, 1), (100, 3, 2, 2)])
    chosen = policy("cp-bsld(hint=off,deterministic=1,seed=1)")
    run = simulate(jobs, Cluster.pool(4), chosen, Exact())
    assert run.schedule.start.min() == 100
    assert run.schedule.ran.all()
