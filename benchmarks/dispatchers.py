"""The CP dispatchers on nodes against each other, against list scheduling and against ``packwise``.

``python -m benchmarks.dispatchers --traces FOLDER --store FILE`` replays the scenarios of the two studies of
dispatchers, noting what rounds took, and solves saved rounds; ``scripts.reproduce_dispatchers`` writes the
page. What is in the store is not done again, and ``--only TEXT`` does a part of it, so that several processes
may share the work.

Said before anything was looked at: Eurora's log (5,930 jobs) and KIT's (25,127) judge, and workloads like
Eurora's of seeds 301 to 303; nothing was tuned on them.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_rounds import kit_rounds, long_rounds, saved_rounds
from benchmarks.dispatchers_store import Store
from packwise import Run, Schedule, Workload, simulate
from packwise.clusters.finding import find_cluster
from packwise.experiments.scenario import Scenario, load
from packwise.experiments.study import Study
from packwise.experiments.study_file import read_study
from packwise.feasibility import check_schedule
from packwise.registry import estimate, policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

STUDIES = Path(__file__).resolve().parents[1] / "studies"
EURORA_LOG = "Eurora-2014.csv.gz"
FIRST_FIT, RECORDED = "Eurora | FCFS, first fit | R | 0", "Eurora | as it was"


def dispatch_studies(traces: Path) -> list[Study]:
    """Eurora's and KIT's."""
    names = ("heterogeneous-cp", "heterogeneous-cp-kit")
    return [read_study(STUDIES / f"{name}.toml", traces=[traces]) for name in names]


def key_of(scenario: Scenario) -> str:
    labels = scenario.labels
    parts = (labels.workload, labels.policy, labels.estimate, str(labels.replica))
    return " | ".join(parts)


def qualities(workload: Workload, schedule: Schedule) -> dict[str, float]:
    """What the jobs waited."""
    wait = schedule.wait(workload)
    slowdown = (wait + workload.runtime) / workload.runtime
    return {
        "slowdown": float(slowdown.mean()),
        "slowdown_sd": float(slowdown.std()),
        "wait": float(wait.mean()),
        "wait_sd": float(wait.std()),
        "max_wait": float(wait.max()),
    }


def measured(run: Run) -> dict[str, Any]:
    """Of a replay: what its jobs waited, and what it took."""
    notes = run.rounds.notes
    solved = int(np.isfinite(notes["jobs"]).sum()) if "ended" in notes else 0
    return {
        **qualities(run.workload, run.schedule),
        "dispatch_ms": 1000 * run.seconds / len(run.rounds),
        "seconds": run.seconds,
        "rounds": len(run.rounds),
        "solved": solved,
        "feasible": check_schedule(run.workload, run.cluster, run.schedule).ok,
        "notes": {name: float(np.nanmean(column)) for name, column in notes.items()},
        "fallbacks": int(np.nansum(notes["fallback"])) if "fallback" in notes else 0,
        "ended": [int((notes["ended"] == code).sum()) for code in range(6)] if solved else [],
    }


def replay(scenario: Scenario) -> dict[str, Any]:
    jobs, cluster, *_ = load(scenario.workload, scenario.machine)
    run = simulate(
        jobs,
        cluster,
        policy(scenario.policy.name),
        estimate(scenario.estimate.name),
        placement=scenario.machine.placement,
        reject_too_large=True,
    )
    return measured(run)


def first_fit(traces: Path) -> dict[str, Any]:
    """First come, first served, on the first nodes that have room."""
    eurora = find_cluster("eurora")
    jobs = load_trace(traces / EURORA_LOG, None, Window(), on=eurora).workload
    return measured(simulate(jobs, eurora, policy("fcfs"), placement="first-fit"))


def recorded(traces: Path) -> dict[str, float]:
    """What the jobs of Eurora's log waited there."""
    trace = load_trace(traces / EURORA_LOG, None, Window(), on=find_cluster("eurora"))
    return qualities(trace.workload, trace.recorded_schedule(Window()))


def gather(traces: Path, store: Store) -> None:
    store.add(FIRST_FIT, partial(first_fit, traces))
    store.add(RECORDED, partial(recorded, traces))
    for study in dispatch_studies(traces):
        for scenario in study.scenarios:
            store.add(key_of(scenario), partial(replay, scenario))
    for believed in ("exact", "data-driven"):
        saved_rounds(believed, traces, store)
    kit_rounds(traces, store)
    long_rounds(traces, store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--traces", type=Path, required=True, help="folder with the logs of Eurora and KIT"
    )
    parser.add_argument("--store", type=Path, required=True, help="results so far, as JSON lines")
    parser.add_argument("--only", default="", help="do what has this in its key")
    options = parser.parse_args()
    gather(options.traces, Store(options.store, options.only))


if __name__ == "__main__":
    main()
