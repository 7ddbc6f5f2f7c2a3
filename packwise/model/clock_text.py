"""Durations as schedulers write them: days-hours:minutes:seconds, or a part of that."""

from __future__ import annotations

import re

#: As schedulers write them: 1-02:03:04, 144:00:00, 05:30.
_CLOCK = re.compile(r"(?:(\d{1,7})-)?(\d{1,9})(?::(\d{1,9}))?(?::(\d{1,9}))?(?:\.\d+)?")


def clock_duration(text: str) -> int | None:
    """Whole seconds from days-hours:minutes:seconds, as schedulers write it, or a part of that; None for
    anything else, a plain number among it.
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None or not set(text) & set(":-"):
        return None
    days, *parts = found.groups()
    told = [int(part) for part in parts if part is not None]
    if days is not None:  # days-hours, days-hours:minutes, days-hours:minutes:seconds
        told += [0] * (3 - len(told))
    widths = zip(reversed(told), (1, 60, 3600), strict=False)
    return int(days or 0) * 86400 + sum(part * width for part, width in widths)
