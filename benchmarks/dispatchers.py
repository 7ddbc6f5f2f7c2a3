"""The CP dispatchers on nodes against each other, against list scheduling and against ``packwise``.

``python -m benchmarks.dispatchers --traces FOLDER`` replays the scenarios of the two studies of
dispatchers, noting what rounds took, and solves saved rounds. What is in the store is not done again, and
``--only TEXT`` does a part of it, so that several processes may share the work. A store is of one version of
Packwise: after a change of what it measures begin another one. That from which the page of the dispatchers is
written is in the repository, beside this file: it takes hours.

Said before anything was looked at: Eurora's log (the first 2,000 of its 5,930 jobs) and KIT's (25,127) judge,
and workloads like Eurora's of seeds 301 to 303; nothing was tuned on them. Eurora's has been looked at since,
to see why the order search is behind there.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_rounds import kit_rounds, saved_rounds
from benchmarks.dispatchers_store import Store
from packwise import Cluster, Run, Schedule, Workload, simulate
from packwise.clusters.finding import find_cluster
from packwise.experiments.scenario import Scenario, load
from packwise.experiments.study import Study
from packwise.experiments.study_file import read_study
from packwise.feasibility import check_schedule
from packwise.model.errors import PackwiseError
from packwise.model.placement import DEFAULT_PLACEMENT
from packwise.optimise.cp.nodes.effort import TOO_LARGE
from packwise.registry import estimate, policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

STUDIES = Path(__file__).resolve().parents[1] / "studies"
STORE = Path(__file__).with_name("dispatchers.jsonl")
EURORA_LOG = "Eurora-2014.csv.gz"
#: The first jobs of Eurora's log, as in the study.
EURORA = Window(count=2000)
FIRST_FIT, RECORDED = "Eurora | fcfs, first fit", "Eurora | as it was"


def dispatch_studies(traces: Path) -> list[Study]:
    """Eurora's and KIT's."""
    names = ("heterogeneous-cp", "heterogeneous-cp-kit")
    return [read_study(STUDIES / f"{name}.toml", traces=[traces]) for name in names]


def key_of(scenario: Scenario) -> str:
    """By what decides the result: names with their parameters, not labels."""
    label, replica = scenario.labels.workload, scenario.labels.replica
    return " | ".join((label, scenario.policy.name, scenario.estimate.name, str(replica)))


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


def measured(run: Run, seconds: float) -> dict[str, Any]:
    """Of a replay: what its jobs waited, and what it took of the processor, whatever else the machine did."""
    notes = run.rounds.notes
    solved = int(np.isfinite(notes["jobs"]).sum()) if "ended" in notes else 0
    return {
        **qualities(run.workload, run.schedule),
        "dispatch_ms": 1000 * seconds / len(run.rounds),
        "seconds": seconds,
        "rounds": len(run.rounds),
        "solved": solved,
        "feasible": check_schedule(run.workload, run.cluster, run.schedule).ok,
        "notes": {name: float(np.nanmean(column)) for name, column in notes.items()},
        "unsolved": int(np.nansum(notes["unsolved"])) if "unsolved" in notes else 0,
        "ended": [int((notes["ended"] == code).sum()) for code in range(TOO_LARGE + 1)]
        if solved
        else [],
    }


def replay(scenario: Scenario) -> dict[str, Any]:
    jobs, cluster, *_ = load(scenario.workload, scenario.machine)
    placement = scenario.machine.placement or DEFAULT_PLACEMENT
    return timed(jobs, cluster, scenario.policy.name, scenario.estimate.name, placement)


def first_fit(traces: Path) -> dict[str, Any]:
    """First come, first served, on the first nodes that have room."""
    eurora = find_cluster("eurora")
    jobs = load_trace(traces / EURORA_LOG, None, EURORA, on=eurora).workload
    return timed(jobs, eurora, "fcfs", "exact", "first-fit")


def timed(
    jobs: Workload, cluster: Cluster, name: str, believed: str, placement: str
) -> dict[str, Any]:
    """A replay, after one of a few jobs that loads what is compiled."""

    def run(some: Workload) -> Run:
        return simulate(
            some,
            cluster,
            policy(name),
            estimate(believed),
            placement=placement,
            reject_too_large=True,
        )

    run(jobs.select(np.arange(20)))
    begin = time.process_time()
    done = run(jobs)
    return measured(done, time.process_time() - begin)


def recorded(traces: Path) -> dict[str, float]:
    """What the jobs of Eurora's log waited there."""
    trace = load_trace(traces / EURORA_LOG, None, EURORA, on=find_cluster("eurora"))
    return qualities(trace.workload, trace.recorded_schedule(EURORA))


def gather(traces: Path, store: Store) -> None:
    store.add(FIRST_FIT, partial(first_fit, traces))
    store.add(RECORDED, partial(recorded, traces))
    for study in dispatch_studies(traces):
        for scenario in study.scenarios:
            store.add(key_of(scenario), partial(replay, scenario))
    for believed in ("exact", "data-driven"):
        saved_rounds(believed, traces, store)
    kit_rounds(traces, store)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--traces", type=Path, required=True, help="folder with the logs of Eurora and KIT"
    )
    parser.add_argument(
        "--store", type=Path, default=STORE, help="results so far, as JSON lines (%(default)s)"
    )
    parser.add_argument(
        "--only",
        default="",
        help="do what has this in its key, as 'Eurora | pcp21', 'rounds | exact' or 'KIT rounds'",
    )
    options = parser.parse_args()
    gather(options.traces, Store(options.store, options.only))
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
