"""The figure of promised and actual waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from packwise.reports.charts.chart import DURATION_TICKS, Axis, Chart, Panel, Series
from packwise.reports.material import Case
from packwise.reports.promises.kept import PER_DECADE, SHORTEST, Kinds, Waits, middle
from packwise.reports.promises.words import promise_caption

_TICKS: Final = ("1 min", "1 h", "1 d", "1 wk", "1 yr")
_SMALLEST, _LARGEST = 3.0, 15.0


def promise_chart(case: Case, found: Mapping[str, Kinds]) -> Chart:
    """Promised and actual wait: a panel per policy and kind of jobs."""
    shown = [
        (label, kind, one)
        for label, kinds in found.items()
        for kind, one in kinds.items()
        if one.told
    ]
    axis = _axis([one.waits for _, _, one in shown])
    low, high = axis.range or (1.0, 1.0)
    line = Series("as promised", np.array([low, high]), np.array([low, high]), dashed=True)
    most = max((int(one.waits.jobs.max()) for _, _, one in shown), default=1)
    panels = tuple(
        Panel(
            _named(axis, "promised wait"),
            _named(axis, "actual wait"),
            (line, _bubbles(label, one.waits, most)),
            label if kind == "all jobs" else f"{label}, {kind}",
        )
        for label, kind, one in shown
    )
    return Chart(
        "promised-waits",
        "Promised and actual waits",
        promise_caption(found, case.replicas),
        panels,
        columns=2 if any(len(kinds) > 1 for kinds in found.values()) else 3,
        empty="" if panels else "Nothing here makes promises.",
    )


def _bubbles(label: str, waits: Waits, most: int) -> Series:
    share = waits.jobs / most
    notes = tuple("1 job" if n == 1 else f"{n:,} jobs" for n in waits.jobs.tolist())
    sizes = _SMALLEST + (_LARGEST - _SMALLEST) * np.cbrt(share)
    return Series(label, waits.promised, waits.actual, "bubble", label, notes, sizes=sizes)


def _axis(found: Sequence[Waits]) -> Axis:
    longest = max([3600.0, *(float(max(w.promised.max(), w.actual.max())) for w in found)])
    first = float(middle(np.zeros(1, np.int64))[0])
    ticks = tuple(t for t in DURATION_TICKS if t[1] in _TICKS and t[0] <= 1.3 * longest)
    low = first / 10 ** (1.1 / PER_DECADE)
    high = longest * 10 ** (1 / PER_DECADE)
    return Axis("", "log", (low, high), ((first, f"< {SHORTEST:g} s"), *ticks), seconds=True)


def _named(axis: Axis, title: str) -> Axis:
    return Axis(title, axis.scale, axis.range, axis.ticks, seconds=True)
