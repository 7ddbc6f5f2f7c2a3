"""The optimising policy by name: what it accepts, what it refuses, and what users' costs do to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from packwise import Cluster, Exact, Requested, simulate
from packwise.feasibility import check_schedule
from packwise.model import Workload
from packwise.model.errors import InputError, PolicyFailed, UnknownName
from packwise.optimise.job_cost import job_cost
from packwise.optimise.objectives import objective, users_objective
from packwise.optimise.policy import SearchPolicy
from packwise.registry import policy
from packwise.workloads.lublin import generate
from tests.lanes import broad

BUSY = generate(150, 32, 5, load=1.2)
BUSY_FOR_LONG = generate(300, 32, 5, load=1.1)
POOL = Cluster.pool(32)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("packwise(objective=SPEED)", r"unknown objective 'SPEED'.*AF, AWF, BSLD, P2SF"),
        ("packwise(objective=AF-AWF)", "expected a metric such as AF, or a sum"),
        ("packwise(objective=0*AF+AWF)", "greater than zero"),
        ("packwise(objective=P99SF)", "a level of at most 10"),
        ("packwise(objective=)", "expected parameter=value, found 'objective='"),
        (f"packwise(objective={'9' * 100_000}*AF)", r"at most 200 letters, found 100,003"),
        (f"packwise(objective={'9' * 100_000})", r"expected at most 200 letters"),
        (f"packwise(objective={'+' * 201})", r"expected at most 200 letters"),
        (f"packwise(local=r^{'9' * 100_000}x)", r"local 'r\^9+\.\.\.': expected at most 200"),
        ("packwise(budget=0)", r"at least 1 and at most .*, found '0'. .*search=off"),
        ("packwise(budget=-5)", "at least 1 and at most .* found '-5'"),
        (
            "packwise(budget=many)",
            "whole number of at least 1 and at most 1,000,000,000, found 'many'",
        ),
        ("packwise(budget=99999999999999)", "whole number"),
        ("packwise(window=1)", "at least 2"),
        ("packwise(seed=-1)", "at least 0"),
        ("packwise(temperature=hot)", "a number from 0 to 100"),
        ("packwise(temperature=nan)", "a number from 0 to 100"),
        ("packwise(search=maybe)", "on or off"),
        ("packwise(search=off,budget=7)", "no budget"),
        ("packwise(local=r^x)", "weights such as"),
        ("packwise(local=E^-400)", "between -10 and 10"),
        ("packwise(local=F^0.5)", "the power of F should be 1 or more"),
        ("packwise(objective=1e400*AF)", "from 1e-9 to 1e9"),
        ("packwise(window=100000)", "at most 2,000"),
        ("packwise(objectiv=AF)", "unknown parameter 'objectiv'. Did you mean objective"),
        ("packwise(AF)", "expected parameter=value, found 'AF'"),
        ("packwise(seed=1,seed=2)", "given twice"),
    ],
)
def test_what_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        policy(name)


def test_an_unknown_objective_is_an_unknown_name():
    with pytest.raises(UnknownName):
        policy("packwise(objective=AFF)")


def test_names_and_settings():
    found = policy("packwise(objective=AWF, budget=7, seed=3, window=9)")
    assert isinstance(found, SearchPolicy)
    assert found.name == "packwise(objective=AWF,budget=7,seed=3,window=9)"
    assert (found.budget, found.seed, found.window) == (7, 3, 9)
    assert found.objective.metric == "AWF"
    assert policy("packwise").objective.name == "balance=0.5"
    assert policy("packwise(local=metric)").objective.name == "P2SF"
    assert policy("packwise(search=off)").budget == 0


def test_the_same_seed_gives_the_same_schedule_and_another_another():
    def start(seed: int) -> list[int]:
        chosen = SearchPolicy(objective=objective("AWF"), seed=seed)
        return simulate(BUSY, POOL, chosen, Exact()).schedule.start.tolist()

    assert start(1) == start(1)
    assert start(1) != start(2)


def test_a_round_that_list_orders_get_wrong():
    """Two jobs fill the machine for 10 s side by side; every list order that starts another first wastes it.

    Free: 4 processors. Jobs (r, E): a (3, 10), b (1, 10), c (2, 10). AWF is best with a and b now, c then.
    """
    jobs = Workload.of([(0, 4, 5, 5), (1, 2, 10, 10), (2, 3, 10, 10), (3, 1, 10, 10)])
    run = simulate(jobs, Cluster.pool(4), policy("packwise(objective=AWF)"), Exact())
    assert run.schedule.start.tolist() == [0, 15, 5, 5]


def test_sums_lie_between_their_parts():
    def values(name: str) -> tuple[float, float]:
        run = simulate(BUSY, POOL, policy(f"packwise(objective={name},local=metric)"), Exact())
        flow = run.schedule.end - BUSY.submit
        area = BUSY.demand * BUSY.runtime
        return float(flow.mean()), float((area * flow).sum() / area.sum())

    af, awf, both = values("AF"), values("AWF"), values("0.5*AF+0.5*AWF")
    assert af[0] < awf[0]
    assert awf[1] < af[1]
    assert both[0] < awf[0]
    assert both[1] < af[1]


def test_a_users_cost_is_what_it_says(tmp_path):
    """The response time as a user's cost gives the schedule of AF itself."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from packwise import job_cost\n\n\n@job_cost\n"
        "def response(start, submit, estimate):\n"
        '    """Response time."""\n    return start - submit + estimate\n'
    )
    mine = policy(f"{file}:response")
    assert mine.name == "response"
    plain = SearchPolicy(objective=objective("AF", local="metric"))
    for stepped in (False, True):
        ours = simulate(BUSY, POOL, mine, Requested(), stepped=stepped)
        theirs = simulate(BUSY, POOL, plain, Requested(), stepped=stepped)
        np.testing.assert_array_equal(ours.schedule.start, theirs.schedule.start)


