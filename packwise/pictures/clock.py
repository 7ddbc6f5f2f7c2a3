"""The calendar of a log: when its jobs came by the clock on the wall."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

import numpy as np

from packwise.model.time_zone import local_zone
from packwise.model.workload import Floats, Ints, Workload

_DAY: Final = 86400
#: Beyond two centuries nobody asks for dates.
_LONGEST: Final = 200 * 366 * _DAY


@dataclass(frozen=True)
class Clock:
    """``origin`` is second 0 of the charts, the first submission, in Unix seconds.

    ``shifts`` are (from this second on, so many seconds ahead of UTC), in the order of time: more than one
    where the clock is put forward or back.
    """

    origin: int
    zone: str
    shifts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, workload: Workload, end: int) -> Clock | None:
        """Until ``end``, in the log's seconds. None if the log does not tell its date, or an impossible one."""
        if not workload.start_time:
            return None
        zone, name, _ = local_zone(workload)
        first = int(workload.submit[0])
        origin = workload.start_time + first
        try:
            return cls(origin, name, _shifts(origin, end - first, zone))
        except (ValueError, OverflowError, OSError):
            return None

    @property
    def title(self) -> str:
        return f"date ({self.zone})"

    def local(self, seconds: Ints | Floats) -> Ints:
        """Seconds since the first submission as what the clock shows then, in seconds since 1970."""
        starts, ahead = np.array(self.shifts, np.int64).T
        place = np.maximum(np.searchsorted(starts, seconds, "right") - 1, 0)
        shown: Ints = self.origin + np.round(seconds).astype(np.int64) + ahead[place]
        return shown


def _shifts(origin: int, last: int, zone: tzinfo) -> tuple[tuple[int, int], ...]:
    """Asked day by day, and to the second where two days differ."""

    def ahead(second: int) -> int:
        moment = datetime.fromtimestamp(origin + second, UTC).astimezone(zone)
        offset = moment.utcoffset()
        return 0 if offset is None else int(offset.total_seconds())

    ahead(last)  # out of the calendar at once, if at all
    if last > _LONGEST:
        raise OverflowError(f"{last} seconds")
    found = [(0, ahead(0))]
    for day in range(_DAY, last + _DAY, _DAY):
        low, high = day - _DAY, min(day, max(last, 0))
        if ahead(high) == found[-1][1]:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if ahead(middle) == found[-1][1] else (low, middle)
        found.append((high, ahead(high)))
    return tuple(found)
