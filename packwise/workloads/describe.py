"""What a workload looks like, in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.time_zone import local_zone
from packwise.model.workload import Floats, Ints, Workload
from packwise.workloads.deadlines.impossible import impossible_deadlines

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY, _HOUR, _QUARTER = 86400, 3600, 900
_PERCENTILES = (0, 10, 25, 50, 75, 90, 99, 100)


class Spread(NamedTuple):
    """Mean and percentiles of a quantity over jobs."""

    mean: float
    minimum: float
    p10: float
    p25: float
    median: float
    p75: float
    p90: float
    p99: float
    maximum: float


class SizeClass(NamedTuple):
    """Jobs that ask for ``low`` to ``high`` processors, and their shares of jobs and of area."""

    low: int
    high: int
    jobs: int
    job_share: float
    area_share: float

    @property
    def label(self) -> str:
        """'17-64', or '1' for a class of one size."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


class Deadlines(NamedTuple):
    """Jobs with a deadline, their share, and how many of them nobody could meet.

    ``median_slack``: from submission to deadline, less the limit; nan if there are none.
    """

    jobs: int
    share: float
    median_slack: float
    impossible: int


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Figures of a workload on a machine of ``procs`` processors. Times are in seconds.

    ``by_hour`` and ``by_weekday`` (Monday first) count submissions in the log's own time zone;
    ``notes`` says what had to be assumed.
    """

    name: str
    jobs: int
    procs: int
    span: int
    load: float
    users: int
    runtime: Spread
    limit: Spread
    demand: Spread
    gap: Spread
    area: Spread
    accuracy: Spread
    serial_share: float
    power_of_two_share: float
    size_classes: tuple[SizeClass, ...]
    by_hour: Ints
    by_weekday: Ints
    time_zone: str
    first_submit: datetime | None
    notes: tuple[str, ...]
    deadlines: Deadlines | None = None


def describe(workload: Workload, procs: int) -> Description:
    """Describe ``workload`` on a machine of ``procs`` processors.

    ``gap`` is the time between submissions, ``area`` demand times run time, ``accuracy`` run time
    over limit; ``power_of_two_share`` counts parallel jobs only (serial ones are 2^0 as well).
    """
    if procs < 1:
        raise InputError(f"the machine should have 1 processor or more, found {procs}.")
    zone, name, notes = local_zone(workload)
    local, notes_on_dates = local_seconds(workload, zone)
    if notes_on_dates:
        name = "UTC"
    demand = workload.demand
    parallel = demand > 1
    return Description(
        name=workload.name,
        jobs=len(workload),
        procs=procs,
        span=workload.span,
        load=workload.load(procs),
        users=len(np.unique(workload.user[workload.user >= 0])),
        runtime=_spread(workload.runtime),
        limit=_spread(workload.requested_time),
        demand=_spread(demand),
        gap=_spread(np.diff(workload.submit) if len(workload) > 1 else np.zeros(1, np.int64)),
        area=_spread(workload.area),
        accuracy=_spread(workload.runtime / workload.requested_time),
        serial_share=float((~parallel).mean()),
        power_of_two_share=float((parallel & ((demand & (demand - 1)) == 0)).mean()),
        size_classes=size_classes(workload),
        by_hour=np.bincount(local // _HOUR % 24, minlength=24).astype(np.int64),
        by_weekday=np.bincount((local // _DAY + 3) % 7, minlength=7).astype(np.int64),
        time_zone=name,
        first_submit=(
            _moment(workload.start_time + int(workload.submit[0]), zone)
            if workload.start_time
            else None
        ),
        notes=notes + notes_on_dates,
        deadlines=describe_deadlines(workload, procs),
    )


def describe_deadlines(workload: Workload, procs: int) -> Deadlines | None:
    """The deadlines in numbers; None for a workload without."""
    if workload.deadline is None:
        return None
    driven = workload.deadline_driven
    slack = (workload.deadline - workload.submit - workload.requested_time)[driven]
    return Deadlines(
        jobs=int(driven.sum()),
        share=float(driven.mean()),
        median_slack=float(np.median(slack)) if len(slack) else math.nan,
        impossible=int(impossible_deadlines(workload, procs).sum()),
    )


def size_classes(workload: Workload) -> tuple[SizeClass, ...]:
    """Sizes by powers of four: 1, 2-4, 5-16, 17-64, ... up to the widest job."""
    highs = [1]
    while highs[-1] < workload.demand.max():
        highs.append(highs[-1] * 4)
    place = np.searchsorted(highs, workload.demand)
    jobs = np.bincount(place, minlength=len(highs))
    area = np.bincount(place, workload.area, minlength=len(highs))
    lows = [1, *(high + 1 for high in highs[:-1])]
    highs[-1] = int(workload.demand.max())
    return tuple(
        SizeClass(low, high, int(n), float(n / len(workload)), float(a / area.sum()))
        for low, high, n, a in zip(lows, highs, jobs, area, strict=True)
    )


def local_seconds(workload: Workload, zone: tzinfo) -> tuple[Ints, tuple[str, ...]]:
    """Submit times as seconds of the local clock since 1970; the zone is asked per quarter hour."""
    moment = workload.start_time + workload.submit
    quarters, which = np.unique(moment // _QUARTER, return_inverse=True)
    try:
        offsets = [
            (datetime.fromtimestamp(quarter * _QUARTER, zone).utcoffset() or UTC.utcoffset(None))
            for quarter in quarters.tolist()
        ]
    except (ValueError, OverflowError, OSError):
        return moment, ("the dates lie outside the calendar: hours and weekdays are in UTC",)
    shift = np.array([int(offset.total_seconds()) for offset in offsets], np.int64)
    return moment + shift[which], ()


def _moment(seconds: int, zone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, zone)
    except (ValueError, OverflowError, OSError):
        return None


def _spread(values: Floats | Ints | NDArray[np.float64]) -> Spread:
    low, p10, p25, p50, p75, p90, p99, high = np.percentile(values, _PERCENTILES).tolist()
    return Spread(float(values.mean()), low, p10, p25, p50, p75, p90, p99, high)
