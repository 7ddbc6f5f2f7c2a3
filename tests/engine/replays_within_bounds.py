"""Replays that fill every array: long queues, windows that wrap, overruns, all jobs at once.

Not collected by itself: ``test_bounds.py`` runs it with bounds checking on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise import Cluster, ConservativePolicy, Exact, ListPolicy, Requested, simulate
from packwise.energy.finding import find_energy
from packwise.model import NodeGroup
from packwise.model.energy.series import Series
from packwise.model.energy.sleep import SleepState
from packwise.model.placement import PLACEMENTS
from packwise.policies import DeadlinePolicy
from packwise.policies.orders import ORDERS
from packwise.predict.catalogue import COMPILED, predictor
from packwise.registry import policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.lublin import generate

CLUSTER = Cluster.pool(64)
BUSY = generate(1500, 64, 3, load=1.2)
HEAP = generate(300, 64, 4).replace(submit=np.zeros(300, np.int64))
SERIAL = BUSY.replace(demand=np.ones(len(BUSY), np.int64))
NODES = Cluster(
    "nodes",
    (
        NodeGroup("mic", 3, {"cores": 8, "memory": 8000, "mics": 2}),
        NodeGroup("gpu", 3, {"cores": 8, "memory": 8000, "gpus": 2}, shared=False),
    ),
)
ON_NODES = generate_accelerated(150, NODES, 5, load=1.5)
POLICIES = {
    "list": ListPolicy(),
    "laf": ListPolicy(order=ORDERS["laf"]),
    "wfp": ListPolicy(order=ORDERS["wfp"], threshold=3600),
    "sjbf": ListPolicy(depth=1, backfill_order=ORDERS["sjf"]),
    "depth": ListPolicy(depth=3, backfill_order=ORDERS["saf"]),
    "greedy": ListPolicy(option="greedy", order=ORDERS["saf"]),
    "promises": ConservativePolicy(),
    "deadlines": DeadlinePolicy(),
}
ESTIMATES = [Requested(), Exact(), Exact(0.5)]


def with_deadlines(workload):
    """Every other job has one, some of them too early."""
    due = workload.submit + np.arange(len(workload)) % 7 * workload.requested_time
    return workload.replace(deadline=np.where(np.arange(len(workload)) % 2, due, 2**62))


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name):
    for workload in (BUSY, HEAP, SERIAL):
        for estimate in ESTIMATES:
            run = simulate(with_deadlines(workload), CLUSTER, POLICIES[name], estimate)
            assert run.schedule.ran.all()


@pytest.mark.parametrize("name", POLICIES)
def test_round_by_round(name):
    run = simulate(with_deadlines(HEAP), CLUSTER, POLICIES[name], Exact(0.5), stepped=True)
    assert run.schedule.ran.all()


@pytest.mark.parametrize("name", COMPILED)
def test_estimates(name):
    for workload in (BUSY, HEAP, BUSY.replace(user=np.full(len(BUSY), -1))):
        for corrector in ("steps", "conditional"):
            believed = predictor(f"{name}(corrector={corrector})")
            for chosen in ("list", "sjbf", "promises"):
                simulate(workload, CLUSTER, POLICIES[chosen], believed)
    simulate(HEAP, CLUSTER, POLICIES["laf"], predictor(name), stepped=True)


@pytest.mark.parametrize(
    "objective", ["AF,window=8", "AWF", "BSLD,window=300", "P2SF,window=3", "0.5*AF+0.5*P1SF"]
)
def test_search(objective):
    searched = policy(f"packwise(objective={objective},budget=20)")
    for workload in (BUSY, HEAP, SERIAL):
        for estimate in (Requested(), Exact(0.5)):
            simulate(with_deadlines(workload), CLUSTER, searched, estimate)
    simulate(HEAP, CLUSTER, policy("packwise(window=5)"), Exact(0.5), stepped=True)


@pytest.mark.parametrize("parameters", ["window=3", "balance=0,window=300", "balance=1"])
def test_balanced(parameters):
    balanced = policy(f"packwise({parameters},budget=10)")
    for workload in (BUSY, HEAP, SERIAL):
        for estimate in (Requested(), Exact(), Exact(0.5), predictor("last2")):
            simulate(workload, CLUSTER, balanced, estimate)
    simulate(with_deadlines(BUSY), CLUSTER, balanced)
    for estimate in (Requested(), predictor("last2")):
        simulate(HEAP, CLUSTER, balanced, estimate, stepped=True)


@pytest.mark.parametrize("metric", ["AF", "BSLD", "P2SF"])
def test_off_line(metric):
    from packwise.optimise.bounds import bound_of_metric
    from packwise.optimise.offline import Budget, Log, solve
    from packwise.optimise.round import Round

    now, full = np.zeros(1, np.int64), np.array([64], np.int64)
    jobs = HEAP.demand, HEAP.runtime
    bound_of_metric(metric, Round(0, 64, np.arange(300), HEAP.submit, *jobs, now, full))
    solve(Log(BUSY.submit, BUSY.demand, BUSY.runtime, 64, metric), Budget(evaluations=3000))


def test_fair_starts():
    from packwise import summarize

    run = simulate(BUSY, CLUSTER, ListPolicy(order=ORDERS["saf"]))
    summarize(run.workload, CLUSTER, run.schedule, ["FST_misses"])


SEARCHES = ("packwise(budget=5,window=8)", "packwise(objective=BSLD,budget=5,window=8)")


@pytest.mark.parametrize("name", ["list", "laf", "sjbf", "depth", "greedy", "promises", *SEARCHES])
@pytest.mark.parametrize("rule", PLACEMENTS)
def test_nodes(name, rule):
    chosen = policy(name) if name in SEARCHES else POLICIES[name]
    for estimate in (Requested(), Exact(0.5)):
        run = simulate(ON_NODES, NODES, chosen, estimate, placement=rule)
        assert run.schedule.ran.all()
    run = simulate(ON_NODES, NODES, chosen, Exact(0.5), placement=rule, stepped=True)
    assert run.schedule.ran.all()


def test_nodes_that_do_not_matter():
    run = simulate(HEAP, Cluster("n", (NodeGroup("n", 8, {"cores": 8}),)), POLICIES["sjbf"])
    assert run.schedule.allocation is not None


CAPPED = {
    "pool": (Cluster.pool(64), generate(300, 64, 3, load=1.2), 650.0),
    "nodes": (NODES, ON_NODES, 400.0),
}


@pytest.mark.parametrize("machine", CAPPED)
@pytest.mark.parametrize("name", ["easy", "list-saf", "cbf", "packwise", "packwise(energy=0.1)"])
def test_caps_that_change_and_nodes_that_sleep(name, machine):
    cluster, jobs, watts = CAPPED[machine]
    hours = jobs.start_time + 3600 * np.arange(24 * 900)
    cap = Series(hours, watts + 40.0 * np.sin(np.arange(len(hours))), int(hours[-1]) + 3600, "W")
    sleep = SleepState(600, 0.0, 120, 2.0, 4)
    energy = replace(find_energy("day-night"), cap=cap, sleep=sleep, idle_watts=1.0)
    written = f"{name[:-1]},power_cap=on)" if "(" in name else f"{name}(power_cap=on)"
    for estimate in (Requested(), Exact(0.5)):
        run = simulate(
            jobs,
            replace(cluster, energy=energy),
            policy(written),
            estimate,
            reject_too_large=True,
        )
        assert run.schedule.ran.all()
