"""A naive twin of a balanced round without search: plain lists, every profile made anew."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from tests.oracle.naive_search import TooClose, is_less

HOUR = 3600.0
#: Sums of the same numbers in another order differ by less.
CLOSE = 1.0 + 1e-9


class Job(NamedTuple):
    submit: int
    demand: int
    estimate: int

    @property
    def work(self) -> float:
        return float(self.demand) * self.estimate


class Taken(NamedTuple):
    """Processors that somebody has from a time until another."""

    begin: int
    end: int
    demand: int


def earliest(job: Job, now: int, procs: int, taken: Sequence[Taken]) -> int:
    """The first time from now on from which the job fits until its end."""
    for start in sorted({now, *(one.end for one in taken if one.end > now)}):
        moments = [start, *(one.begin for one in taken if start < one.begin < start + job.estimate)]
        used = (sum(one.demand for one in taken if one.begin <= t < one.end) for t in moments)
        if max(used) + job.demand <= procs:
            return start
    raise AssertionError


def insert(
    order: Sequence[int], jobs: Sequence[Job], now: int, procs: int, taken: Sequence[Taken]
) -> dict[int, int]:
    """The start of each, placed one after the other."""
    held, starts = list(taken), {}
    for j in order:
        starts[j] = earliest(jobs[j], now, procs, held)
        held.append(_taken(jobs[j], starts[j]))
    return starts


def gains(jobs: Sequence[Job], came: Sequence[Job], share: float) -> list[float]:
    """How much more urgent each job is for being small, if these are all that ever came."""
    by_class: dict[int, float] = {}
    for one in came:
        by_class[_class(one)] = by_class.get(_class(one), 0.0) + one.work
    total = sum(by_class.values())
    found = []
    for job in jobs:
        below = sum(work for k, work in by_class.items() if k < _class(job))
        part = (below + by_class.get(_class(job), 0.0) / 2) / total
        found.append(max(share / max(part, share / 10001.0) - 1.0, 0.0))
    return found


def naive_round(
    jobs: Sequence[Job],
    now: int,
    procs: int,
    running: Sequence[Taken],
    *,
    patience: float,
    share: float,
    small: float,
    fills: bool,
) -> tuple[list[int], dict[int, int], int | None]:
    """Who starts now, in the order of the queue; the planned starts of the others; and who was overdue."""
    taken = list(running)
    oldest = min(range(len(jobs)), key=lambda j: (jobs[j].submit, j))
    overdue = oldest if now - jobs[oldest].submit > patience else None
    first: list[int] = []
    starts: dict[int, int] = {}
    if overdue is not None:
        starts[overdue] = earliest(jobs[overdue], now, procs, taken)
        taken.append(_taken(jobs[overdue], starts[overdue]))
        first = [overdue]
    rest = [j for j in range(len(jobs)) if j != overdue]
    if not rest:
        return (*_split(first, starts, now), overdue)
    gain = gains(jobs, jobs, share)
    fair = {j: float(jobs[j].demand) * max(float(jobs[j].estimate), 1.0) ** 0.75 for j in rest}
    flows = {j: float(now - jobs[j].submit) + jobs[j].estimate for j in rest}
    whole = math.fsum(fair[j] * (flows[j] / HOUR) ** 2.0 for j in rest)
    area = math.fsum(small * jobs[j].work for j in rest)
    weight = {j: fair[j] / whole for j in rest}
    boost = {j: small * jobs[j].work * gain[j] * small / area for j in rest}

    def cost(j: int, start: int) -> float:
        flow = float(start - jobs[j].submit) + jobs[j].estimate
        return weight[j] * HOUR * (flow / HOUR) ** 3.0 + boost[j] * flow

    def urgency(j: int) -> float:
        return (weight[j] * 3.0 * (flows[j] / HOUR) ** 2.0 + boost[j]) / jobs[j].work

    def by(key: object) -> list[int]:
        return sorted(rest, key=lambda j: (key(j), jobs[j].submit, j))  # type: ignore[operator]

    seeds = [
        rest,
        by(lambda j: -urgency(j)),
        by(lambda j: jobs[j].submit),
        by(lambda j: -jobs[j].work),
        by(lambda j: jobs[j].estimate),
        by(lambda j: jobs[j].work * jobs[j].estimate),
        by(lambda j: jobs[j].work),
    ]
    plans = [(order, insert(order, jobs, now, procs, taken)) for order in seeds]
    costs = [math.fsum(cost(j, plan[j]) for j in rest) for _, plan in plans]
    best, (order, plan) = costs[0], plans[0]
    for paid, other in zip(costs[1:], plans[1:], strict=True):
        if is_less(paid, best):
            best, (order, plan) = paid, other
    dense = sorted(map(urgency, rest))
    if any(b < a * CLOSE for a, b in itertools.pairwise(dense)):
        raise TooClose
    place = {j: p for p, j in enumerate(order)}
    order = sorted(order, key=lambda j: (plan[j], place[j]))
    if fills:
        plan = _filled(order, plan, jobs, now, procs, taken, urgency)
    return (*_split([*first, *order], {**starts, **plan}, now), overdue)


def _filled(
    order: Sequence[int],
    plan: dict[int, int],
    jobs: Sequence[Job],
    now: int,
    procs: int,
    taken: Sequence[Taken],
    urgency: object,
) -> dict[int, int]:
    held = [*taken, *(_taken(jobs[j], now) for j in order if plan[j] == now)]
    later = [j for j in order if plan[j] > now]
    urgent = min(max(len(order) // 4, 1), 6)
    kept = sorted(later, key=lambda j: (-urgency(j), order.index(j)))[:urgent]  # type: ignore[operator]
    held += [_taken(jobs[j], plan[j]) for j in kept]
    after = {j: start for j, start in plan.items() if start == now or j in kept}
    others = [j for j in later if j not in kept]
    for j in others:
        if earliest(jobs[j], now, procs, held) == now:
            after[j] = now
            held.append(_taken(jobs[j], now))
    for j in others:
        if j not in after:
            after[j] = earliest(jobs[j], now, procs, held)
            held.append(_taken(jobs[j], after[j]))
    return after


def _split(
    order: Sequence[int], starts: dict[int, int], now: int
) -> tuple[list[int], dict[int, int]]:
    return [j for j in order if starts[j] == now], {j: starts[j] for j in order if starts[j] > now}


def _taken(job: Job, start: int) -> Taken:
    return Taken(start, start + job.estimate, job.demand)


def _class(job: Job) -> int:
    return min(int(4.0 * math.log2(job.work)), 255)
