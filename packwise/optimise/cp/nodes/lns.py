"""Large neighbourhood search over a round: most of a plan stays, a few jobs are planned anew, again and again.

Galleguillos, Kiziltan and Soto, CP 2021, name it as future work. CP-SAT's own works on the whole model, which
takes as long to be made ready for a search as a small one takes to be solved.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Plan
from packwise.optimise.cp.nodes.method import Found, Task, added, find_with
from packwise.optimise.cp.nodes.patience import LONGEST, NO_BETTER, PROOF, Progress
from packwise.optimise.cp.nodes.scheduling import SchedulingModel

#: Jobs that are planned anew at a time.
SIZE = 10
#: The part of the first limit that a neighbourhood is given.
SHARE = 0.1
#: The part that it counts for, if it takes less.
LEAST = 0.05


def find_by_parts(model: type[SchedulingModel], task: Task) -> Found:
    """Improve the reference, part by part, as long as the limits say."""
    instance, patience = task.instance, task.patience
    rng = np.random.default_rng(patience.seed)
    best, cost = task.reference, instance.slowdown(task.reference.start)
    progress, moments = Progress(patience), list(patience.moments())
    total = Found(best, LONGEST)
    spent, extensions, tried = 0.0, 0, 0
    while True:
        free = neighbourhood(task, best, rng)
        others = np.setdiff1d(np.arange(len(instance)), free)
        began = time.perf_counter()
        part = replace(
            task,
            instance=instance.part(free, best, others),
            reference=Plan(best.start[free], tuple(best.where[i] for i in free.tolist())),
            hinted=True,
            patience=replace(
                patience, limit=SHARE * patience.limit, longest=SHARE * patience.limit
            ),
        )
        found = find_with(model, part)
        tried += 1
        if found.plan is not None:
            start, where = best.start.copy(), list(best.where)
            start[free] = found.plan.start
            for place, nodes in zip(free.tolist(), found.plan.where, strict=True):
                where[place] = nodes
            if instance.slowdown(start) < cost:
                best, cost = Plan(start, tuple(where)), instance.slowdown(start)
        total = replace(added(total, found), extensions=0)
        if len(free) == len(instance) and found.ended == PROOF:
            notes = {"parts": tried}
            return replace(
                total, plan=best, ended=PROOF, bound=found.bound, extensions=extensions, notes=notes
            )
        # A search that is over at once has taken some of the limit all the same.
        least = LEAST * patience.limit
        used = found.solve_work if patience.deterministic else time.perf_counter() - began
        spent += max(used, least)
        while spent >= moments[extensions]:
            if extensions == len(moments) - 1:
                return replace(total, plan=best, extensions=extensions, notes={"parts": tried})
            if progress.at_limit(cost):
                notes = {"parts": tried}
                return replace(
                    total, plan=best, ended=NO_BETTER, extensions=extensions, notes=notes
                )
            extensions += 1


def neighbourhood(task: Task, plan: Plan, rng: Generator) -> Ints:
    """Jobs to be planned anew: some that start about when one of them does, which is one that costs much."""
    instance = task.instance
    size = min(SIZE, len(instance))
    delay = plan.start * instance.weight
    chance = (delay + 1e-9) / (delay + 1e-9).sum()
    pivot = int(rng.choice(len(instance), p=chance))
    # By how far apart they start, in ranks and a little at random, so that no two parts are alike.
    rank = np.argsort(np.argsort(plan.start, kind="stable"))
    apart = np.abs(rank - rank[pivot]) + rng.uniform(0, size, len(instance))
    apart[pivot] = -1.0
    return np.sort(np.argsort(apart, kind="stable")[:size])
