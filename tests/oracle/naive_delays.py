"""Holding jobs back, second by second: every start there is, every rate added up."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.oracle.naive_search import Random


class Waits(NamedTuple):
    """A waiting job; ``deadline`` is None for one without."""

    submit: int
    demand: int
    duration: int
    limit: int
    deadline: int | None


class Held(NamedTuple):
    """The starts by job, who could have started before, and when to be woken (None: never)."""

    starts: list[int]
    held: list[bool]
    wake: int | None


def naive_hold_back(
    jobs: list[Waits],
    order: list[int],
    free: dict[int, int],
    rate: list[int],
    now: int,
    *,
    value: float,
    longest: int,
    tries: int,
    fall: float,
    width: float,
    seed: int = 0,
    front: int = 24,
    on_nodes: bool = False,
) -> Held:
    """``free``: processors by second from ``now`` on; ``rate``: of each second from 0 on, the last for ever.

    ``on_nodes``: only the first starts with room from a change of rate on are asked, at the beginning or the
    end of the job; and the front alone is compared.
    """
    changes = [t for t in range(1, len(rate)) if rate[t] != rate[t - 1]]

    def energy(start: int, duration: int) -> int:
        return sum(rate[min(t, len(rate) - 1)] for t in range(start, start + duration))

    def inserted(sequence: list[int], size: int) -> tuple[float, list[int], list[bool]]:
        """The first so many jobs of a sequence, or all."""
        left = dict(free)
        starts, held = [0] * len(jobs), [False] * len(jobs)
        total = 0.0
        for j in sequence[:size]:
            job = jobs[j]
            worth = value * (width / job.demand) ** fall if fall > 0 else value

            def fits(t: int, job: Waits = job) -> bool:
                return all(left[s] >= job.demand for s in range(t, t + job.duration))

            first = next(t for t in range(now, 10**6) if fits(t))
            latest = job.submit + longest
            if job.deadline is not None:
                latest = min(latest, job.deadline - max(job.duration, job.limit))
            best, cost = first, math.inf
            asked_from = [now, *changes, *(t - job.duration for t in changes)]
            firsts = {
                next(t for t in range(since, 10**6) if fits(t))
                for since in asked_from
                if on_nodes and now <= since <= max(latest, first)
            }
            for t in range(first, max(latest, first) + 1):
                if t in firsts if on_nodes else fits(t):
                    asked = worth * (t - now) + float(energy(t, job.duration))
                    if asked < cost:
                        best, cost = t, asked
            for t in range(best, best + job.duration):
                left[t] -= job.demand
            starts[j], held[j] = best, best > first
            total += cost * job.demand
        return total, starts, held

    chance = Random(seed, now, len(jobs))
    sequence = list(order)
    size = min(len(jobs), front)
    compared = size if on_nodes else len(jobs)
    best, _, held = inserted(sequence, compared)
    for _ in range(tries if size > 1 and any(held) else 0):
        i = int(chance.draw() * size)
        j = int(chance.draw() * (size - 1))
        j += j >= i
        other = list(sequence)
        if chance.draw() < 0.5:
            other[i], other[j] = other[j], other[i]
        else:
            other.insert(j, other.pop(i))
        cost = inserted(other, compared)[0]
        if cost < best:
            best, sequence = cost, other
    _, starts, held = inserted(sequence, len(jobs))
    woken = [start for start, late in zip(starts, held, strict=True) if late]
    return Held(starts, held, min(woken, default=None))
