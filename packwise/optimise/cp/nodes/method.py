"""What a dispatcher does with a round: a task in, a finding out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance, Plan
from packwise.optimise.cp.nodes.patience import NO_BETTER, PROOF, Patience, solve
from packwise.optimise.cp.nodes.scheduling import SchedulingModel

#: Besides what ends a search (``patience``): a model that is too large to be made, and a solver that
#: failed.
TOO_LARGE, FAILED = 4, 5
#: Variables that a model may have. Beyond, making it would take longer than any limit.
MOST_VARIABLES = 500_000


@dataclass(frozen=True, eq=False)
class Task:
    """A round to be solved. ``reference``: a plan that can be followed, with which the solver begins if it is
    ``hinted``. ``allocated``: whether there are nodes to be allocated. ``memory``: what the last finding
    wanted to be remembered.
    """

    view: View
    instance: Instance
    reference: Plan
    hinted: bool
    patience: Patience
    allocated: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    memory: Any = None


@dataclass(frozen=True, eq=False)
class Found:
    """What came of it: a plan, or None; and what it took. ``postponed``: places of those who are planned for
    now and have no nodes.
    """

    plan: Plan | None
    ended: int
    variables: int = 0
    constraints: int = 0
    build_seconds: float = 0.0
    solve_seconds: float = 0.0
    solve_work: float = 0.0
    fails: int = 0
    extensions: int = 0
    bound: float = float("nan")
    postponed: Ints | None = None
    memory: Any = None
    notes: Mapping[str, float] = field(default_factory=dict)

    @property
    def proven(self) -> bool:
        return self.ended == PROOF


@dataclass(frozen=True)
class Method:
    """``find``: from a task to what came of it. ``parameters``: what may be set besides the limits."""

    find: Callable[[Task], Found]
    parameters: Mapping[str, str] = field(default_factory=dict)


def find_with(model: type[SchedulingModel], task: Task) -> Found:
    """Make a model, and search it."""
    size = model.size(task.instance)
    if size > MOST_VARIABLES:
        return Found(None, TOO_LARGE, variables=size)
    begin = time.perf_counter()
    made = model(task.instance, task.reference, hinted=task.hinted)
    built = time.perf_counter() - begin
    outcome = solve(made, task.patience)
    # What is proven of a part of the plans is not proven of all.
    restricted = task.instance.restricted
    return Found(
        None if outcome.values is None else made.plan(outcome.values),
        NO_BETTER if restricted and outcome.ended == PROOF else outcome.ended,
        made.variables,
        made.constraints,
        built,
        outcome.seconds,
        outcome.work,
        outcome.fails,
        outcome.extensions,
        float("nan") if restricted else made.bound(outcome.bound),
    )


def added(total: Found, found: Found) -> Found:
    """What two searches of a round have taken together; the rest is that of the first."""
    return replace(
        total,
        variables=max(total.variables, found.variables),
        constraints=max(total.constraints, found.constraints),
        build_seconds=total.build_seconds + found.build_seconds,
        solve_seconds=total.solve_seconds + found.solve_seconds,
        solve_work=total.solve_work + found.solve_work,
        fails=total.fails + found.fails,
        extensions=total.extensions + found.extensions,
    )


def spent_of(task: Task, found: Found) -> float:
    """What has been taken of the limit."""
    return found.solve_work if task.patience.deterministic else found.solve_seconds


def left_of(task: Task, found: Found) -> float:
    """What is left of the longest limit."""
    return task.patience.longest - spent_of(task, found)