@pytest.mark.parametrize("stepped", [False, True])
def test_a_cost_that_is_not_a_number(stepped):
    @job_cost
    def broken(start, submit):
        return math.log(start - submit - 1000000.0)

    mine = SearchPolicy(name="broken", objective=users_objective(broken))
    with pytest.raises(
        PolicyFailed, match=r"policy 'broken': the cost of a start is not a finite number"
    ):
        simulate(BUSY, POOL, mine, Requested(), stepped=stepped)


@pytest.mark.parametrize("stepped", [False, True])
def test_costs_whose_sum_is_not_a_number(stepped):
    @job_cost
    def huge(start, submit):
        return 1e308 + start - submit

    mine = SearchPolicy(name="huge", objective=users_objective(huge))
    with pytest.raises(PolicyFailed, match="all waiting jobs together are not a finite number"):
        simulate(BUSY, POOL, mine, Requested(), stepped=stepped)


def test_a_power_of_the_response_time_is_fairer():
    def longest(local: str) -> int:
        run = simulate(
            BUSY_FOR_LONG, POOL, policy(f"packwise(objective=AF,local={local})"), Exact()
        )
        return int((run.schedule.start - BUSY_FOR_LONG.submit).max())

    assert longest("F^3") < longest("1")


def test_a_window_larger_than_the_log_takes_no_more_room():
    wide = simulate(BUSY, POOL, policy("packwise(window=2000)"), Exact())
    whole = simulate(BUSY, POOL, policy("packwise(window=300)"), Exact())
    np.testing.assert_array_equal(wide.schedule.start, whole.schedule.start)


def test_a_cost_that_falls_with_a_later_start_is_noticed():
    @job_cost
    def late(start, submit, demand):
        return -demand * (start - submit)

    mine = SearchPolicy(objective=users_objective(late))
    run = simulate(BUSY, POOL, mine, Requested())
    assert check_schedule(run.workload, POOL, run.schedule).ok
    assert run.rounds.notes["falling_cost"][np.isfinite(run.rounds.notes["cost"])].any()
    assert np.isnan(run.rounds.notes["gap"]).all()
    stepped = simulate(BUSY, POOL, mine, Requested(), stepped=True)
    np.testing.assert_array_equal(run.schedule.start, stepped.schedule.start)


def test_costs_that_cannot_be_used():
    with pytest.raises(InputError, match="should take 'start' and others out of start, now"):
        job_cost(lambda submit: submit)
    with pytest.raises(InputError, match="found start, colour"):
        job_cost(lambda start, colour: start)


