"""Saved rounds: the same problems for every dispatcher, for the order search, and on a larger machine."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_store import Store
from packwise import Decision, View, simulate
from packwise.clusters.finding import find_cluster
from packwise.model.allocation import Allocation
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.nodes.instance import Instance, Plan, by_priority, instance
from packwise.optimise.cp.nodes.lists import list_plan, other_list_plans
from packwise.optimise.cp.nodes.method import Task
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.optimise.cp.nodes.patience import Patience
from packwise.optimise.cp.nodes.pcp19 import Pcp19Model
from packwise.optimise.cp.nodes.pcp21 import Pcp21Model
from packwise.registry import estimate, policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

#: Units of CP-SAT's work at first and at most, as in the studies; and the paper's seconds.
WORK, LONG_WORK, LONG_SECONDS = 0.002, 0.032, 16.0
#: Every so many of the rounds in which there is something to decide.
EVERY, EVERY_LONG, EVERY_KIT, EVERY_KIT_LONG = 15, 300, 80, 400
LOGS = {
    "Eurora": ("Eurora-2014.csv.gz", "eurora", "1"),
    "KIT": ("KIT-FH2-2016-1.first25127.swf.gz", "kit-fh2", "node"),
}


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


def views_of(log: str, believed: str, traces: Path, every: int) -> list[View]:
    """Some rounds of shortest job first."""
    cp_sat()  # so that the first round does not pay for loading it
    saving = Saving(every)
    file, name, unit_cores = LOGS[log]
    nodes = find_cluster(name)
    jobs = load_trace(traces / file, None, Window(), on=nodes, unit_cores=unit_cores).workload
    simulate(jobs, nodes, saving, estimate(believed), reject_too_large=True)
    return saving.views


def problem(view: View) -> tuple[Instance, Plan]:
    """The instance of a round, and the best of its list plans."""
    jobs = by_priority(view, view.queue)[:100]
    plans = [list_plan(view, jobs, np.arange(len(jobs))), *other_list_plans(view, jobs)]
    found = instance(view, jobs)
    return found, min(plans, key=lambda plan: found.slowdown(plan.start))


def solved(view: View, method: str, patience: Patience, **options: bool) -> dict[str, Any]:
    """A round solved by one method."""
    begin = time.process_time()
    found, best = problem(view)
    answer = METHODS[method].find(Task(view, found, best, True, patience, True, options))
    seconds = time.process_time() - begin
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
    """The same round by the order search, for the same total slowdown. Where none of the jobs can start there
    is nothing to search.
    """
    found, best = problem(view)
    ours = policy(f"packwise(objective=BSLD,local=E^-1,budget={budget},window=100)")
    part = view._replace(queue=np.sort(found.job))
    ours.decide(part)  # loads what is compiled
    begin = time.process_time()
    decision = ours.decide(part)
    seconds = time.process_time() - begin
    start = [decision.planned.get(job, view.now) - view.now for job in found.job.tolist()]
    return {
        "seconds": seconds,
        "started": len(decision.start),
        "slowdown": found.slowdown(np.array(start)),
        "list": found.slowdown(best.start),
    }


def sizes(view: View, factor: int) -> dict[str, int]:
    """Variables of the two models, and of the same round on a machine so many times as large. Beside them, as
    the paper counts: |R| for each unit, and a copy on every node even where it could never be.
    """
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
    everywhere = len(found) + int(np.maximum(found.most, 1).sum())
    by_formula = len(found) + len(found.resources) * int(found.units.sum())
    return {
        "pcp19": Pcp19Model.size(found),
        "pcp21": Pcp21Model.size(found),
        "pcp19_everywhere": everywhere,
        "pcp21_by_formula": by_formula,
        "pcp19_grown": Pcp19Model.size(larger),
        "pcp21_grown": Pcp21Model.size(larger),
        "pcp21_made": Pcp21Model(found, best, hinted=True).variables,
        "pcp21_made_grown": Pcp21Model(larger, Plan(best.start, where), hinted=True).variables,
    }


def saved_rounds(believed: str, traces: Path, store: Store) -> None:
    """Rounds of Eurora: PCP'19 and PCP'21 on the same ones, the order search beside them, and growth."""
    if not store.wants(f"rounds | {believed} | done"):
        return
    patience = Patience(WORK, LONG_WORK, deterministic=True, workers=1)
    for number, view in enumerate(views_of("Eurora", believed, traces, EVERY)):
        where = f"rounds | {believed} | {number}"
        for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
            store.add(f"{where} | {method}", partial(solved, view, method, patience))
        for option in ("identical", "lns"):
            make = partial(solved, view, "pcp21", patience, **{option: True})
            store.add(f"{where} | pcp21 {option}", make)
        for budget in (100, 1000):
            store.add(f"{where} | search {budget}", partial(searched, view, budget))
        store.add(f"{where} | sizes", partial(sizes, view, 10))
    store.add(f"rounds | {believed} | done", dict)


def long_rounds(traces: Path, store: Store) -> None:
    """Some of them with the paper's limits, 1 s doubled up to 16 s while that helps: what CP-SAT then finds
    beyond 50 ms of order search.
    """
    if not store.wants("long rounds | done"):
        return
    for number, view in enumerate(views_of("Eurora", "exact", traces, EVERY_LONG)):
        where = f"long rounds | {number}"
        store.add(f"{where} | search 200", partial(searched, view, 200))
        for method in ("pcp21", "pcp21s"):
            for title, workers in (("", 1), (" 8 workers", 8)):
                patience = Patience(workers=workers)
                store.add(f"{where} | {method}{title}", partial(solved, view, method, patience))
    store.add("long rounds | done", dict)


def kit_rounds(traces: Path, store: Store) -> None:
    """Rounds of KIT's log: what becomes of PCP'19 on 1,173 nodes."""
    if not store.wants("KIT rounds | done"):
        return
    patience = Patience(WORK, LONG_WORK, deterministic=True, workers=1)
    for number, view in enumerate(views_of("KIT", "exact", traces, EVERY_KIT)):
        for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
            key = f"KIT rounds | {number} | {method}"
            store.add(key, partial(solved, view, method, patience))
    store.add("KIT rounds | done", dict)


def kit_long_rounds(traces: Path, store: Store) -> None:
    """Some of them with the paper's 16 s, for PCP'19."""
    if not store.wants("KIT long rounds | done"):
        return
    patience = Patience(LONG_SECONDS, LONG_SECONDS, workers=1)
    for number, view in enumerate(views_of("KIT", "exact", traces, EVERY_KIT_LONG)):
        make = partial(solved, view, "pcp19", patience)
        store.add(f"KIT long rounds | {number} | pcp19", make)
    store.add("KIT long rounds | done", dict)
