"""Promises kept: what jobs were told at their submission, and when they started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from packwise.metrics.outcome import Mask, mean_over
from packwise.model.workload import Floats, Ints
from packwise.reports.charts.chart import DURATION_TICKS, Axis, Chart, Panel, Series
from packwise.reports.material import Case, Replayed
from packwise.reports.promises.words import promise_caption

#: Waits below this are drawn as one: a logarithm of nothing there is not.
SHORTEST: Final = 10.0
_PER_DECADE: Final = 4
#: More classes than times can have.
_CLASSES: Final = 100
_TICKS: Final = ("1 min", "1 h", "1 d", "1 wk", "1 yr")
_SMALLEST, _LARGEST = 3.0, 15.0


class Waits(NamedTuple):
    """How many jobs there are of each pair of promised and actual wait, in classes of waits."""

    promised: Floats
    actual: Floats
    jobs: Ints


class Promised(NamedTuple):
    """One kind of jobs under one policy. ``jobs`` ran, ``told`` of these were promised a start.

    Each of them started late, else at once, else exactly as promised, else earlier. ``gain`` is the mean
    of promised start less start, in seconds; NaN without promises.
    """

    jobs: int
    told: int
    at_once: int
    earlier: int
    exact: int
    late: int
    gain: float
    waits: Waits


#: By kind of jobs: "all jobs", or "regular jobs" and "deadline-driven jobs".
Kinds = Mapping[str, Promised]


def promises_of(run: Replayed) -> Kinds | None:
    """None for a policy that makes no promises."""
    workload, _, schedule = run
    if schedule.promised is None or not (schedule.promised >= 0).any():
        return None
    driven = workload.deadline_driven
    kinds = {"all jobs": np.ones(len(workload), np.bool_)}
    if driven.any():
        kinds = {"regular jobs": ~driven, "deadline-driven jobs": driven}
    return {
        name: _of_kind(workload.submit, schedule.start, schedule.promised, member & schedule.ran)
        for name, member in kinds.items()
        if (member & schedule.ran).any()
    }


def _of_kind(submit: Ints, start: Ints, promised: Ints, member: Mask) -> Promised:
    told = member & (promised >= 0)
    submit, start, promised = submit[told], start[told], promised[told]
    late = start > promised
    at_once = ~late & (start == submit)
    exact = ~late & ~at_once & (start == promised)
    return Promised(
        jobs=int(member.sum()),
        told=len(start),
        at_once=int(at_once.sum()),
        earlier=int((~late & ~at_once & ~exact).sum()),
        exact=int(exact.sum()),
        late=int(late.sum()),
        gain=mean_over(promised - start),
        waits=_classes(promised - submit, start - submit),
    )


def _classes(promised: Ints, actual: Ints) -> Waits:
    """Both waits rounded to classes, a few in each decade, and how many jobs have each pair."""
    found, jobs = np.unique(_CLASSES * _class(promised) + _class(actual), return_counts=True)
    told, waited = np.divmod(found, _CLASSES)
    return Waits(_middle(told), _middle(waited), jobs.astype(np.int64))


def _class(wait: Ints) -> Ints:
    """0 below SHORTEST (also for a promise that was over at submission), then by logarithm."""
    steps = _PER_DECADE * np.log10(np.maximum(wait, SHORTEST) / SHORTEST)
    return np.where(wait < SHORTEST, 0, 1 + np.floor(steps)).astype(np.int64)


def _middle(number: Ints) -> Floats:
    found: Floats = SHORTEST * 10.0 ** ((number - 0.5) / _PER_DECADE)
    return found


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
    first = float(_middle(np.zeros(1, np.int64))[0])
    ticks = tuple(t for t in DURATION_TICKS if t[1] in _TICKS and t[0] <= 1.3 * longest)
    low = first / 10 ** (1.1 / _PER_DECADE)
    high = longest * 10 ** (1 / _PER_DECADE)
    return Axis("", "log", (low, high), ((first, f"< {SHORTEST:g} s"), *ticks), seconds=True)


def _named(axis: Axis, title: str) -> Axis:
    return Axis(title, axis.scale, axis.range, axis.ticks, seconds=True)
