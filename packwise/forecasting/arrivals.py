"""Jobs that come later: pieces of the history, moved to the future."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from packwise.forecasting.history import History
from packwise.model.workload import Ints

HOUR, DAY, WEEK = 3600, 86_400, 604_800


@dataclass(frozen=True)
class Arrivals:
    """Days of the history that could come again. A day of the future is drawn from the same day of one of the
    last ``weeks`` weeks; from days of the same hour, if the history is shorter than ``weekly`` weeks; from any
    time, if it is shorter than two days. With less than an hour of history nobody comes.
    """

    history: History | None
    weeks: int = 8
    weekly: int = 3

    def days(self, now: int, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """``count`` times a day of the future: where the piece of history begins, and how long it is."""
        chances = rng.random(count).tolist()
        span = 0 if self.history is None else now - self.history.begin()
        if self.history is None or span < HOUR:
            return []
        begin = self.history.begin() - 1  # the first job counts, too
        if span < 2 * DAY:
            length = max(HOUR, min(DAY, span // 2))
            return [(begin + int(chance * (span - length)), length) for chance in chances]
        step = WEEK if span >= self.weekly * WEEK else DAY
        found = []
        for day, chance in enumerate(chances):
            # Moments ``step`` apart, at the same time of the day, whose day is over by now.
            moment = now + day * DAY
            nearest = -(-(moment + DAY - now) // step)
            farthest = min((moment - begin) // step, nearest + self.weeks * WEEK // step - 1)
            choices = max(1, farthest - nearest + 1)
            found.append((moment - step * (nearest + int(chance * choices)), DAY))
        return found

    def jobs(self, now: int, days: list[tuple[int, int]], until: int) -> tuple[Ints, Ints]:
        """Places in the history of those who come after ``now`` and until ``until``, and when they come."""
        places, times = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        ahead = now
        for begin, length in days:
            if self.history is None or ahead >= until:
                break
            some = self.history.known(now, begin, begin + min(length, until - ahead))
            places.append(some)
            times.append(self.history.jobs.submit[some] - begin + ahead)
            ahead += length
        return np.concatenate(places), np.concatenate(times)
