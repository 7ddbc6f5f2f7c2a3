"""check_policy: does a policy keep its side of the contract? Shipped to those who write one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from packwise.feasibility import check_schedule
from packwise.model.cluster import Cluster
from packwise.model.decision import Policy
from packwise.model.energy.daily import Daily
from packwise.model.energy.rates import Carbon, Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import PackwiseError
from packwise.model.workload import Workload
from packwise.predict import Exact, Predictor, Requested
from packwise.simulation import CompiledPolicy, simulate

#: What power costs where policies are checked: dear by day, green at noon; every other hour a cap leaves enough
#: for all.
_POWER = EnergyScenario(
    "check",
    price=Tariff(Daily(tuple(120.0 if 6 <= hour < 22 else 60.0 for hour in range(24)), "EUR/MWh")),
    carbon=Carbon(Daily(tuple(100.0 + 20 * abs(hour - 12) for hour in range(24)), "g/kWh")),
    cap=Daily((180.0, 100.0) * 12, "W"),
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found. ``problems`` is empty when the policy keeps its contract."""

    policy: str
    scenarios: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def check_policy(policy: Policy, *, jobs: int = 200, seed: int = 0) -> Report:
    """Replay a policy on small workloads that are hard in different ways.

    Checked: it answers every round without raising; it starts only waiting jobs that fit, and leaves
    none for ever; it does not write into the view; the schedule is feasible; a second run gives the same
    schedule; and a compiled policy gives the same schedule compiled and stepped. The view tells what power
    costs, for those who want to know.
    """
    problems: list[str] = []
    scenarios = 0
    for name, workload, procs, estimate in _scenarios(jobs, seed):
        scenarios += 1
        cluster = replace(Cluster.pool(procs), energy=_POWER)
        where = f"scenario '{name}' with estimate '{estimate.name}'"
        try:
            first = simulate(workload, cluster, policy, estimate, stepped=True)
            second = simulate(workload, cluster, policy, estimate, stepped=True)
            if not np.array_equal(first.schedule.start, second.schedule.start):
                problems.append(f"{where}: two runs gave two different schedules.")
            if isinstance(policy, CompiledPolicy):
                compiled = simulate(workload, cluster, policy, estimate)
                if not np.array_equal(first.schedule.start, compiled.schedule.start):
                    problems.append(f"{where}: compiled and stepped schedules differ.")
        except PackwiseError as error:
            problems.append(f"{where}: {type(error).__name__}: {error}")
            continue
        feasibility = check_schedule(workload, cluster, first.schedule, rejected=first.rejected)
        problems.extend(f"{where}: {v.message}" for v in feasibility.violations[:3])
    return Report(policy.name, scenarios, tuple(problems))


def _scenarios(jobs: int, seed: int) -> Iterator[tuple[str, Workload, int, Predictor]]:
    rng = np.random.default_rng(seed)
    procs = 16
    runtime = rng.integers(1, 300, jobs)
    limit = runtime + rng.integers(0, 600, jobs)
    demand = rng.integers(1, procs + 1, jobs)
    arrivals = np.sort(rng.integers(0, 60 * jobs, jobs))
    workloads = {
        "busy machine": _workload(arrivals, demand, runtime, limit),
        "all at once": _workload(np.zeros(jobs, np.int64), demand, runtime, limit),
        "whole-machine jobs": _workload(arrivals, np.full(jobs, procs), runtime, limit),
        "one job": _workload(np.array([7]), np.array([procs]), np.array([5]), np.array([9])),
        "serial jobs, equal moments": _workload(
            arrivals // 300 * 300, np.ones(jobs, np.int64), runtime // 50 * 50 + 50, limit + 50
        ),
    }
    estimates = (Requested(), Exact(), Exact(0.5))
    for name, workload in workloads.items():
        for estimate in estimates:
            yield name, workload, procs, estimate


def _workload(
    submit: np.ndarray, demand: np.ndarray, runtime: np.ndarray, limit: np.ndarray
) -> Workload:
    n = len(submit)
    return Workload(
        name="contract",
        id=np.arange(1, n + 1),
        submit=submit,
        demand=demand,
        runtime=runtime,
        requested_time=np.maximum(runtime, limit),
        user=np.arange(n) % 7,
    )
