"""What a schedule did to each job that ran: the quantities all metrics are made of.

Notation, as in Goponenko et al., "Metrics for Packing Efficiency and Fairness of HPC Cluster Batch
Job Scheduling" (SBAC-PAD 2022), Fig. 1::

        s             b               c
        submit        start           end
        |---- Q ------|------ D ------|        r processors
        |------------ F --------------|

Run times are taken from the schedule (``c - b``), not from the workload: a recorded schedule may
disagree with its workload, and the metrics then describe what really happened.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.metrics.timeline import running_totals
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import NO_DEADLINE, Floats, Ints, Workload

Mask = NDArray[np.bool_]


class Gaps(NamedTuple):
    """Between two events nothing changes: what the machine and the queue were like in each gap."""

    seconds: Floats
    busy: Ints
    queued: Ints


class NeverRan(NamedTuple):
    """Deadline-driven jobs that were rejected: they have no times, but missed their deadlines."""

    submit: Ints
    limit: Ints
    demand: Ints
    deadline: Ints


def total(values: Floats) -> float:
    """The sum, with the rounding errors of all additions added up too (two-sum, by halves).

    It is as good as exact and rounded once, so the order of the jobs does not matter; ``math.fsum``
    gives the same but takes ten times as long on an array.
    """
    lost = 0.0
    while len(values) > 1:
        half = len(values) // 2
        a, b = values[:half], values[half : 2 * half]
        both = a + b
        from_b = both - a
        from_a = both - from_b
        # Into what is there: new arrays of millions would take longer than the sums.
        np.subtract(a, from_a, out=from_a)
        np.subtract(b, from_b, out=from_b)
        from_a += from_b
        lost += float(from_a.sum())
        values = both if len(values) == 2 * half else np.append(both, values[-1])
    return float(values[0]) + lost


def mean_over(values: Floats | Ints) -> float:
    """The mean; NaN of nothing."""
    return total(values.astype(np.float64)) / len(values) if len(values) else math.nan


def largest(values: Floats | Ints) -> float:
    """The maximum; NaN of nothing."""
    return float(values.max()) if len(values) else math.nan


class Origin(NamedTuple):
    """What an outcome is of: the cluster, the whole workload and its schedule, and which jobs are looked at."""

    cluster: Cluster
    workload: Workload
    schedule: Schedule
    picked: Any


@dataclass(frozen=True, eq=False)
class Outcome:
    """The jobs that ran, in submission order. Everything else is derived from these columns.

    ``promised`` and ``deadline`` are as in Schedule and Workload; ``never_ran`` is there with ``deadline``.
    """

    procs: int
    submit: Ints
    start: Ints
    end: Ints
    demand: Ints
    limit: Ints
    weight: Floats | None
    user: Ints
    estimate: Ints | None = None
    deadline: Ints | None = None
    promised: Ints | None = None
    never_ran: NeverRan | None = None
    origin: Origin | None = None
    #: What others computed from this outcome and would have to compute again.
    memo: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        workload: Workload,
        cluster: Cluster | int,
        schedule: Schedule,
        only: Mask | None = None,
    ) -> Outcome:
        """Those jobs of ``workload`` that ran in ``schedule``; raises InputError if none did.

        ``cluster`` may be a number of processors. ``only`` is a mask of the workload's jobs: the others
        are left out.
        """
        if len(schedule) != len(workload):
            raise InputError(
                f"the schedule should have one entry for each of the {len(workload)} jobs of "
                f"workload '{workload.name}', found {len(schedule)}."
            )
        ran = schedule.ran
        if not ran.any():
            raise InputError(
                f"no job of workload '{workload.name}' ran in this schedule: there is nothing to "
                "measure. Were all of them rejected?"
            )
        wrong = ran & ((schedule.start < workload.submit) | (schedule.end <= schedule.start))
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(
                f"job {workload.id[i]}: to be measured it needs submit <= start < end, found "
                f"submit {workload.submit[i]}, start {schedule.start[i]}, end {schedule.end[i]}. "
                "`packwise check` (check_schedule() in Python) lists every such job."
            )
        if only is not None:
            if only.shape != ran.shape:
                raise InputError(
                    f"the mask of the jobs to measure should have one value for each of the "
                    f"{len(workload)} jobs of workload '{workload.name}', found shape {only.shape}."
                )
            ran = ran & only
            if not ran.any():
                raise InputError(
                    f"none of the {int(only.sum())} jobs of workload '{workload.name}' that are left "
                    "to measure ran in this schedule. Measure all jobs instead."
                )
        pick = slice(None) if ran.all() else ran
        machine = as_cluster(cluster)
        refused = ~schedule.ran & workload.deadline_driven
        if only is not None:
            refused &= only
        return cls(
            procs=machine.procs,
            submit=workload.submit[pick],
            start=schedule.start[pick],
            end=schedule.end[pick],
            demand=workload.demand[pick],
            limit=workload.requested_time[pick],
            weight=None if workload.weight is None else workload.weight[pick],
            user=workload.user[pick],
            estimate=None if schedule.estimate is None else schedule.estimate[pick],
            deadline=None if workload.deadline is None else workload.deadline[pick],
            promised=None if schedule.promised is None else schedule.promised[pick],
            never_ran=None
            if workload.deadline is None
            else NeverRan(
                workload.submit[refused],
                workload.requested_time[refused],
                workload.demand[refused],
                workload.deadline[refused],
            ),
            origin=Origin(machine, workload, schedule, pick),
        )

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def on_nodes(self) -> Origin | None:
        """Where it is from, if that is a cluster of nodes."""
        return None if self.origin is None or self.origin.cluster.is_pool else self.origin

    @cached_property
    def wait(self) -> Ints:
        """Q = b - s."""
        return self.start - self.submit

    @cached_property
    def runtime(self) -> Ints:
        """D = c - b."""
        return self.end - self.start

    @cached_property
    def response(self) -> Ints:
        """F = Q + D = c - s, also called flow time or turnaround time."""
        return self.end - self.submit

    @cached_property
    def area(self) -> Floats:
        """r D, in processor-seconds."""
        return self.demand.astype(np.float64) * self.runtime

    @cached_property
    def total_area(self) -> float:
        """Σ r D."""
        return total(self.area)

    @cached_property
    def stretch(self) -> Floats:
        """F / D, the slowdown."""
        return self.response / self.runtime

    @cached_property
    def limit_stretch(self) -> Floats:
        """(Q + L) / L, L being the limit: what a wait means to a user who expects to need L."""
        return (self.wait + self.limit) / self.limit

    @cached_property
    def driven(self) -> Mask:
        """Which jobs have a deadline."""
        if self.deadline is None:
            return np.zeros(len(self), np.bool_)
        driven: Mask = self.deadline != NO_DEADLINE
        return driven

    @cached_property
    def regular(self) -> Mask:
        """Which jobs have none."""
        return ~self.driven

    @cached_property
    def with_promise(self) -> Mask:
        """Which jobs were promised a start."""
        if self.promised is None:
            return np.zeros(len(self), np.bool_)
        told: Mask = self.promised >= 0
        return told

    def bounded_slowdown(self, tau: float) -> Floats:
        """max(1, F / max(D, τ))."""
        return np.maximum(1.0, self.response / np.maximum(self.runtime, tau))

    @property
    def first_submit(self) -> int:
        """min s."""
        return int(self.submit.min())

    @property
    def last_end(self) -> int:
        """max c."""
        return int(self.end.max())

    @cached_property
    def gaps(self) -> Gaps:
        """The time from the first submission to the last end, cut at every event."""
        times, (arrived, started, ended) = running_totals(
            (self.submit, self.demand), (self.start, self.demand), (self.end, self.demand)
        )
        seconds = np.diff(times).astype(np.float64)
        return Gaps(seconds, (started - ended)[:-1], (arrived - started)[:-1])
