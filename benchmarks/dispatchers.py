"""The CP dispatchers on nodes against each other, against list scheduling and against ``packwise``.

``python -m benchmarks.dispatchers --traces FOLDER --store FILE`` replays logs and workloads, and solves saved
rounds; what is in the store is not done again, and ``--only TEXT`` does a part of it, so that several
processes may share the work.

Said before anything was looked at: Eurora's log (5,930 jobs) and KIT's (25,127) judge, with exact run times
and with the two predictions of the paper; workloads like Eurora's are of seeds 301 to 303 at a load of 0.9.
Nothing was tuned on them. A round has 0.002 units of CP-SAT's own measure of work at first and 0.032 at most
in replays, where the paper has 1 s and 16 s, and a single thread: that is about 0.1 to 2 s. Saved rounds are
solved with 0.1 s and 1.6 s.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from packwise import Cluster, Decision, Run, View, Workload, simulate
from packwise.clusters.finding import find_cluster
from packwise.feasibility import check_schedule
from packwise.model.allocation import Allocation
from packwise.optimise.cp.nodes.instance import Instance, Plan, by_priority, instance
from packwise.optimise.cp.nodes.lists import list_plan, other_list_plans
from packwise.optimise.cp.nodes.method import Task
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.patience import Patience
from packwise.optimise.cp.nodes.pcp19 import Pcp19Model
from packwise.optimise.cp.nodes.pcp21 import Pcp21Model
from packwise.registry import estimate, policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

EURORA, KIT = find_cluster("eurora"), find_cluster("kit-fh2")
#: Of replays, and of saved rounds.
WORK, SECONDS = "deterministic=0.002", Patience(0.1, 1.6, workers=1)
PACKWISE = "packwise(objective=BSLD)"
SEEDS, LIKE_EURORA_JOBS, LOAD = range(301, 304), 1500, 0.9
#: Every so many of the rounds in which there is something to decide.
EVERY = 15


@dataclass(frozen=True)
class Case:
    """A workload under a policy and an estimate."""

    workload: str
    policy: str
    estimate: str
    placement: str = "scarce-last"

    @property
    def key(self) -> str:
        return " | ".join((self.workload, self.policy, self.estimate, self.placement))


def cp(name: str) -> str:
    return f"{name}({WORK})"


def cases() -> Iterator[Case]:
    """Replays, the fast ones first."""
    on_eurora = ("hcp19", "pcp21s", "pcp-auto", "pcp21", "pcp19")
    for workload, estimates in (
        ("Eurora", ("exact", "data-driven", "last2")),
        ("KIT", ("exact", "last2")),
    ):
        for believed in estimates:
            yield Case(workload, "fcfs", believed, "first-fit")
            for name in ("easy", "list-sjf", "packwise", PACKWISE):
                yield Case(workload, name, believed)
    for seed in SEEDS:
        yield Case(f"like Eurora {seed}", "fcfs", "exact", "first-fit")
        for name in ("easy", "list-sjf", "packwise", PACKWISE, *map(cp, on_eurora)):
            yield Case(f"like Eurora {seed}", name, "exact")
    for believed in ("exact", "data-driven"):
        for name in on_eurora:
            yield Case("Eurora", cp(name), believed)
    for believed in ("exact", "last2"):
        for name in ("hcp19", "pcp21s"):
            yield Case("KIT", cp(name), believed)


def cluster_of(workload: str) -> Cluster:
    return KIT if workload == "KIT" else EURORA


def jobs_of(workload: str, traces: Path) -> Workload:
    match workload.split():
        case ["Eurora"]:
            return load_trace(traces / "Eurora-2014.csv.gz", None, Window(), on=EURORA).workload
        case ["KIT"]:
            log = traces / "KIT-FH2-2016-1.first25127.swf.gz"
            return load_trace(log, None, Window(), on=KIT, unit_cores="node").workload
        case [*_, seed]:
            return generate_accelerated(LIKE_EURORA_JOBS, EURORA, int(seed), load=LOAD)
    raise ValueError(workload)


def measured(run: Run) -> dict[str, Any]:
    """Of a replay: what its jobs waited, and what it took."""
    wait = run.schedule.wait(run.workload)
    slowdown = (wait + run.workload.runtime) / run.workload.runtime
    notes = run.rounds.notes
    solved = int(np.isfinite(notes["jobs"]).sum()) if "ended" in notes else 0
    return {
        "slowdown": float(slowdown.mean()),
        "slowdown_sd": float(slowdown.std()),
        "wait": float(wait.mean()),
        "wait_sd": float(wait.std()),
        "longest_wait": int(wait.max()),
        "dispatch_ms": 1000 * run.seconds / len(run.rounds),
        "seconds": run.seconds,
        "rounds": len(run.rounds),
        "solved": solved,
        "feasible": check_schedule(run.workload, run.cluster, run.schedule).ok,
        "notes": {name: float(np.nanmean(column)) for name, column in notes.items()},
        "fallbacks": int(np.nansum(notes["fallback"])) if "fallback" in notes else 0,
        "ended": [int((notes["ended"] == code).sum()) for code in range(6)] if solved else [],
    }


def replay(case: Case, traces: Path) -> dict[str, Any]:
    jobs = jobs_of(case.workload, traces)
    run = simulate(
        jobs,
        cluster_of(case.workload),
        policy(case.policy),
        estimate(case.estimate),
        placement=case.placement,
        reject_too_large=True,
    )
    return measured(run)


class Store:
    """Results by key, one JSON line each. ``only``: a text that the key of what is done has to have."""

    def __init__(self, path: Path, only: str = "") -> None:
        self._path = path
        self._only = only
        self.known: dict[str, Any] = {}
        if path.exists():
            self.known = dict(json.loads(line) for line in path.read_text().splitlines())

    def wants(self, key: str) -> bool:
        return self._only in key and key not in self.known

    def add(self, key: str, make: Callable[[], Any]) -> None:
        """Do what is not there yet."""
        if not self.wants(key):
            return
        self.known[key] = make()
        with self._path.open("a") as file:
            file.write(json.dumps([key, self.known[key]]) + "\n")
        print(key, flush=True)


# ---- Saved rounds ----


class Saving:
    """A policy that keeps some of the rounds of another in which some start and some do not."""

    name = "saving"

    def __init__(self, every: int) -> None:
        self._policy = policy("list-sjf")
        self._every = every
        self._seen = 0
        self.views: list[View] = []

    def decide(self, view: View) -> Decision:
        decision = self._policy.decide(view)
        if 0 < len(decision.start) < len(view.queue):
            if self._seen % self._every == 0:
                self.views.append(view._replace(memory=None))
            self._seen += 1
        return decision


def saved_rounds(workload: str, believed: str, traces: Path, every: int) -> list[View]:
    saving = Saving(every)
    jobs = jobs_of(workload, traces)
    simulate(jobs, cluster_of(workload), saving, estimate(believed), reject_too_large=True)
    return saving.views


def problem(view: View) -> tuple[Instance, Plan]:
    """The instance of a round, and the best of its list plans."""
    jobs = by_priority(view, view.queue)[:100]
    plans = [list_plan(view, jobs, np.arange(len(jobs))), *other_list_plans(view, jobs)]
    found = instance(view, jobs)
    return found, min(plans, key=lambda plan: found.slowdown(plan.start))


def solved(view: View, method: str, patience: Patience, **options: bool) -> dict[str, Any]:
    """A round solved by one method."""
    begin = time.perf_counter()
    found, best = problem(view)
    answer = METHODS[method].find(Task(view, found, best, True, patience, True, options))
    seconds = time.perf_counter() - begin
    return {
        "variables": answer.variables,
        "constraints": answer.constraints,
        "seconds": seconds,
        "build_seconds": answer.build_seconds,
        "fails": answer.fails,
        "ended": answer.ended,
        "bound": answer.bound,
        "list": found.slowdown(best.start),
        "slowdown": None if answer.plan is None else found.slowdown(answer.plan.start),
        "jobs": len(found),
    }


def searched(view: View, budget: int) -> dict[str, Any]:
    """The same round by the order search, for the same total slowdown."""
    found, best = problem(view)
    ours = policy(f"packwise(objective=BSLD,local=E^-1,budget={budget},window=100)")
    part = view._replace(queue=np.sort(found.job))
    begin = time.perf_counter()
    decision = ours.decide(part)
    seconds = time.perf_counter() - begin
    start = [decision.planned.get(job, view.now) - view.now for job in found.job.tolist()]
    return {
        "seconds": seconds,
        "slowdown": found.slowdown(np.array(start)),
        "list": found.slowdown(best.start),
    }


def grown(view: View, factor: int) -> dict[str, int]:
    """Variables of the two models, and of the same round on a machine so many times as large."""
    found, best = problem(view)
    nodes = view.nodes
    assert nodes is not None
    more = np.repeat(nodes.capacity, factor, axis=0)
    free = more.copy()
    free[::factor] = nodes.free
    held = Allocation(nodes.held.first, factor * nodes.held.node, nodes.held.units)
    large = view._replace(
        nodes=nodes._replace(
            capacity=more,
            free=free,
            held=held,
            open=np.repeat(nodes.open, factor, axis=1),
            whole=np.repeat(nodes.whole, factor),
            out=np.repeat(nodes.out, factor),
        )
    )
    where = tuple({factor * node: count for node, count in one.items()} for one in best.where)
    larger = instance(large, found.job)
    return {
        "pcp19": Pcp19Model.size(found),
        "pcp21": Pcp21Model.size(found),
        "pcp19_grown": Pcp19Model.size(larger),
        "pcp21_grown": Pcp21Model.size(larger),
        "pcp21_made": Pcp21Model(found, best, hinted=True).variables,
        "pcp21_made_grown": Pcp21Model(larger, Plan(best.start, where), hinted=True).variables,
    }


def rounds(traces: Path, store: Store) -> None:
    """Saved rounds: PCP'19 and PCP'21 on the same ones, the order search beside them, and growth."""
    for believed in ("exact", "data-driven"):
        if not store.wants(f"rounds | {believed} | done"):
            continue
        for number, view in enumerate(saved_rounds("Eurora", believed, traces, EVERY)):
            where = f"rounds | {believed} | {number}"
            for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
                store.add(f"{where} | {method}", partial(solved, view, method, SECONDS))
            for option in ("identical", "lns"):
                make = partial(solved, view, "pcp21", SECONDS, **{option: True})
                store.add(f"{where} | pcp21 {option}", make)
            for budget in (100, 1000):
                store.add(f"{where} | search {budget}", partial(searched, view, budget))
            store.add(f"{where} | grown", partial(grown, view, 10))
        store.add(f"rounds | {believed} | done", dict)


def long_rounds(traces: Path, store: Store) -> None:
    """Some of them with the paper's limits: what 16 s of CP-SAT find beyond 50 ms of order search."""
    if not store.wants("long rounds | done"):
        return
    for number, view in enumerate(saved_rounds("Eurora", "exact", traces, 8 * EVERY)):
        where = f"long rounds | {number}"
        store.add(f"{where} | search 200", partial(searched, view, 200))
        for method in ("pcp21", "pcp21s"):
            for title, workers in (("", 1), (" 8 workers", 8)):
                patience = Patience(16.0, 16.0, workers=workers)
                store.add(f"{where} | {method}{title}", partial(solved, view, method, patience))
    store.add("long rounds | done", dict)


def kit_rounds(traces: Path, store: Store) -> None:
    """Rounds of KIT's log: what becomes of PCP'19 on 1,173 nodes."""
    if not store.wants("KIT rounds | done"):
        return
    for number, view in enumerate(saved_rounds("KIT", "exact", traces, 80)):
        for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
            key = f"KIT rounds | {number} | {method}"
            store.add(key, partial(solved, view, method, SECONDS))
    store.add("KIT rounds | done", dict)


def gather(traces: Path, store: Store) -> None:
    rounds(traces, store)
    for case in cases():
        store.add(case.key, partial(replay, case, traces))
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
