"""How long energy takes: python -m benchmarks.energy

The account of 300,000 made-up jobs over a year of hourly prices, with weather and cooling, against the same
account second by second on a part of it; and a searched round with energy against one without. Prints, and
writes docs/benchmarks-energy.md.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from packwise import Cluster, Schedule, Workload, simulate
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.metrics.energy.movable import movable
from packwise.model.energy.scenario import EnergyScenario
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.oracle.naive_energy import naive_account

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks-energy.md"
JOBS, PROCS, DAYS = 300_000, 20_000, 360
REPEATS = 5
#: What it should take at most, in seconds.
MOST = 0.2
NAIVE_JOBS = 60


def scenario() -> EnergyScenario:
    """Hourly prices and carbon, and cooling by the weather of a summer's day."""
    market, summer = find_energy("market"), find_energy("summer-air")
    return replace(market, climate=summer.climate, cooling=summer.cooling, idle_watts=3.0)


def case(jobs: int, span: int, procs: int, longest: int) -> tuple[Workload, Cluster, Schedule]:
    """Jobs that start some time after they come; whether they fit does not matter to an account."""
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, span, jobs))
    runtime = rng.integers(1, longest, jobs)
    demand = rng.integers(1, 64, jobs)
    ids = np.arange(1, jobs + 1)
    workload = Workload("made up", ids, submit, runtime, runtime, demand, start_time=1704067200)
    start = submit + rng.integers(0, longest, jobs)
    return (
        workload,
        replace(Cluster.pool(procs), energy=scenario()),
        Schedule(start, start + runtime),
    )


def searched_round(name: str) -> float:
    """Seconds of a replay by the rounds in which a plan was searched for."""
    log = generate(5000, 128, 1, load=0.7)
    cluster = replace(Cluster.pool(128), energy=find_energy("market"))
    found = []
    for _ in range(REPEATS):
        run = simulate(log, cluster, policy(name), estimate("exact"))
        found.append(run.seconds / int(np.isfinite(run.rounds.notes["cost"]).sum()))
    return min(found)


def best(function: Callable[[], object]) -> float:
    """Seconds of the fastest of several."""
    found = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    large, small = case(JOBS, DAYS * 86400, PROCS, 40_000), case(NAIVE_JOBS, 8000, 4000, 4000)
    whole = best(lambda: account(*large))
    bill = account(*large)
    jobs = best(lambda: bill.job_cost())
    moved = best(lambda: movable(bill))
    naive, ours = best(lambda: naive_account(*small)), best(lambda: account(*small))
    plain, held = searched_round("packwise"), searched_round("packwise(energy=0.3)")
    rows = [
        (
            "account of 300,000 jobs over a year of hourly prices",
            f"{whole:.3f} s",
            f"at most {MOST} s",
        ),
        ("and what each of them pays", f"{jobs:.3f} s", ""),
        ("and what each could have saved within a day", f"{moved:.2f} s", ""),
        (f"second by second, {NAIVE_JOBS} jobs", f"{naive / ours:,.0f} times as long", ""),
        (
            "a searched round of `packwise(energy=0.3)`, against one of `packwise`",
            f"{held / plain:.2f} times as long ({1e6 * plain:.0f} us, {1e6 * held:.0f} us)",
            "at most 2 times",
        ),
    ]
    lines = ["# How long energy takes", ""]
    lines.append(
        "Written by `python -m benchmarks.energy`. The fastest of five, on one core. Rounds are those of "
        "5,000 made-up jobs on 128 processors, exact run times."
    )
    lines += ["", "| | measured | should be |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += [
        "",
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.",
        "",
    ]
    PAGE.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
