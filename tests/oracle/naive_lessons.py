"""A naive twin of what the search learns from ended jobs: looked up among all of them, class by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

DAY = 24 * 3600


class Ended(NamedTuple):
    """A job that has ended."""

    demand: int
    believed: int
    runtime: int
    user: int
    at: int


#: What a second of waiting counts if a job runs so long, by metric, and the most that it counts.
WEIGHTS: dict[str, Callable[[int], float]] = {
    "BSLD": lambda duration: 1.0 / max(duration, 10),
    "AF": lambda duration: 1.0,
}
MOST = {"BSLD": 0.1, "AF": 1.0}
#: What newcomers count against those who wait.
COMING = {"BSLD": 1.0, "AF": 0.25}
#: By how much more large jobs count where a week's work waits: with exact estimates, and with limits.
AREA = {"BSLD": (0.0, 0.0), "AF": (0.5, 0.6)}


def width_class(demand: int) -> int:
    return int(math.log2(demand))


def length_class(estimate: int) -> int:
    return int(2 * math.log2(max(estimate, 1)))


class NaiveLessons:
    """What is known after these jobs have ended, in this order."""

    def __init__(self, ended: Sequence[Ended], doubt: float, metric: str = "BSLD") -> None:
        self.ended = list(ended)
        self.doubt = doubt
        self.weigh = WEIGHTS[metric]
        self.most = MOST[metric]
        self.coming = COMING[metric]
        trusted, doubted = AREA[metric]
        self.area = trusted + doubt * (doubted - trusted)
        work = sum(one.demand * one.runtime for one in ended)
        believed = sum(one.demand * one.believed for one in ended)
        self.taken = (work + 1.0) / (believed + 1.0)
        spread = 1.0
        for length in {length_class(one.believed) for one in ended}:
            same = self._weights(self._like(length, self.ended))
            mean = sum(same) / len(same)
            spread += sum((weight / mean - 1.0) ** 2 for weight in same)
        self.spread = spread / (len(self.ended) + 1.0)

    def _weights(self, jobs: Sequence[Ended]) -> list[float]:
        return [self.weigh(one.runtime) for one in jobs]

    @staticmethod
    def _like(length: int, jobs: Sequence[Ended]) -> list[Ended]:
        return [one for one in jobs if length_class(one.believed) == length]

    def weights(self, waiting: Sequence[tuple[int, int, int]], procs: int) -> list[float]:
        """What waiting jobs, each a width, an estimate and a user, are expected to weigh. Where work piles up,
        large ones weigh more, and small ones less.
        """
        areas = [r * e for r, e, _ in waiting]
        pressure = min(1.0, (1 - self.doubt / 2) * sum(areas) / procs / (7 * DAY))
        large = [area ** (pressure * self.area) for area in areas]
        mean = sum(large) / len(large)
        return [
            self.weight(e, user) * factor / mean
            for (_, e, user), factor in zip(waiting, large, strict=True)
        ]

    def weight(self, estimate: int, user: int) -> float:
        """What a waiting job is expected to weigh."""
        own = self.weigh(estimate)
        if not self.ended:
            return own
        mean = sum(self._weights(self.ended)) / len(self.ended)
        prior = mean**self.doubt * own ** (1 - self.doubt)
        like = self._weights(self._like(length_class(estimate), self.ended))
        expected = (sum(like) + 4 * self.spread * prior) / (len(like) + 4 * self.spread)
        if user < 0:
            return expected
        return min(expected * self._rating(user, mean) ** self.doubt, max(self.most, expected))

    def _rating(self, user: int, mean: float) -> float:
        """How a user's last jobs did against what was expected when they ended; the last counts most."""
        weighed, thought = 4 * mean, 4 * mean
        theirs = [k for k, one in enumerate(self.ended) if one.user == user]
        for age, k in enumerate(reversed(theirs)):
            one, before = self.ended[k], self.ended[:k]
            like = self._weights(self._like(length_class(one.believed), before))
            overall = self._weights(before) or self._weights([one])
            expected = (sum(like) + 5 * sum(overall) / len(overall)) / (len(like) + 5)
            weighed += 0.8**age * self.weigh(one.runtime)
            thought += 0.8**age * expected
        return weighed / thought

    def span(self, estimate: int) -> int:
        """How long a job keeps newcomers waiting if it starts now, in seconds of estimates."""
        like = self._like(length_class(estimate), self.ended)
        total = sum(one.runtime / max(one.believed, 1) for one in like)
        part = (total + 5 * self.taken) / (len(like) + 5)
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
            weight = sum(self._weights(like))
            mean = sum(one.demand * self.weigh(one.runtime) for one in like) / weight - 1e-6
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
        return self.coming * self.taken**2 * total
