"""A year of values, for every year."""

from __future__ import annotations

from calendar import isleap
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import numpy as np

from packwise.model.energy.series import Series
from packwise.model.errors import InputError
from packwise.model.time_zone import zone_named


@dataclass(frozen=True, slots=True)
class RepeatedYear:
    """The calendar year of a series, taken for any year: the same month, day and hour.

    By the clock that its zone has on 1 January, all year: elapsed time stays elapsed time. 29 February takes
    the values of the 28th where the series' year has none, and is left out where the other year has none.
    Days of the week do not coincide.
    """

    series: Series

    def __post_init__(self) -> None:
        first, last = self._year(self.year)
        if first < self.series.times[0] or last > self.series.end:
            missing = first if first < self.series.times[0] else self.series.end
            raise InputError(
                f"{self.series.name}: to be repeated, a series should cover a calendar year; that of "
                f"{self.year} has no value at {self.series._when(int(missing))}. Is it a year of another "
                "zone? Then say zone = ..."
            )

    @property
    def unit(self) -> str:
        return self.series.unit

    @property
    def year(self) -> int:
        """The year that most of the series lies in."""
        middle = (int(self.series.times[0]) + self.series.end) // 2
        return datetime.fromtimestamp(middle, UTC).year

    @property
    def mean(self) -> float:
        begin, end = self._year(self.year)
        return self.series.over(begin, end, UTC).mean

    @property
    def reach(self) -> tuple[int, int] | None:
        return None

    def converted(self, unit: str, factor: float, offset: float) -> RepeatedYear:
        return RepeatedYear(self.series.converted(unit, factor, offset))

    def over(self, begin: int, end: int, local: tzinfo) -> Series:
        times, values = [], []
        try:
            years = range(
                datetime.fromtimestamp(begin, self._clock).year,
                datetime.fromtimestamp(end, self._clock).year + 1,
            )
            pieces = [piece for year in years for piece in self._pieces(year)]
        except (ValueError, OverflowError, OSError):
            raise InputError(
                f"{self.series.name}: dates should be inside the calendar; the jobs run from {begin} to "
                f"{end} s after 1970."
            ) from None
        for low, high, shift in pieces:
            low, high = max(low, begin), min(high, end)
            if low < high:
                part = self.series.over(low + shift, high + shift, local)
                times.append(part.times - shift)
                values.append(part.values)
        return replace(
            self.series, times=np.concatenate(times), values=np.concatenate(values), end=end
        )

    def _pieces(self, year: int) -> list[tuple[int, int, int]]:
        """Stretches of a year (from, until), and how many seconds later they are in the series' year."""
        begin, end = self._year(year)
        march, own_march = self._first(year, 3), self._first(self.year, 3)
        shift, later = self._first(self.year, 1) - begin, own_march - march
        if isleap(year) and not isleap(self.year):
            leap_day = march - 86400
            return [(begin, leap_day, shift), (leap_day, march, shift - 86400), (march, end, later)]
        return [(begin, march, shift), (march, end, later)]

    def _year(self, year: int) -> tuple[int, int]:
        return self._first(year, 1), self._first(year + 1, 1)

    def _first(self, year: int, month: int) -> int:
        return int(datetime(year, month, 1, tzinfo=self._clock).timestamp())

    @property
    def _clock(self) -> tzinfo:
        """The zone's clock of 1 January, without its changes."""
        january = datetime(self.year, 1, 1, tzinfo=zone_named(self.series.zone))
        return timezone(january.utcoffset() or timedelta(0))
