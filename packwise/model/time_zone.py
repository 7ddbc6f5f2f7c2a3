"""Time zones: that of a log, one by name, and moments for people."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from packwise.model.errors import InputError, shortened
from packwise.model.workload import Workload


def local_zone(workload: Workload) -> tuple[tzinfo, str, tuple[str, ...]]:
    """The log's time zone, its name, and a note where UTC had to be taken instead."""
    try:
        return ZoneInfo(workload.time_zone), workload.time_zone, ()
    except (KeyError, ValueError, OSError):
        note = f"time zone '{workload.time_zone}' is not known here: hours and weekdays are in UTC"
        return UTC, "UTC", (note,)


def zone_named(name: str) -> tzinfo:
    """A time zone by its name in the IANA data base."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError, AttributeError) as error:
        raise InputError(
            f"expected a time zone such as Europe/Stockholm or UTC, found '{shortened(str(name))}'."
        ) from error


def moment(unix: float, zone: tzinfo = UTC) -> str:
    """A time for people, with its offset: 2024-03-31 03:00:00+02:00."""
    try:
        return datetime.fromtimestamp(unix, zone).isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):
        return f"{unix:g} s after 1970"
