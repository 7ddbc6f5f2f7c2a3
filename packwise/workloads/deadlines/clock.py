"""Deadlines by the clock on the wall: the next morning, the next end of week."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import numpy as np

from packwise.model.errors import InputError
from packwise.model.time_zone import local_zone
from packwise.model.workload import Ints, Workload

_DAY = 86400
_FIRST_DAY = date(1970, 1, 1)  # a Thursday


def next_times(workload: Workload, ready: Ints, hour: int, weekday: int | None = None) -> Ints:
    """The first time at or after each of ``ready`` at which the local clock strikes ``hour``.

    ``weekday`` (0 is Monday) allows that day only. An hour that a change of the clock leaves out is
    taken as the moment of the change; of one that comes twice, the first counts.
    """
    zone, _, _ = local_zone(workload)
    reach = (
        4 if weekday is None else 10
    )  # local dates are a day off at most, and one may be left out
    try:
        moments = workload.start_time + ready
        days = np.unique(np.unique(moments // _DAY)[:, None] + np.arange(-1, reach))
        if weekday is not None:
            days = days[(days + 3) % 7 == weekday]
        strikes = [
            datetime.combine(_FIRST_DAY + timedelta(days=day), time(hour), zone).timestamp()
            for day in days.tolist()
        ]
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"'{workload.name}': deadlines by hour and day need dates inside the calendar; the log "
            f"begins {workload.start_time} s after 1970 and a job could end at {int(ready.max())} s. "
            "Correct UnixStartTime, or use slack()."
        ) from None
    struck = np.unique(np.array(strikes, np.int64))
    return struck[np.searchsorted(struck, moments)] - workload.start_time


def clock_notes(workload: Workload) -> list[str]:
    """What had to be assumed of the clock."""
    _, _, notes = local_zone(workload)
    found = list(notes)
    if workload.start_time == 0:
        found.append(
            "the log does not tell its date (UnixStartTime): deadlines by hour and day take it to "
            "begin on Thursday, 1 January 1970"
        )
    return found
