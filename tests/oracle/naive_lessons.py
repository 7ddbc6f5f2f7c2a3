"""A naive twin of what the search learns from ended jobs: looked up among all of them, class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

DAY = 24 * 3600


class Ended(NamedTuple):
    """A job that has ended."""

    demand: int
    believed: int
    runtime: int
    at: int


def slowdown_weight(duration: int) -> float:
    """What a second of waiting counts by BSLD."""
    return 1.0 / max(duration, 10)


def width_class(demand: int) -> int:
    return int(math.log2(demand))


def length_class(estimate: int) -> int:
    return int(2 * math.log2(max(estimate, 1)))


class NaiveLessons:
    """What is known after these jobs have ended, in this order."""

    def __init__(self, ended: Sequence[Ended], doubt: float) -> None:
        self.ended = list(ended)
        self.doubt = doubt
        work = sum(one.demand * one.runtime for one in ended)
        believed = sum(one.demand * one.believed for one in ended)
        self.taken = (work + 1.0) / (believed + 1.0)
        spread = 1.0
        for length in {length_class(one.believed) for one in ended}:
            same = [slowdown_weight(one.runtime) for one in self._like(length)]
            mean = sum(same) / len(same)
            spread += sum((weight / mean - 1.0) ** 2 for weight in same)
        self.spread = spread / (len(self.ended) + 1.0)

    def _like(self, length: int, width: int | None = None) -> list[Ended]:
        return [
            one
            for one in self.ended
            if length_class(one.believed) == length and width in (None, width_class(one.demand))
        ]

    def weight(self, demand: int, estimate: int) -> float:
        """What a waiting job is expected to weigh."""
        own = slowdown_weight(estimate)
        all_weights = [slowdown_weight(one.runtime) for one in self.ended]
        mean = sum(all_weights) / len(all_weights) if all_weights else own
        expected = mean**self.doubt * own ** (1 - self.doubt)
        for width in (None, width_class(demand)):
            like = self._like(length_class(estimate), width)
            total = sum(slowdown_weight(one.runtime) for one in like)
            expected = (total + self.spread * expected) / (len(like) + self.spread)
        return expected

    def span(self, demand: int, estimate: int) -> int:
        """How long a job keeps newcomers waiting if it starts now, in seconds of estimates."""
        part = self.taken
        for width in (None, width_class(demand)):
            like = self._like(length_class(estimate), width)
            total = sum(one.runtime / max(one.believed, 1) for one in like)
            part = (total + 5 * part) / (len(like) + 5)
        return max(int(estimate * (part / self.taken)), 1)

    def newcomers_pay(
        self, free: int, releases: Sequence[tuple[int, int]], plan: Sequence[tuple[int, int, int]]
    ) -> float:
        """What newcomers pay for a plan of jobs, each a start (now is 0), a width and a span; ``releases``:
        after how long so many processors come back from running jobs. Each second is looked at by itself.
        """
        if not self.ended:
            return 0.0
        running = [(-1, demand, 1 + end) for end, demand in releases]
        procs = free + sum(demand for _, demand, _ in running)
        jobs = [*running, *plan]
        first = self.ended[0]
        seconds = max(self.ended[-1].at - (first.at - first.runtime), DAY)
        total = 0.0
        for width in {width_class(one.demand) for one in self.ended}:
            like = [one for one in self.ended if width_class(one.demand) == width]
            weight = sum(slowdown_weight(one.runtime) for one in like)
            mean = sum(one.demand * slowdown_weight(one.runtime) for one in like) / weight
            waited = 0.0
            for t in range(max((start + span for start, _, span in jobs), default=0)):
                there = [
                    (start + span, demand)
                    for start, demand, span in jobs
                    if start <= t < start + span
                ]
                moments = [t, *sorted(end for end, _ in there)]
                fits = next(
                    at for at in moments if procs - sum(r for end, r in there if end > at) >= mean
                )
                waited += max(fits - t - 0.5, 0.0)  # the mean over this second
            total += weight / seconds * waited
        return self.taken**2 * total