@job_cost
def misspelt(start, submit):
    return strat - submit  # noqa: F821


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (misspelt, "job cost 'misspelt' could not be compiled: NameError: name 'strat' is not"),
        (
            job_cost(lambda start: "late"),
            r"should return one number; it returns Literal",
        ),
        (job_cost(lambda start: None), "should return one number; it returns nothing"),
        (job_cost(lambda start: print), "job cost '<lambda>'"),
    ],
)
def test_costs_that_do_not_compile(cost, message):
    with pytest.raises(InputError, match=message):
        simulate(BUSY, POOL, SearchPolicy(objective=users_objective(cost)))


@pytest.mark.parametrize("stepped", [False, True])
def test_what_a_bad_cost_was_asked_and_said(stepped):
    @job_cost
    def wrong(start, submit, demand):
        if start - submit > 50:
            raise ValueError("too late")
        return float(start)

    jobs = Workload.of([(0, 3, 100, 100), (10, 2, 10, 10), (20, 1, 10, 10)])
    mine = SearchPolicy(name="mine", objective=users_objective(wrong))
    expected = "at start=100, submit=10, demand=2: it raises ValueError: too late"
    with pytest.raises(PolicyFailed, match=expected):
        simulate(jobs, Cluster.pool(4), mine, Exact(), stepped=stepped)


def test_powers_in_a_cost_do_not_overflow():
    """The numerator of P2SF, as one would write it; a day to the power of four is 5 x 10^19."""

    @job_cost
    def numerator(start, submit, demand, estimate):
        wait = start - submit
        return demand * ((wait + estimate) ** 4 - wait**4)

    aim = users_objective(numerator)
    mine = simulate(BUSY_FOR_LONG, POOL, SearchPolicy(objective=aim), Exact())
    assert np.nanmax(mine.rounds.notes["cost"]) > 2.0**63
    assert np.nansum(mine.rounds.notes["falling_cost"]) == 0


@pytest.mark.parametrize("metric", ["P1SF", "P2SF", "P3SF"])
def test_no_plan_saves_more_than_all(metric):
    run = simulate(BUSY, POOL, policy(f"packwise(objective={metric})"), Requested())
    gap = run.rounds.notes["gap"]
    assert (gap[np.isfinite(gap)] < 1.0).all()
    assert (run.rounds.notes["bound"][np.isfinite(gap)] > 0.0).all()


@pytest.mark.parametrize("metric", broad(["AF", "AWF", "BSLD", "P2SF"]))
def test_notes_of_rounds(metric):
    run = simulate(BUSY, POOL, policy(f"packwise(objective={metric})"), Requested())
    stepped = simulate(
        BUSY, POOL, policy(f"packwise(objective={metric})"), Requested(), stepped=True
    )
    notes = run.rounds.notes
    searched = np.isfinite(notes["cost"])
    assert searched.any()
    assert not searched.all()
    assert (notes["cost"][searched] <= notes["seed_cost"][searched]).all()
    assert (notes["bound"][searched] <= notes["cost"][searched] * (1 + 1e-12)).all()
    assert (notes["evaluations"][searched] > 1).all()
    for name, column in notes.items():
        np.testing.assert_allclose(column, stepped.rounds.notes[name], err_msg=name)


def test_a_queue_longer_than_the_window():
    heap = BUSY.replace(submit=np.zeros(len(BUSY), np.int64))
    for metric in ("AF", "AWF"):
        run = simulate(heap, POOL, policy(f"packwise(objective={metric},window=8)"), Requested())
        stepped = simulate(
            heap, POOL, policy(f"packwise(objective={metric},window=8)"), Requested(), stepped=True
        )
        np.testing.assert_array_equal(run.schedule.start, stepped.schedule.start)
        assert check_schedule(run.workload, POOL, run.schedule).ok


def test_planned_starts_where_nothing_can_start():
    """A full machine: nobody starts, and all are told when they would."""
    jobs = Workload.of([(0, 4, 100, 100), (1, 2, 10, 10), (2, 4, 10, 10)])
    seen = {}

    class Listen(SearchPolicy):
        def decide(self, view):
            decision = super().decide(view)
            seen[view.now] = dict(decision.planned)
            return decision

    simulate(jobs, Cluster.pool(4), Listen(objective=objective("AF")), Exact(), stepped=True)
    assert seen[2] == {1: 100, 2: 110}
