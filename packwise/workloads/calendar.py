"""Dates for times of a workload: 2024-01-05 and 2024-01-05T12:00, by the clock of its site."""

from __future__ import annotations

import re
from datetime import datetime

from packwise.model.errors import InputError, shortened
from packwise.model.time_zone import local_zone
from packwise.model.workload import Workload
from packwise.readable import parse_duration

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?!\d).*", re.DOTALL)
#: A span of time in seconds, or a date as it was written.
When = int | str


def parse_when(text: str, option: str) -> When:
    """Seconds from '12h' or '7d'; a date and time stays as it is, but for its form."""
    written = text.strip()
    if not _DATE.fullmatch(written):
        return parse_duration(text, option)
    try:
        return datetime.fromisoformat(written.replace(" ", "T", 1)).isoformat("T", "seconds")
    except ValueError as error:
        raise InputError(
            f"{option}: expected a date such as 2024-01-05 or 2024-01-05T12:00, found '{shortened(text)}'."
        ) from error


def time_of(workload: Workload, when: str) -> int:
    """The time of a workload that a date stands for. One that tells no zone is by the clock of the site."""
    if not workload.start_time:
        raise InputError(
            f"'{workload.name}' does not tell its dates, so {when} means nothing to it. Give a time after "
            "the first submission instead, such as 12h or 7d."
        )
    moment = datetime.fromisoformat(when)
    if moment.tzinfo is None:
        zone, _, _ = local_zone(workload)
        moment = moment.replace(tzinfo=zone)
    return int(moment.timestamp() // 1) - workload.start_time


def since_first(workload: Workload, when: When | None) -> int | None:
    """Seconds after the first submission; a date before it is as good as none."""
    if when is None or isinstance(when, int):
        return when
    return max(time_of(workload, when) - int(workload.submit[0]), 0)
