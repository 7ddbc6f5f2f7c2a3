"""A quantity over time: prices, temperatures, grams of carbon dioxide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Protocol

import numpy as np

from packwise.model.errors import InputError
from packwise.model.time_zone import moment, zone_named
from packwise.model.workload import Floats, Ints


class Signal(Protocol):
    """What has a value at every moment that it covers: a Series, or a rule that makes one."""

    @property
    def unit(self) -> str:
        """What the values are counted in."""

    def over(self, begin: int, end: int, local: tzinfo) -> Series:
        """The values from ``begin`` until ``end``, in Unix seconds; ``local`` is the log's time zone."""

    def converted(self, unit: str, factor: float, offset: float) -> Signal:
        """The same in another unit: each value times ``factor``, plus ``offset``."""

    @property
    def mean(self) -> float:
        """The mean over all time that it tells of."""

    @property
    def reach(self) -> tuple[int, int] | None:
        """From when until when it has values; None: at all times."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """``values[i]`` holds from ``times[i]`` until just before ``times[i + 1]``, the last one until ``end``.

    Times are whole Unix seconds and strictly increasing. ``zone`` is where the values are from: messages tell
    times by its clock, and calendar years are its years.
    """

    times: Ints
    values: Floats
    end: int
    unit: str
    zone: str = "UTC"
    name: str = "series"

    def __post_init__(self) -> None:
        zone_named(self.zone)
        for field, dtype in (("times", np.int64), ("values", np.float64)):
            given = np.asarray(getattr(self, field))
            if field == "times" and not np.issubdtype(given.dtype, np.integer):
                raise InputError(
                    f"{self.name}: times should be whole seconds, found {given.dtype}."
                )
            column = np.array(given, dtype)
            column.setflags(write=False)
            object.__setattr__(self, field, column)
        if self.times.ndim != 1 or self.times.shape != self.values.shape or not len(self.times):
            raise InputError(
                f"{self.name}: a series should have one value for each time, and one at least; found "
                f"{self.times.shape} times and {self.values.shape} values."
            )
        steps = np.diff(self.times)
        if (steps <= 0).any():
            i = int(np.argmax(steps <= 0))
            again = self._when(int(self.times[i + 1]))
            what = (
                f"{again} twice"
                if steps[i] == 0
                else f"{again} after {self._when(int(self.times[i]))}"
            )
            raise InputError(
                f"{self.name}: times should increase, found {what}. Sort the rows and keep one of each time."
            )
        wrong = ~np.isfinite(self.values)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(
                f"{self.name}: each time should have a number, found {self.values[i]} at "
                f"{self._when(int(self.times[i]))}."
            )
        if self.end <= self.times[-1]:
            raise InputError(
                f"{self.name}: a series should end after its last time, {self._when(int(self.times[-1]))}; "
                f"found {self._when(self.end)}."
            )

    def _when(self, unix: int) -> str:
        return moment(unix, zone_named(self.zone))

    def over(self, begin: int, end: int, local: tzinfo) -> Series:
        """The part from ``begin`` until ``end``; an InputError names the first moment that is not covered."""
        if begin < self.times[0] or end > self.end:
            missing = begin if begin < self.times[0] else max(begin, self.end)
            raise InputError(
                f"{self.name} covers {self._when(int(self.times[0]))} to {self._when(self.end)}, and a value "
                f"is needed at {self._when(missing)}. Give a series of these dates; or say which dates to take "
                'instead: --shift-to DATE, or repeat = "year" in the scenario.'
            )
        first = int(np.searchsorted(self.times, begin, "right")) - 1
        last = max(first + 1, int(np.searchsorted(self.times, end, "left")))
        times = self.times[first:last].copy()
        times[0] = begin
        return replace(self, times=times, values=self.values[first:last], end=end)

    def converted(self, unit: str, factor: float, offset: float) -> Series:
        return replace(self, values=self.values * factor + offset, unit=unit)

    @property
    def mean(self) -> float:
        lengths = np.diff(self.bounds)
        return float((lengths * self.values).sum() / lengths.sum())

    @property
    def reach(self) -> tuple[int, int] | None:
        return int(self.times[0]), self.end

    def moved(self, seconds: int) -> Series:
        """The same values so many seconds later."""
        return replace(self, times=self.times + seconds, end=self.end + seconds)

    def at(self, times: Ints) -> Floats:
        """The values at moments that the series covers."""
        return self.values[np.searchsorted(self.times, times, "right") - 1]

    @property
    def bounds(self) -> Ints:
        """All moments at which the value may change, the first and the end included."""
        return np.append(self.times, self.end)

    def integral(self, times: Ints) -> Floats:
        """What has added up since the beginning, in unit times seconds."""
        bounds = self.bounds
        sums = np.concatenate(([0.0], np.cumsum(np.diff(bounds) * self.values)))
        place = np.clip(np.searchsorted(bounds, times, "right") - 1, 0, len(self.values) - 1)
        found: Floats = sums[place] + (times - bounds[place]) * self.values[place]
        return found


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value at all times."""

    value: float
    unit: str
    name: str = "series"

    def __post_init__(self) -> None:
        if not np.isfinite(self.value):
            raise InputError(f"{self.name}: expected a number, found {self.value}.")

    def over(self, begin: int, end: int, local: tzinfo) -> Series:
        return Series(np.array([begin]), np.array([self.value]), end, self.unit, name=self.name)

    def converted(self, unit: str, factor: float, offset: float) -> Constant:
        return replace(self, value=self.value * factor + offset, unit=unit)

    @property
    def mean(self) -> float:
        return self.value

    @property
    def reach(self) -> tuple[int, int] | None:
        return None
