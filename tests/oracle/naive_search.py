"""A naive twin of the order search: the same moves and random numbers, every order evaluated in full.

No remembered profiles, no early end, no lower bounds: capacity is looked up second by second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

_MASK = 2**64 - 1

Cost = Callable[[int, int], float]


class TooClose(Exception):
    """Two orders cost nearly the same, but not so nearly that nothing but rounding can be between them."""


def is_less(one: float, other: float) -> bool:
    """Whether a cost is less than another by more than rounding, which is a part of 1e-12 at most."""
    if 1e-13 * abs(other) < abs(one - other) < 1e-9 * abs(other) < math.inf:
        raise TooClose
    return other - one > 1e-12 * abs(one)


class Random:
    """xorshift64, seeded by the seed, the moment and the length of the queue."""

    def __init__(self, seed: int, now: int, jobs: int) -> None:
        x = (seed * 0x9E3779B97F4A7C15 + now) & _MASK
        x = (x * 0xBF58476D1CE4E5B9 + jobs) & _MASK
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
        self._state = (x ^ (x >> 31)) | 1

    def draw(self) -> float:
        x = self._state
        x ^= (x << 13) & _MASK
        x ^= x >> 7
        x ^= (x << 17) & _MASK
        self._state = x
        return (x >> 11) / 2**53


def insert(
    order: Sequence[int],
    now: int,
    demand: Sequence[int],
    estimate: Sequence[int],
    free_at: Callable[[int], int],
) -> dict[int, int]:
    """The start of each job, placed in this order at the first second from now at which it fits."""
    used: dict[int, int] = {}
    starts = {}
    for job in order:
        start = now
        while any(
            free_at(t) - used.get(t, 0) < demand[job] for t in range(start, start + estimate[job])
        ):
            start += 1
        for t in range(start, start + estimate[job]):
            used[t] = used.get(t, 0) + demand[job]
        starts[job] = start
    return starts


def naive_search(
    now: int,
    submit: Sequence[int],
    demand: Sequence[int],
    estimate: Sequence[int],
    fresh: Sequence[bool],
    free_at: Callable[[int], int],
    cost: Cost,
    slope: Callable[[int], float],
    *,
    budget: int,
    window: int,
    temperature: float,
    seed: int,
    latest: Mapping[int, int],
    in_order: bool = False,
    beside: Callable[[Mapping[int, int]], float] = lambda starts: 0.0,
    on_nodes: Callable[[Sequence[int]], dict[int, int]] | None = None,
) -> tuple[list[int], dict[int, int]]:
    """The order of the plan and its starts; jobs are places in the carried order.

    ``latest``: the start after which a job is late, for those with a deadline that matters. ``in_order``: the
    plan comes in the order of its starts, which it does where any job has a deadline, also one without hope.
    ``beside``: what a plan costs beside its jobs. ``on_nodes``: the starts of an order on nodes, instead of
    those on a pool; there an order by starts is not taken if it costs more.
    """
    jobs = list(range(len(submit)))
    random = Random(seed, now, len(jobs))

    def placed(order: Sequence[int]) -> dict[int, int]:
        return on_nodes(order) if on_nodes else insert(order, now, demand, estimate, free_at)

    def value(order: Sequence[int]) -> tuple[float, dict[int, int]]:
        starts = placed(order)
        return float(sum(cost(job, starts[job]) for job in order)) + beside(starts), starts

    def by(key: Callable[[int], float]) -> list[int]:
        return sorted(jobs, key=lambda job: (key(job), submit[job], job))

    def density(job: int) -> float:
        return demand[job] * estimate[job] / slope(job) if slope(job) > 0 else math.inf

    new = [job for job in jobs if fresh[job]]
    seeds = [jobs]
    if 0 < len(new) < len(jobs):
        seeds.append(new + [job for job in jobs if not fresh[job]])
    seeds += [
        by(density),
        by(lambda j: submit[j]),
        by(lambda j: -demand[j] * estimate[j]),
        by(lambda j: estimate[j]),
        by(lambda j: demand[j] * estimate[j] ** 2),
        by(lambda j: demand[j] * estimate[j]),
    ]
    if latest:
        rest = [job for job in jobs if job not in latest]
        seeds.append(
            sorted(latest, key=lambda job: (latest[job], submit[job], job))
            + sorted(rest, key=lambda job: (density(job), job))
        )

    def finished(plan: list[int], starts: dict[int, int]) -> tuple[list[int], dict[int, int]]:
        place = {job: p for p, job in enumerate(plan)}
        if in_order:
            plan = sorted(plan, key=lambda job: (starts[job], place[job]))
        return plan, starts

    least = {job: cost(job, placed([job])[job]) for job in jobs}
    best, plan, starts = math.inf, jobs, {}
    for order in seeds:
        found, at = value(order)
        if is_less(found, best):
            best, plan, starts = found, list(order), at
    place = {job: p for p, job in enumerate(plan)}
    by_start = sorted(plan, key=lambda job: (starts[job], place[job]))
    if not on_nodes:
        plan = by_start
    else:
        found, at = value(by_start)
        if not is_less(best, found):
            best, plan, starts = found, by_start, at
    size = min(len(jobs), window)
    if size < 2 or budget < 1:
        return finished(plan, starts)
    head, tail = plan[:size], plan[size:]
    order = list(head)
    current, _ = value(order)
    lowest, kept = current, None
    alone = sum(cost(job, start) for job, start in value(order)[1].items())
    heat = temperature * max(alone - sum(least[job] for job in order), 0.0) / size
    for step in range(1, budget + 1):
        limit = current - heat * (1.0 - step / budget) * math.log(1.0 - random.draw())
        i = int(random.draw() ** 2 * size)
        j = int(random.draw() ** 2 * (size - 1))
        j += j >= i
        swap = random.draw() < 0.5
        tried = list(order)
        if swap:
            tried[i], tried[j] = tried[j], tried[i]
        else:
            tried.insert(j, tried.pop(i))
        found, _ = value(tried)
        if is_less(found, limit):
            order, current = tried, found
            if is_less(found, lowest):
                lowest, kept = found, list(tried)
    if kept is not None:
        found, at = value(kept + tail)
        if is_less(found, best):
            return finished(kept + tail, at)
    return finished(plan, starts)
