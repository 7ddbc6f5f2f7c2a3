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

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from packwise.metrics.timeline import running_totals
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload


class Gaps(NamedTuple):
    """Between two events nothing changes: what the machine and the queue were like in each gap."""

    seconds: Floats
    busy: Ints
    queued: Ints


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
        lost += float(((a - (both - from_b)) + (b - from_b)).sum())
        values = np.append(both, values[2 * half :])
    return float(values[0]) + lost


@dataclass(frozen=True, eq=False)
class Outcome:
    """The jobs that ran, in submission order. Everything else is derived from these columns."""

    procs: int
    submit: Ints
    start: Ints
    end: Ints
    demand: Ints
    weight: Floats | None
    estimate: Ints | None = None

    @classmethod
    def of(cls, workload: Workload, cluster: Cluster, schedule: Schedule) -> Outcome:
        """Those jobs of ``workload`` that ran in ``schedule``; raises InputError if none did."""
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
        pick = slice(None) if ran.all() else ran
        return cls(
            procs=cluster.procs,
            submit=workload.submit[pick],
            start=schedule.start[pick],
            end=schedule.end[pick],
            demand=workload.demand[pick],
            weight=None if workload.weight is None else workload.weight[pick],
            estimate=None if schedule.estimate is None else schedule.estimate[pick],
        )

    def __len__(self) -> int:
        return len(self.submit)

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
