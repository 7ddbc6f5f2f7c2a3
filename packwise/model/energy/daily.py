"""Values by the clock on the wall: the same every day, or one day for the week and one for its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo

import numpy as np

from packwise.model.energy.series import Series
from packwise.model.errors import InputError
from packwise.model.time_zone import zone_named
from packwise.model.workload import Ints

_HOURS = 24
_SATURDAY = 5
_DAY = 86400


@dataclass(frozen=True, slots=True)
class Daily:
    """24 values, one for each hour of the local clock; ``weekend`` has those of Saturday and Sunday.

    Without ``zone`` the clock is that of the log. An hour that a change of the clock leaves out has no value
    on that day; one that comes twice has its value for both.
    """

    hours: tuple[float, ...]
    unit: str
    weekend: tuple[float, ...] | None = None
    zone: str | None = None
    name: str = "series"

    def __post_init__(self) -> None:
        if self.zone is not None:
            zone_named(self.zone)
        for label, values in (("hours", self.hours), ("weekend", self.weekend)):
            if values is None:
                continue
            if len(values) != _HOURS:
                raise InputError(
                    f"{self.name}: {label} should have 24 values, one for each hour of the day, found "
                    f"{len(values)}."
                )
            wrong = [hour for hour in range(_HOURS) if not np.isfinite(values[hour])]
            if wrong:
                raise InputError(
                    f"{self.name}: {label} should have numbers, found {values[wrong[0]]} at {wrong[0]}:00."
                )

    def over(self, begin: int, end: int, local: tzinfo) -> Series:
        zone = local if self.zone is None else zone_named(self.zone)
        midnights, dates = midnights_around(begin, end, zone, self.name)
        times, values = [], []
        for i, day in enumerate(dates):
            ends = self.weekend is not None and day.weekday() >= _SATURDAY
            values.append(np.array(self.weekend if ends else self.hours))
            if midnights[i + 1] - midnights[i] == _DAY:
                times.append(midnights[i] + 3600 * np.arange(_HOURS))
            else:  # a change of the clock; hours that it leaves out coincide with the next one
                struck = [datetime.combine(day, time(hour), zone) for hour in range(_HOURS)]
                times.append(np.array([int(one.timestamp()) for one in struck]))
        moments, all_values = np.concatenate(times), np.concatenate(values)
        order = np.argsort(moments, kind="stable")
        moments, all_values = moments[order], all_values[order]
        last = np.append(moments[1:] != moments[:-1], True)
        whole = Series(
            moments[last], all_values[last], int(midnights[-1]), self.unit, name=self.name
        )
        return _without_repeats(whole.over(begin, end, zone))

    @property
    def mean(self) -> float:
        ends = self.hours if self.weekend is None else self.weekend
        return (5 * sum(self.hours) + 2 * sum(ends)) / (7 * _HOURS)

    @property
    def reach(self) -> tuple[int, int] | None:
        return None

    def converted(self, unit: str, factor: float, offset: float) -> Daily:
        def each(values: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(value * factor + offset for value in values)

        weekend = None if self.weekend is None else each(self.weekend)
        return replace(self, hours=each(self.hours), weekend=weekend, unit=unit)


def midnights_around(
    begin: int, end: int, zone: tzinfo, name: str = "days"
) -> tuple[Ints, list[date]]:
    """Local midnights from at or before ``begin`` until at or after ``end``, and the days between them."""
    try:
        first = datetime.fromtimestamp(begin, zone).date()
        # Where a change of the clock skips midnight the day begins later: begin one earlier to be sure.
        dates = [first - timedelta(days=1)]
        midnights = [_midnight(dates[0], zone)]
        while midnights[-1] < end or len(dates) < 2:
            dates.append(dates[-1] + timedelta(days=1))
            midnights.append(_midnight(dates[-1], zone))
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"{name}: dates should be inside the calendar; the jobs run from {begin} to {end} s after 1970. "
            "Does the log tell its date (UnixStartTime), and is --shift-to a day of these centuries?"
        ) from None
    marks = np.array(midnights)
    keep = int(np.searchsorted(marks, begin, "right")) - 1
    return marks[keep:], dates[keep:-1]


def _midnight(day: date, zone: tzinfo) -> int:
    return int(datetime.combine(day, time(0), zone).timestamp())


def _without_repeats(series: Series) -> Series:
    """Only the times at which the value changes."""
    new = np.append(True, series.values[1:] != series.values[:-1])
    return replace(series, times=series.times[new], values=series.values[new])
