"""Cost of energy against waiting, under the market that comes with Packwise: python -m benchmarks.energy_front

    python -m benchmarks.energy_front --traces ../shared/traces [--only TEXT]

Replays what is not in benchmarks/energy_front.jsonl yet, one line each, so that it can be stopped and go on;
several processes may share the work by --only. ``python -m scripts.energy_front`` makes the page and its
picture of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.dispatchers_store import Store
from benchmarks.energy_rules import CheapestHour, NightOnly
from packwise import load_workload, simulate, summarize
from packwise.energy.finding import find_energy
from packwise.registry import estimate, policy

STORE = Path(__file__).with_name("energy_front.jsonl")
#: KTH-SP2 was looked at while the policy was made; the others were not.
LOGS = {
    "KTH-SP2": "KTH-SP2-1996-2.1-cln",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "CTC-SP2": "CTC-SP2-1996-3.1-cln",
}
ESTIMATES = ("exact", "requested")
BASES = ("easy", "list-reg", "packwise")
VALUES = (1.0, 0.5, 0.3, 0.2, 0.1)
WITHIN = (2, 4, 8, 12, 24)
FROM = (16, 8, 4, 1, 0)
METRICS = ("wait", "energy_cost", "CO2", "BSLD", "AWF", "max_wait", "users_worse")


def cases() -> Iterator[tuple[str, str, str, Any]]:
    """Log, estimate, family and policy."""
    for log in LOGS:
        for believed in ESTIMATES:
            for name in BASES:
                yield log, believed, "base", policy(name)
            for value in VALUES:
                yield log, believed, "ours", policy(f"packwise(energy={value:g})")
            if believed == "exact":
                for hours in WITHIN:
                    yield log, believed, "cheapest", CheapestHour(hours)
                for hours in FROM:
                    yield log, believed, "night", NightOnly(hours)


def measured(log: str, believed: str, chosen: Any, traces: Path) -> dict[str, Any]:
    """One replay."""
    loaded = load_workload(traces / f"{LOGS[log]}.swf.gz")
    cluster = replace(loaded.cluster, energy=find_energy("market"))
    run = simulate(loaded.workload, cluster, chosen, estimate(believed))
    found = summarize(run.workload, cluster, run.schedule, METRICS)
    return {**found, "rounds": len(run.rounds)}


def key_of(log: str, believed: str, family: str, name: str) -> str:
    return f"{log}|{believed}|{family}|{name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    store = Store(STORE, given.only)
    for log, believed, family, chosen in cases():
        key = key_of(log, believed, family, chosen.name)
        store.add(key, partial(measured, log, believed, chosen, given.traces))


if __name__ == "__main__":
    main()
