"""The time zone of a log."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from packwise.model.workload import Workload


def local_zone(workload: Workload) -> tuple[tzinfo, str, tuple[str, ...]]:
    """The log's time zone, its name, and a note where UTC had to be taken instead."""
    try:
        return ZoneInfo(workload.time_zone), workload.time_zone, ()
    except (KeyError, ValueError, OSError):
        note = f"time zone '{workload.time_zone}' is not known here: hours and weekdays are in UTC"
        return UTC, "UTC", (note,)
