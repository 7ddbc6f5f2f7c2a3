"""HCP'19: the schedule by constraint programming as if all nodes were one, the nodes by best fit.

As told in Galleguillos, Kiziltan and Soto, CP 2021, section 1. Who is planned for now and has no place then, is
postponed, and the schedule is made again without a start for it now, a few times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from packwise.optimise.cp.nodes.best_fit import best_fit
from packwise.optimise.cp.nodes.instance import Plan
from packwise.optimise.cp.nodes.method import Found, Method, Task, added, find_with, left_of
from packwise.optimise.cp.nodes.scheduling import SchedulingModel

#: Schedules that are made in a round, at most.
MOST_ATTEMPTS = 4


def find(task: Task) -> Found:
    """Plan and allocate, and plan again without those who have no place now."""
    found = find_with(SchedulingModel, task)
    if not task.allocated:
        return found
    jobs, earliest = task.instance.job, task.instance.earliest
    total, attempts = found, 1
    while True:
        if found.plan is None:
            return replace(total, plan=None)
        now = np.flatnonzero(found.plan.start == 0)
        placed = best_fit(task.view, jobs[now])
        postponed = np.array([i for i in now.tolist() if int(jobs[i]) not in placed], np.int64)
        plan = Plan(found.plan.start, tuple(placed.get(job, {}) for job in jobs.tolist()))
        total = replace(
            total, plan=plan, postponed=postponed, notes={"attempts": attempts}, ended=found.ended
        )
        left = left_of(task, total)
        if not postponed.size or attempts == MOST_ATTEMPTS or left <= 0:
            return total
        # Whoever has no place now has none before something ends.
        ends = task.instance.taken.end, task.instance.estimate[np.setdiff1d(now, postponed)]
        earliest = earliest.copy()
        earliest[postponed] = np.concatenate(ends).min(initial=task.instance.horizon)
        again = replace(
            task,
            instance=replace(task.instance, earliest=earliest),
            hinted=False,
            patience=task.patience.within(left),
        )
        found = find_with(SchedulingModel, again)
        if found.plan is None:  # none that is as good: those who have a place start
            return total
        total, attempts = added(total, found), attempts + 1


HCP19 = Method(find)
