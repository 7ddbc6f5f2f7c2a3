"""Free processors over time, as steps: where a plan in Python puts its jobs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Self

from packwise.model.outlook import Outlook
from packwise.model.view import View


class Room:
    """``free[i]`` processors from ``times[i]`` until ``times[i + 1]``; the last step holds for ever."""

    def __init__(self, times: list[int], free: list[int]) -> None:
        self.times, self.free = times, free

    @classmethod
    def of(cls, view: View, seen: Outlook) -> Self:
        """What the running jobs leave."""
        times, free = seen.profile(view)
        return cls(times.tolist(), free.tolist())

    def copy(self) -> Self:
        return type(self)(self.times.copy(), self.free.copy())

    def has_room(self, demand: int, begin: int, end: int) -> bool:
        """Whether there are so many from ``begin``, which is not in the past, until ``end``."""
        first = bisect_right(self.times, begin) - 1
        last = bisect_left(self.times, end, first)
        return min(self.free[first:last]) >= demand

    def earliest(self, demand: int, length: int, begin: int) -> int:
        """The first moment from ``begin`` on from which there are so many for so long. In the end there are."""
        times, free = self.times, self.free
        i = bisect_right(times, begin) - 1
        start, steps = begin, len(times)
        while i < steps and times[i] < start + length:
            if free[i] < demand:
                start = times[i + 1]
            i += 1
        return start

    def earlier(self, demand: int, length: int, start: int) -> int:
        """The first moment to which a job that has its place at ``start`` can move; ``start`` if to none.

        Until ``start`` it needs room, and from then on it has its own.
        """
        times, free = self.times, self.free
        moved = times[0]
        i = 0
        while moved < start and times[i] < min(moved + length, start):
            if free[i] < demand:
                moved = times[i + 1]
            i += 1
            if i == len(times):
                break
        return min(moved, start)

    def take(self, demand: int, begin: int, end: int) -> None:
        """Give a job its place; with a demand below 0, take it back."""
        first, last = self._step(begin), self._step(end)
        for i in range(first, last):
            self.free[i] -= demand

    def _step(self, moment: int) -> int:
        """The place of the step that begins at a moment, which becomes one if it is none."""
        i = bisect_left(self.times, moment)
        if i == len(self.times) or self.times[i] != moment:
            self.times.insert(i, moment)
            self.free.insert(i, self.free[i - 1])
        return i
