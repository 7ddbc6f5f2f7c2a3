"""Our own search: MultiSearch, its best order improved, and then a large-neighbourhood search over plans.

For half of the time the order is improved: jobs are held back at random, then moved to other places in it, and
each time the whole order is inserted again, so that everybody behind makes room. The rest goes to
neighbourhoods of the plan (``kernels.profit_search``), which find starts that no order gives; these are for a
pool. Either alone is worse: neighbourhoods where many jobs wait, orders where few do.
"""

from __future__ import annotations

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.kernels.profit_search import BEST, COST, HEAT, follow, improve, new_work
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.multi import Found, begun, is_less
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.watch import Watch

#: The shares of a budget after which jobs are moved instead of held, and after which orders are left alone.
_HELD, _ORDERED = 0.25, 0.5
#: How much worse a neighbour may be at first, as a share of what a job costs on average: of a log, of a day.
_HEAT, _DAY_HEAT = 0.3, 0.001
#: Neighbourhoods between two looks at the watch.
_SLICE = 500


def ours(floor: Pool, watch: Watch, seed: int = 0) -> Found:
    """The best plan until the budget is spent."""
    random = np.random.default_rng(seed)
    best = begun(floor, watch)
    problem = floor.problem
    if not best.anybody:
        return best
    on_nodes = problem.setting.wanted is not None
    factor = 2.0 if on_nodes else 1.0
    _improve_order(floor, watch, best, random, _HELD * factor, _ORDERED * factor)
    if not on_nodes:
        _improve_plan(floor, watch, best, int(random.integers(1, 2**63)))
    return best


def _improve_order(
    floor: Pool, watch: Watch, best: Found, random: np.random.Generator, held: float, end: float
) -> None:
    """Hold jobs of the order back, and then move them, until a share of the budget is spent."""
    jobs = floor.problem.jobs
    order, since = best.order, jobs.release.copy()
    planned = _planned(best, order)
    while watch.used < end and len(planned):
        place = int(planned[random.integers(len(planned))])
        tried, not_before = order, since
        if watch.used < held:
            job = order[place]
            not_before = since.copy()
            length = min(jobs.last[job], floor.problem.day_end) - jobs.release[job]
            wait = 0 if random.random() < 0.3 else int(random.random() ** 2 * length)
            not_before[job] = jobs.release[job] + wait
        else:
            other = int(planned[random.integers(len(planned))])
            if random.random() < 0.5:
                other = int(len(order) * random.random() ** 2)
            tried = _moved(order, place, other)
        start = floor.insert(tried, not_before)
        watch.count_pass()
        if best.offer(floor, start, watch):
            order, since = tried, not_before
            planned = _planned(best, order)


def _planned(best: Found, order: Ints) -> Ints:
    """The places in an order of those who start today."""
    return np.flatnonzero(best.plan.start[order] != LATER)


def _moved(order: Ints, place: int, other: int) -> Ints:
    """An order with a job taken from one place to another."""
    return np.insert(np.delete(order, place), other, order[place])


def _improve_plan(floor: Pool, watch: Watch, best: Found, seed: int) -> None:
    """Neighbourhoods until the budget is spent."""
    problem, jobs = floor.problem, floor.problem.jobs
    # Of those that are left the first to be tried earn most by what they draw; then the longest.
    earns = problem.setting.earns[problem.picked] / jobs.demand
    work = new_work(np.lexsort((-jobs.duration, -earns)), seed)
    start = best.plan.start.copy()
    known = (problem.rates, problem.sums, jobs, floor.line, floor.held, work, start)
    follow(*known)
    planned = max(1, int((start != LATER).sum()))
    heat = (_DAY_HEAT if problem.span.closed else _HEAT) * abs(work.reals[COST]) / planned
    begun = watch.used
    lowest = work.reals[BEST]
    while watch.used < 1 and len(start) and (tries := watch.tries_left(_SLICE)):
        work.reals[HEAT] = heat * (1 - (watch.used - begun) / max(1 - begun, 1e-9))
        improve(*known, tries)
        watch.count(tries)
        if work.reals[BEST] < lowest:
            lowest = work.reals[BEST]
            best.seconds = watch.seconds
    cost = problem.cost(work.best)
    if is_less(cost, best.cost):
        best.plan, best.cost = floor.plan(work.best.copy()), cost
