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
from packwise.model.workload import Ints
from packwise.optimise.cp.library import original_cp
from packwise.optimise.cp.nodes.boxes import BoxesModel
from packwise.optimise.cp.nodes.copies import CopiesModel
from packwise.optimise.cp.nodes.dispatcher import who_could_start
from packwise.optimise.cp.nodes.instance import Instance, instance
from packwise.optimise.cp.nodes.lists import list_plan, other_list_plans
from packwise.registry import estimate, policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

#: Every so many of the rounds in which there is something to decide.
EVERY, EVERY_KIT = 60, 400
#: The times as many nodes of the larger machine.
GROWTH = 10
LOGS = {
    "Eurora": ("Eurora-2014.csv.gz", "eurora", "1"),
    "KIT": ("KIT-FH2-2016-1.first25127.swf.gz", "kit-fh2", "divisor"),
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
    original_cp()  # so that the first round does not pay for loading it
    saving = Saving(every)
    file, name, unit_cores = LOGS[log]
    nodes = find_cluster(name)
    jobs = load_trace(traces / file, None, Window(), on=nodes, unit_cores=unit_cores).workload
    simulate(jobs, nodes, saving, estimate(believed), reject_too_large=True)
    return saving.views


def problem(view: View) -> tuple[Ints, Instance]:
    """Who takes part in a round, and its instance."""
    jobs = who_could_start(view, view.queue)[:100]
    return jobs, instance(view, jobs)


def decided(view: View, name: str) -> dict[str, Any]:
    """A round decided by a dispatcher: what it took, and what its search came to."""
    dispatcher = policy(name)
    begin = time.process_time()
    decision = dispatcher.decide(view)
    seconds = time.process_time() - begin
    return {"seconds": seconds, "slowdown": decision.notes.get("objective"), **decision.notes}


def listed(view: View) -> dict[str, Any]:
    """The best of the three list plans."""
    jobs, found = problem(view)
    plans = [list_plan(view, jobs, np.arange(len(jobs))), *other_list_plans(view, jobs)]
    return {"slowdown": min(found.slowdown(plan.start) for plan in plans)}


def searched(view: View, budget: int) -> dict[str, Any]:
    """The same jobs by the order search, for the same total slowdown."""
    jobs, found = problem(view)
    ours = policy(f"packwise(objective=BSLD,local=E^-1,budget={budget},window=100)")
    part = view._replace(queue=np.sort(jobs))
    ours.decide(part)  # loads what is compiled
    begin = time.process_time()
    decision = ours.decide(part)
    seconds = time.process_time() - begin
    start = [decision.planned.get(job, view.now) - view.now for job in jobs.tolist()]
    return {"seconds": seconds, "slowdown": found.slowdown(np.array(start))}


def sizes(view: View) -> dict[str, int]:
    """Variables of the two models, and of the same round on a machine so many times as large. Beside them, as
    the paper counts: |R| for each unit, and a copy on every node even where it could never be.
    """
    jobs, found = problem(view)
    nodes = view.nodes
    assert nodes is not None
    more = np.repeat(nodes.capacity, GROWTH, axis=0)
    free = more.copy()
    free[::GROWTH] = nodes.free
    held = Allocation(nodes.held.first, GROWTH * nodes.held.node, nodes.held.units)
    large = view._replace(
        nodes=nodes._replace(
            capacity=more,
            free=free,
            held=held,
            open=np.repeat(nodes.open, GROWTH, axis=1),
            whole=np.repeat(nodes.whole, GROWTH),
            out=np.repeat(nodes.out, GROWTH),
        )
    )
    larger = instance(large, jobs)
    return {
        "pcp19": CopiesModel.size_of(found),
        "pcp21": BoxesModel.size_of(found),
        "pcp19_everywhere": len(found) + int(np.maximum(found.most, 1).sum()),
        "pcp21_by_formula": len(found) + len(found.resources) * int(found.units.sum()),
        "pcp19_grown": CopiesModel.size_of(larger),
        "pcp21_grown": BoxesModel.size_of(larger),
    }


def saved_rounds(believed: str, traces: Path, store: Store) -> None:
    """Rounds of Eurora: the dispatchers on the same ones, lists and the order search beside them; growth."""
    if not store.wants(f"rounds | {believed} | done"):
        return
    for number, view in enumerate(views_of("Eurora", believed, traces, EVERY)):
        where = f"rounds | {believed} | {number}"
        for name in ("hcp19", "pcp19", "pcp21", "pcp21s"):
            store.add(f"{where} | {name}", partial(decided, view, name))
        for budget in (100, 1000):
            store.add(f"{where} | search {budget}", partial(searched, view, budget))
        store.add(f"{where} | lists", partial(listed, view))
        store.add(f"{where} | sizes", partial(sizes, view))
    store.add(f"rounds | {believed} | done", dict)


def kit_rounds(traces: Path, store: Store) -> None:
    """Rounds of KIT's log: what becomes of each model on 1,173 nodes. PCP'19 and PCP'21 have a tenth of their
    limits: a branch takes them seconds there.
    """
    if not store.wants("KIT rounds | done"):
        return
    names = {
        "hcp19": "hcp19",
        "pcp21s": "pcp21s",
        "pcp21": "pcp21(branches=20)",
        "pcp19": "pcp19(branches=6)",
    }
    for number, view in enumerate(views_of("KIT", "exact", traces, EVERY_KIT)):
        for name, limited in names.items():
            store.add(f"KIT rounds | {number} | {name}", partial(decided, view, limited))
    store.add("KIT rounds | done", dict)
