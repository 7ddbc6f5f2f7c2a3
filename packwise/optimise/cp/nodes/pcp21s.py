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
from packwise.optimise.cp.nodes.method import Found, Method, Task, find_with
from packwise.optimise.cp.nodes.patience import NO_BETTER
from packwise.optimise.cp.nodes.scheduling import SchedulingModel

#: Attempts to allocate a round, at most. On KIT's log one in ten rounds needs a second.
MOST_ATTEMPTS = 8


def find(task: Task) -> Found:
    """Plan, allocate, and plan again where that fails."""
    first = find_with(SchedulingModel, task)
    if first.plan is None or not task.allocated:
        return first
    found, earliest, best = first, task.instance.earliest, task.reference
    spent = [found]
    longest = task.patience.longest
    while True:
        assert found.plan is not None
        order = np.lexsort([np.arange(len(earliest)), found.plan.start])
        placed = list_plan(task.view, task.instance.job, order, "first-fit")
        best = min(best, placed, key=lambda plan: task.instance.slowdown(plan.start))
        late = order[placed.start[order] > found.plan.start[order]]
        left = longest - sum(_amount(task, one) for one in spent)
        if not late.size or len(spent) == MOST_ATTEMPTS or left <= 0:
            break
        earliest = earliest.copy()
        earliest[late[0]] = placed.start[late[0]]
        again = replace(
            task,
            instance=replace(task.instance, earliest=earliest),
            reference=best,
            patience=replace(task.patience, limit=min(task.patience.limit, left), longest=left),
        )
        found = find_with(SchedulingModel, again)
        spent.append(found)
        if found.plan is None:  # none that is as good
            break
    ended = first.ended if not late.size and len(spent) == 1 else NO_BETTER
    return replace(
        first,
        plan=best,
        ended=ended,
        build_seconds=sum(one.build_seconds for one in spent),
        solve_seconds=sum(one.solve_seconds for one in spent),
        solve_work=sum(one.solve_work for one in spent),
        fails=sum(one.fails for one in spent),
        extensions=sum(one.extensions for one in spent),
        notes={"attempts": len(spent)},
    )


def _amount(task: Task, found: Found) -> float:
    """What an attempt has taken of the limit."""
    return found.solve_work if task.patience.deterministic else found.solve_seconds


PCP21S = Method(find)
