"""Values of metrics as people read them: with a unit, a margin, and signs that are typeset."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from packwise.metrics.definition import Metric
from packwise.metrics.response_time import WAIT
from packwise.readable import duration, duration_unit, number, percent

#: Metrics between 0 and 1 that people read as per cent.
SHARES = ("utilization", "deadline_usage", "deadline_usage_over_80")
#: Durations that differ by more than this factor have no unit in common.
_FAR_APART = 60
MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NARROW NO-BREAK SPACE}"


def reading(
    value: float, one: Metric, half_width: float | None = None, typical: float | None = None
) -> str:
    """'7.3 h', '84.2 %', '1.62 ± 0.05'; an empty text where there is no value.

    ``typical`` decides the unit of durations, so that those of one column can be compared.
    """
    if not math.isfinite(value):
        return ""
    if one.name in SHARES:
        return _with_unit(100 * value, half_width and 100 * half_width, "%")
    if one.unit == "s":
        unit, width = duration_unit(value if typical is None else typical)
        return _with_unit(value / width, half_width and half_width / width, unit)
    if one.unit == "jobs":
        whole = half_width is None and value == int(value)
        return f"{value:,.0f}" if whole else _with_unit(value, half_width, "")
    return _with_unit(value, half_width, one.unit)


def readings(values: Sequence[float], one: Metric) -> list[str]:
    """The values of one column, in one unit."""
    typical = typical_size(values)
    return [reading(value, one, typical=typical) for value in values]


def durations(seconds: Sequence[float]) -> list[str]:
    """Durations side by side: in one unit, unless they are too far apart for any."""
    sizes = [abs(one) for one in seconds if one]
    if sizes and max(sizes) > _FAR_APART * min(sizes):
        return [duration(one) for one in seconds]
    return readings(seconds, WAIT)


def typical_size(values: Iterable[float]) -> float:
    """The geometric mean of their sizes, which decides the unit of a column; 0 where all are 0."""
    sizes = [abs(value) for value in values if value]
    return math.exp(math.fsum(map(math.log, sizes)) / len(sizes)) if sizes else 0.0


def _with_unit(value: float, margin: float | None, unit: str) -> str:
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    text = f"{value:,.{digits}f}" if size >= 0.001 else number(value)
    if margin is not None and math.isfinite(margin):
        text += f" ± {margin:,.{digits}f}"
    return f"{text} {unit}".rstrip().replace("-", MINUS)


def signed(change: float | None) -> str:
    """'+3.1 %', '−81 %', '+1,100 %'; a dash where there is nothing to compare with."""
    if change is None or not math.isfinite(change):
        return "–"
    return percent(change).replace("-", MINUS).replace(" %", f"{NARROW}%")


def typeset(words: str) -> str:
    """Plain prose with real minus signs and per cent signs that stay with their number."""
    words = re.sub(r"(?<![\w.])-(?=\d)", MINUS, words)
    return re.sub(r"(?<=\d) %", f"{NARROW}%", words)
