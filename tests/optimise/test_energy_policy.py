"""packwise(energy=...): replays, wake-ups, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from packwise import Cluster, Workload, check_policy, check_schedule, simulate, summarize
from packwise.clusters.finding import find_cluster
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.model.energy.rates import Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Series
from packwise.model.errors import InputError
from packwise.registry import estimate, policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.deadlines import parse_rules
from packwise.workloads.lublin import generate
from packwise.workloads.window import Window
from tests.lanes import broad

MARKET = find_energy("market").shifted(date(2024, 3, 1))
LOG = generate(120, 32, 3, load=0.8)
POOL = replace(Cluster.pool(32), energy=MARKET)


@pytest.mark.parametrize("believed", broad(["exact", "requested", "last2"]))
@pytest.mark.parametrize(
    "name",
    broad(
        [
            "packwise(energy=0.3)",
            "packwise(energy=0.05,delay=6h)",
            "packwise(energy=0.2,objective=AF)",
        ]
    ),
)
def test_stepped_is_compiled(name, believed) -> None:
    runs = [
        simulate(LOG, POOL, policy(name), estimate(believed), stepped=step)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()
    assert runs[0].rounds.time.tolist() == runs[1].rounds.time.tolist()
    assert check_schedule(LOG, POOL, runs[0].schedule).ok


@pytest.mark.parametrize("scenario", broad(["day-night", "summer-air", "solar"]))
def test_stepped_is_compiled_under_other_scenarios(scenario) -> None:
    name = (
        "packwise(energy=0.1,energy_by=carbon)" if scenario == "solar" else "packwise(energy=0.1)"
    )
    cluster = replace(POOL, energy=find_energy(scenario))
    runs = [
        simulate(LOG, cluster, policy(name), estimate("exact"), stepped=step)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()


def test_stepped_is_compiled_with_deadlines_and_series_that_end() -> None:
    """Prices of three days only: what comes after has their mean."""
    due = Window(deadlines=("slack(share=30%)",)).apply(LOG, 32)
    assert parse_rules(("slack(share=30%)",))
    hours = int(LOG.start_time) + 3600 * np.arange(72)
    values = np.tile([20.0, 80.0, 140.0, 60.0], 18)
    series = Series(hours, values, int(hours[-1]) + 3600, "EUR/MWh")
    cluster = replace(POOL, energy=EnergyScenario("short", price=Tariff(series)))
    runs = [
        simulate(due, cluster, policy("packwise(energy=0.1)"), estimate("exact"), stepped=step)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()


@pytest.mark.parametrize("believed", broad(["exact", "requested"]))
@pytest.mark.parametrize(
    "name", broad(["packwise(energy=0.2)", "packwise(energy=0.2,objective=BSLD)"])
)
def test_on_nodes(name, believed) -> None:
    nodes = replace(find_cluster("eurora"), energy=MARKET)
    jobs = generate_accelerated(120, nodes, 1)
    longer = {name: 60 * getattr(jobs, name) for name in ("submit", "runtime", "requested_time")}
    jobs = jobs.replace(**longer)
    runs = [
        simulate(jobs, nodes, policy(name), estimate(believed), stepped=step)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()
    assert runs[0].rounds.time.tolist() == runs[1].rounds.time.tolist()
    assert check_schedule(jobs, nodes, runs[0].schedule).ok
    if believed == "exact":
        plain = simulate(
            jobs, nodes, policy(name.replace("energy=0.2", "seed=0")), estimate("exact")
        )
        costs = [summarize(jobs, nodes, run.schedule, ["energy_cost"]) for run in (runs[0], plain)]
        assert costs[0]["energy_cost"] < costs[1]["energy_cost"]


def test_a_high_value_of_waiting_changes_nothing() -> None:
    for believed in ("exact", "requested"):
        plain = simulate(LOG, POOL, policy("packwise"), estimate(believed))
        dear = simulate(LOG, POOL, policy("packwise(energy=1000)"), estimate(believed))
        assert plain.schedule.start.tolist() == dear.schedule.start.tolist()


def test_waiting_is_traded_for_cost() -> None:
    found = []
    log = generate(700, 32, 4, load=0.6)
    for name in ("packwise", "packwise(energy=0.3)", "packwise(energy=0.1)"):
        run = simulate(log, POOL, policy(name), estimate("exact"))
        values = summarize(log, POOL, run.schedule, ["wait", "energy_cost"])
        found.append((values["wait"], values["energy_cost"]))
    waits, costs = zip(*found, strict=True)
    assert waits[2] > waits[0]
    assert list(costs) == sorted(costs, reverse=True)


def test_carbon_instead_of_cost() -> None:
    cluster = replace(POOL, energy=find_energy("solar"))
    plain = simulate(LOG, cluster, policy("packwise"), estimate("exact"))
    green = simulate(
        LOG, cluster, policy("packwise(energy=0.2,energy_by=carbon)"), estimate("exact")
    )
    assert (
        account(LOG, cluster, green.schedule).co2.sum()
        < account(LOG, cluster, plain.schedule).co2.sum()
    )


def test_nobody_is_held_longer_than_may_be() -> None:
    """One job at a time, each on an empty machine, so that every wait is on purpose."""
    log = Workload.of([(i * 200_000, 4, 3000, 3000) for i in range(40)]).replace(
        start_time=1709251200
    )
    for delay, seconds in (("3h", 10800), ("24h", 86400)):
        name = f"packwise(energy=0.001,delay={delay})"
        run = simulate(log, POOL, policy(name), estimate("exact"))
        waits = run.schedule.wait(log)
        assert waits.max() <= seconds
        assert waits.max() > seconds / 2


def test_deadlines_come_before_cheap_hours() -> None:
    submit = np.arange(30) * 200_000
    log = Workload.of([(int(s), 4, 3000, 3600) for s in submit]).replace(
        start_time=1709251200, deadline=submit + 3 * 3600
    )
    run = simulate(log, POOL, policy("packwise(energy=0.001)"), estimate("exact"))
    assert (run.schedule.end <= log.deadline).all()
    assert run.schedule.wait(log).max() > 3600


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("packwise(energy=-1)", "energy should be a number from 0 to 1000"),
        ("packwise(energy=cheap)", "energy should be a number"),
        ("packwise(delay=3h)", "delay is for energy"),
        ("packwise(energy_by=carbon)", "energy_by is for energy"),
        ("packwise(energy=1,energy_by=wind)", "cost or carbon, found 'wind'"),
        ("packwise(energy=1,delay=soon)", "delay: expected seconds"),
    ],
)
def test_parameters_that_cannot_be(name, words) -> None:
    with pytest.raises(InputError, match=words):
        policy(name)


@pytest.mark.parametrize("stepped", [False, True])
def test_what_it_needs_to_know(stepped) -> None:
    with pytest.raises(InputError, match="--energy market"):
        simulate(LOG, Cluster.pool(32), policy("packwise(energy=1)"), stepped=stepped)
    night = replace(POOL, energy=find_energy("day-night"))
    with pytest.raises(InputError, match=r"has no \[carbon\]"):
        simulate(LOG, night, policy("packwise(energy=1,energy_by=carbon)"), stepped=stepped)


def test_a_series_that_begins_too_late_is_named() -> None:
    series = Series(
        np.array([LOG.start_time + 10**7]), np.array([1.0]), LOG.start_time + 2 * 10**7, "EUR/MWh"
    )
    cluster = replace(POOL, energy=EnergyScenario("late", price=Tariff(series)))
    for stepped in (False, True):
        with pytest.raises(InputError, match="a value is needed at"):
            simulate(LOG, cluster, policy("packwise(energy=1)"), stepped=stepped)


@pytest.mark.slow
def test_it_keeps_its_contract() -> None:
    for name in ("packwise(energy=0.1)", "packwise(energy=0.1,energy_by=carbon)"):
        report = check_policy(policy(name), jobs=20)
        assert report.ok, report.problems
