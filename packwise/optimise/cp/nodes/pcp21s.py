"""PCP'21s: PCP'21 for requests that are alike, where one resource is as good as another.

Galleguillos, Kiziltan and Soto, CP 2021, section 3: after an attempt to allocate the resources of a job the
search goes back to its start, never to other positions. So positions need be no variables: the solver plans
the starts, all jobs of the plan are given the lowest positions that are free, in the order of their starts,
and one that has none at its start may not start before it has one. Then the search goes on with that, from the
plan that came of the attempt. CP-SAT cannot be told where to go back to; this is the same from outside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from packwise.optimise.cp.nodes.lists import list_plan
from packwise.optimise.cp.nodes.method import Found, Method, Task, added, find_with, left_of
from packwise.optimise.cp.nodes.patience import NO_BETTER
from packwise.optimise.cp.nodes.scheduling import SchedulingModel

#: Attempts to allocate a round, at most. On KIT's log one in ten rounds needs a second.
MOST_ATTEMPTS = 8


def find(task: Task) -> Found:
    """Plan, allocate, and plan again where that fails."""
    found = find_with(SchedulingModel, task)
    if found.plan is None or not task.allocated:
        return found
    instance, view = task.instance, task.view
    total, attempts, earliest = found, 1, instance.earliest
    best = task.reference if task.hinted else None
    while True:
        assert found.plan is not None
        order = np.lexsort([np.arange(len(earliest)), found.plan.start])
        placed = list_plan(view, instance.job, order, "first-fit")
        if best is None or instance.slowdown(placed.start) < instance.slowdown(best.start):
            best = placed
        late = order[placed.start[order] > found.plan.start[order]]
        left = left_of(task, total)
        if not late.size or attempts == MOST_ATTEMPTS or left <= 0:
            break
        earliest = earliest.copy()
        earliest[late[0]] = placed.start[late[0]]
        again = replace(
            task,
            instance=replace(instance, earliest=earliest),
            reference=best,
            hinted=bool((best.start >= earliest).all()),
            patience=task.patience.within(left),
        )
        found = find_with(SchedulingModel, again)
        total, attempts = added(total, found), attempts + 1
        if found.plan is None:  # none that is as good
            break
    ended = total.ended if attempts == 1 and not late.size else NO_BETTER
    return replace(total, plan=best, ended=ended, notes={"attempts": attempts})


PCP21S = Method(find)
