"""Numbers and durations for people, and durations from people."""

from __future__ import annotations

from datetime import datetime
from math import isfinite

#: What stands for a number that there is not.
NONE = "–"

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
#: A moment that is nearer than this needs no date, in seconds.
_NEAR = 20 * 3600
#: Who has no limit may keep others waiting beyond the calendar.
_FAR = 5 * 365 * 86400


def number(value: float) -> str:
    """About four digits: 28,489, 123.4, 1.62, 0.0031; a dash for what is not a number."""
    if not isfinite(value):
        return NONE
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1000 or (value == int(value) and size >= 100):
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.4f}" if size >= 0.001 else f"{value:.2e}"


def duration(seconds: float) -> str:
    """'45 s', '12.5 min', '7.3 h', '3.2 d'; a dash for what is not a number."""
    if not isfinite(seconds):
        return NONE
    unit, width = duration_unit(seconds)
    if unit == "s":
        return (
            f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"
        )
    return f"{seconds / width:,.1f} {unit}"


def duration_unit(seconds: float) -> tuple[str, int]:
    """The unit in which a duration reads best, and its length in seconds."""
    for unit, width in (("d", 86400), ("h", 3600), ("min", 60)):
        if abs(seconds) >= 2 * width:
            return unit, width
    return "s", 1


def clock(at: int, now: int, *, precise: int = _NEAR) -> str:
    """A moment in local time, both in seconds since 1970, with as much of its date as it takes: '16:53:53',
    'Wed 17 Jun 22:36', 'Thu 17 Jun 2027 22:36', 'years away'. Seconds are told less than ``precise`` from now.
    """
    apart = abs(at - now)
    if apart > _FAR:
        return "years away" if at > now else "years ago"
    then = datetime.fromtimestamp(at)
    time = f"{then:%H:%M:%S}" if apart < precise else f"{then:%H:%M}"
    if apart < _NEAR:
        return time
    year = "" if then.year == datetime.fromtimestamp(now).year else f" {then.year}"
    return f"{then:%a %d %b}{year} {time}"


def counted(count: int, thing: str) -> str:
    """'1 core', '8 cores'."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def percent(change: float | None) -> str:
    """'+3.1 %', '-81 %', '+1,200 %'; a dash where there is nothing to compare with.

    Only what is gone altogether is '-100 %'.
    """
    if change is None or not isfinite(change):
        return NONE
    if abs(change) < 0.05:
        return "0 %"
    if -100 + 1e-6 < change < -99:
        return f"{max(change, -99.9):+.1f} %"
    return f"{change:+.1f} %" if abs(change) < 10 else f"{change:+,.0f} %"


def parse_duration(text: str, option: str) -> int:
    """Whole seconds from '3600', '90m', '1.5h', '7d' or '2w'."""
    cleaned = text.strip().lower()
    unit = 1
    if cleaned[-1:] in _UNITS:
        unit = _UNITS[cleaned[-1]]
        cleaned = cleaned[:-1]
    try:
        seconds = float(cleaned) * unit
        if not 0 <= seconds <= 2**40:
            raise ValueError
    except ValueError:
        from packwise.model.errors import InputError

        raise InputError(
            f"{option}: expected seconds or a number with a unit (90m, 12h, 7d, 2w), found "
            f"'{text}'."
        ) from None
    return round(seconds)
