"""plan_log(): a whole log planned off line for profit, day by day, by one of the paper's methods or by ours.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling'. Its rule-based schedulers are list policies: a
rule that cannot start the first job stops (strict) or skips it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import InputError, UnknownName
from packwise.model.schedule import Schedule
from packwise.model.workload import Ints, Workload
from packwise.optimise.offline.budget import Budget
from packwise.policies import ListPolicy
from packwise.policies.orders import ORDERS
from packwise.predict.exact import Exact
from packwise.simulation import simulate

if TYPE_CHECKING:
    from packwise.optimise.profit.days import Day
    from packwise.optimise.profit.methods import Method
    from packwise.optimise.profit.setting import Setting


class Rule(NamedTuple):
    """A rule-based scheduler of the paper: earliest submission (est), shortest wallclock time (wt) or most
    profit by cost first. Who does not fit is skipped or, if it is strict, waited for.
    """

    name: str
    order: str
    strict: bool


RULES = {
    rule.name: rule
    for order in ("est", "wt", "profit")
    for rule in (
        Rule(f"rule-{order}", order, False),
        Rule(f"rule-{order}-strict", order, True),
    )
}


@dataclass(frozen=True, eq=False)
class PlannedLog:
    """A log that was planned: its schedule, how its days were planned (none by a rule), and in how long."""

    method: str
    workload: Workload
    cluster: Cluster
    schedule: Schedule
    days: tuple[Day, ...]
    seconds: float


def methods() -> dict[str, Method]:
    """The methods that search, by name."""
    from packwise.optimise.profit.methods import METHODS

    return METHODS


def method_names() -> list[str]:
    """All that ``plan_log`` knows."""
    return [*RULES, *methods()]


def check_method(name: str) -> str:
    """The name as it is written."""
    known = {one.lower(): one for one in method_names()}
    found = known.get(name.strip().lower())
    if found is None:
        raise UnknownName("method", name, method_names())
    return found


def plan_log(
    workload: Workload,
    cluster: Cluster,
    method: str = "ours",
    budget: Budget | str = "1s",
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> PlannedLog:
    """Plan a log off line for profit: jobs run for as long as they did, and each day's are known at midnight.

    ``cluster.energy`` says what power costs and what jobs pay. ``budget`` is that of each day, for methods that
    search: a time such as 2s, or a number of evaluations such as 1e4, which gives the same schedule each time.
    """
    from packwise.optimise.profit.compiling import compile_profit
    from packwise.optimise.profit.days import plan_days
    from packwise.optimise.profit.setting import Setting

    name = check_method(method)
    setting = Setting(workload, cluster)
    check_profit(setting.scenario)
    allowed = Budget.parse(budget) if isinstance(budget, str) else budget
    if name in RULES:
        return _by_rule(setting, RULES[name], progress)
    compile_profit(on_nodes=setting.wanted is not None)
    began = time.perf_counter()
    found = plan_days(setting, methods()[name], allowed, seed=seed, progress=progress)
    seconds = time.perf_counter() - began
    return PlannedLog(name, workload, cluster, found.schedule, found.days, seconds)


def check_profit(scenario: EnergyScenario) -> None:
    """Refuse a scenario under which a day has no profit to plan for."""
    if scenario.price is None:
        raise InputError(
            f"energy scenario '{scenario.name}' has no [price], without which there is no profit. Add one."
        )
    if not scenario.revenue:
        raise InputError(
            f"energy scenario '{scenario.name}' tells no revenue, so the profit of a day would be highest if "
            "nothing ran. Write per_core_hour = 0.05 below [revenue] into it, or plan the log as a whole "
            "(--whole), where waiting has a price."
        )


@dataclass(frozen=True, eq=False)
class PlannedAtOnce:
    """A log that was planned as a whole. ``cost``: that of energy and of waiting, infinite if there is no plan;
    ``worth``: what of it is waiting.
    """

    method: str
    workload: Workload
    cluster: Cluster
    schedule: Schedule
    cost: float
    worth: float
    seconds: float


def plan_at_once(
    workload: Workload,
    cluster: Cluster,
    method: str = "ours",
    budget: Budget | str = "10s",
    *,
    value: float = 0.3,
    seed: int = 0,
) -> PlannedAtOnce:
    """Plan a log as a whole, all of it known from the beginning: energy against waiting.

    ``value``: waiting for an hour costs so many times what a job's energy costs in an hour, on average.
    """
    from packwise.optimise.profit.compiling import compile_profit
    from packwise.optimise.profit.days import schedule_of
    from packwise.optimise.profit.floor import floor_of
    from packwise.optimise.profit.problem import whole_log
    from packwise.optimise.profit.setting import Setting
    from packwise.optimise.profit.watch import Watch

    name = check_method(method)
    setting = Setting(workload, cluster)
    allowed = Budget.parse(budget) if isinstance(budget, str) else budget
    problem = whole_log(setting, value)
    compile_profit(on_nodes=setting.wanted is not None)
    began = time.perf_counter()
    if name in RULES:
        schedule = schedule_by_rule(setting, RULES[name])
    else:
        floor = floor_of(problem)
        found = methods()[name].plan(floor, Watch(allowed, len(problem)), seed)
        schedule = schedule_of(floor, found)
    seconds = time.perf_counter() - began
    wait = schedule.start - workload.submit
    worth = float((problem.worth * np.where(schedule.ran, wait, 0)).sum())
    cost = problem.cost(schedule.start) if schedule.ran.all() else float("inf")
    return PlannedAtOnce(name, workload, cluster, schedule, cost, worth, seconds)


def bound_at_once(
    workload: Workload, cluster: Cluster, known: Schedule, seconds: float, *, value: float = 0.3
) -> float:
    """What a plan of a whole log costs at least, as far as some seconds can tell; ``known``: a good one, in
    which all jobs run.
    """
    if not known.ran.all():
        raise InputError("a bound needs a plan to begin with in which all jobs run.")
    from packwise.optimise.profit.bound import bound
    from packwise.optimise.profit.problem import whole_log
    from packwise.optimise.profit.setting import Setting

    return bound(whole_log(Setting(workload, cluster), value), known.start, seconds)


def _by_rule(
    setting: Setting, rule: Rule, progress: Callable[[int], None] | None = None
) -> PlannedLog:
    began = time.perf_counter()
    schedule = schedule_by_rule(setting, rule, progress)
    seconds = time.perf_counter() - began
    return PlannedLog(rule.name, setting.log, setting.cluster, schedule, (), seconds)


def schedule_by_rule(
    setting: Setting, rule: Rule, progress: Callable[[int], None] | None = None
) -> Schedule:
    """The schedule of a rule-based scheduler, on line; it goes through jobs and nodes in their order."""
    workload = setting.log.replace(deadline=None)
    order = {"est": "fcfs", "wt": "sjf", "profit": "edf"}[rule.order]
    if rule.order == "profit":
        workload = workload.replace(deadline=_ranks_as_deadlines(setting))
    policy = ListPolicy(
        name=rule.name, order=ORDERS[order], option="strict" if rule.strict else "greedy"
    )
    awake = replace(setting.cluster, energy=None)  # all nodes are, in plans
    run = simulate(workload, awake, policy, Exact(), placement="first-fit", progress=progress)
    return run.schedule


def _ranks_as_deadlines(setting: Setting) -> Ints:
    """An order of its own for a list policy: deadlines that nobody misses, in the order of profit by cost."""
    cost = setting.power * abs(setting.price)
    ratio = np.divide(setting.earns, cost, out=np.full(len(cost), np.inf), where=cost != 0)
    order = np.lexsort((setting.log.submit, -ratio))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    log = setting.log
    span = int(log.submit.max()) + int(log.runtime.max()) + int(log.requested_time.max())
    found: Ints = span + rank
    return found
