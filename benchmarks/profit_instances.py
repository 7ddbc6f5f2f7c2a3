"""Ours against DelaySearch, off line: python -m benchmarks.profit_instances --traces ../shared/traces

Ten times 600 jobs of two logs under the market that comes with Packwise, energy against waiting, each method
for 4 s and for 15 s, and a bound. KTH-SP2 was looked at while the search was made; these two were not. Adds
what is missing to benchmarks/profit_instances.jsonl.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_store import Store
from packwise import load_workload
from packwise.energy.finding import find_energy
from packwise.planning import bound_at_once, plan_at_once

STORE = Path(__file__).with_name("profit_instances.jsonl")
LOGS = {"SDSC-SP2": "SDSC-SP2-1998-4.2-cln", "CTC-SP2": "CTC-SP2-1996-3.1-cln"}
JOBS = 600
FIRST = (5_000, 15_000, 25_000, 35_000, 45_000)
#: What waiting is worth, in turn.
VALUES = (0.3, 0.1)
SECONDS = (4, 15)
METHODS = ("multi", "delay", "ours")
BOUND_SECONDS = 30.0


def cases() -> list[tuple[str, int, float]]:
    """Log, first job, and the value of waiting."""
    return [
        (log, first, VALUES[place % len(VALUES)])
        for log in LOGS
        for place, first in enumerate(FIRST)
    ]


def measured(traces: Path, log: str, first: int, value: float) -> dict[str, Any]:
    """What each method reaches, and the bound."""
    loaded = load_workload(traces / f"{LOGS[log]}.swf.gz")
    wanted = np.zeros(len(loaded.workload), np.bool_)
    wanted[first : first + JOBS] = True
    jobs = loaded.workload.select(wanted)
    cluster = replace(loaded.cluster, energy=find_energy("market"))
    found: dict[str, Any] = {}
    best = None
    for method in METHODS:
        for seconds in SECONDS:
            plan = plan_at_once(jobs, cluster, method, f"{seconds}s", value=value)
            found[f"{method} {seconds}"] = plan.cost
            if best is None or plan.cost < best.cost:
                best = plan
    assert best is not None
    found["bound"] = bound_at_once(jobs, cluster, best.schedule, BOUND_SECONDS, value=value)
    return found


def key_of(log: str, first: int, value: float) -> str:
    return f"{log}|{first}|{value:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    store = Store(STORE, given.only)
    for one in cases():
        store.add(key_of(*one), partial(measured, given.traces, *one))


if __name__ == "__main__":
    main()
