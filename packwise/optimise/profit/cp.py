"""Constraint programming for a day's plan: by itself, and as RelaxationSearch.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', sections 5 and 7.2, with CP-SAT in place of CP
Optimizer. RelaxationSearch begins with MultiSearch and asks for a better plan in which jobs of several units
stay on their nodes; jobs of one unit may change theirs. To keep its model small enough to be built, those that
MultiSearch leaves for tomorrow are left, and a job of one unit chooses of its own node and seven others.

Where the solver finds nothing in time, or the model would be too large to build, that is the result: the plan
to begin with, or for plain constraint programming none.
"""

from __future__ import annotations

from math import inf

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.limits import Limits
from packwise.optimise.cp.search import Answer, search
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.cp_model import MOST_PAIRS, ProfitModel, pairs_of
from packwise.optimise.profit.cp_places import Choice, Given, NodeChoice, drawn
from packwise.optimise.profit.multi import Found, begun, is_less
from packwise.optimise.profit.nodes import OnNodes
from packwise.optimise.profit.plan import Plan
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.watch import Watch

#: Nodes that a job of one unit may change to.
_OTHERS = 7
#: Seconds of CP-SAT where a budget counts evaluations: so many of them are one.
_EVALUATIONS_A_SECOND = 1000


def relaxation(floor: Pool, watch: Watch, seed: int) -> Found:
    """MultiSearch, and a better plan if CP-SAT finds one."""
    best = begun(floor, watch)
    problem = floor.problem
    chosen = np.flatnonzero(best.plan.start != LATER)
    on_nodes = isinstance(floor, OnNodes)
    if not len(chosen) or pairs_of(problem, chosen, 1 + _OTHERS if on_nodes else 0) > MOST_PAIRS:
        return best
    model = ProfitModel(problem, chosen, best.plan.start)
    places = None
    if isinstance(floor, OnNodes):
        places = NodeChoice(model, *_relaxed(floor, best.plan, chosen, seed))
    _ask(floor, watch, best, model, places, seed)
    return best


def plain(floor: Pool, watch: Watch, seed: int) -> Found:
    """The constraint program alone, without a plan to begin with."""
    problem = floor.problem
    nobody = np.full(len(problem), LATER)
    everybody = np.arange(len(problem))
    cluster = problem.setting.cluster
    on_nodes = isinstance(floor, OnNodes)
    cost = problem.cost(nobody) if problem.span.closed else inf  # of a whole log that is no plan
    best = Found(floor.plan(nobody), cost, cost, everybody, "none", watch.seconds)
    if pairs_of(problem, everybody, cluster.nodes if on_nodes else 0) > MOST_PAIRS:
        return best
    model = ProfitModel(problem, everybody, None)
    places = None
    if on_nodes:
        wanted = problem.setting.wanted
        assert wanted is not None
        rows = wanted.open[wanted.where[wanted.kind[problem.picked]]]
        places = NodeChoice(
            model, {}, {i: np.flatnonzero(row).tolist() for i, row in enumerate(rows)}
        )
    _ask(floor, watch, best, model, places, seed)
    return best


def _relaxed(floor: OnNodes, plan: Plan, chosen: Ints, seed: int) -> tuple[Given, Choice]:
    """Jobs of several units where they are, and where those of one may go."""
    wanted = floor.problem.setting.wanted
    assert wanted is not None
    random = np.random.default_rng(seed)
    allocation = floor.allocation(plan)
    given: Given = {}
    choice: Choice = {}
    for i, j in enumerate(chosen.tolist()):
        job = int(floor.problem.picked[j])
        own = allocation.of(j)
        if wanted.units[job] > 1:
            given[i] = own
        else:
            nodes = np.flatnonzero(wanted.open[wanted.where[wanted.kind[job]]])
            choice[i] = drawn(nodes, list(own), _OTHERS, random)
    return given, choice


def _ask(
    floor: Pool,
    watch: Watch,
    best: Found,
    model: ProfitModel,
    places: NodeChoice | None,
    seed: int,
) -> None:
    """Ask CP-SAT for as long as there is time, and keep what it finds if it is better."""
    left = watch.seconds_left
    if left is None:
        tries = watch.tries_left(2**62)
        limits = Limits(deterministic=max(tries, 1) / _EVALUATIONS_A_SECOND, workers=1, seed=seed)
        watch.count(tries)
    elif left > 0:
        limits = Limits(seconds=left, workers=1, seed=seed)
    else:
        return
    # One worker goes the same way each time; taking turns among strategies would only slow it down.
    plain_search = {"interleave_search": False}
    answer = search(model.cp, model.starts, limits, limits.amount, settings=plain_search)
    if answer.values is None:
        return
    start = np.full(len(floor.problem), LATER)
    began = floor.problem.span.begin
    found = answer.values + began
    if floor.problem.span.closed:
        found = np.where(found >= floor.problem.span.end, LATER, found)
    start[model.chosen] = found
    cost = floor.problem.cost(start)
    if is_less(cost, best.cost):
        best.plan, best.cost = _plan(floor, start, model, places, answer), cost
        best.seconds = watch.seconds


def _plan(
    floor: Pool, start: Ints, model: ProfitModel, places: NodeChoice | None, answer: Answer
) -> Plan:
    if places is None or not isinstance(floor, OnNodes):
        return floor.plan(start)
    where = {
        j: places.places(answer.solution, i)
        for i, j in enumerate(model.chosen.tolist())
        if start[j] != LATER
    }
    return floor.plan_on(start, where)
