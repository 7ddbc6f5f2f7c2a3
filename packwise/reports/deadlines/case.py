"""What one case shows of its deadlines: waits of regular jobs, and how much of the time is used.

A mean over regular jobs is over those that wait under at least one policy of the case. So all runs of a
replica have to be looked at before any of them can be measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Sample, leading
from packwise.metrics.outcome import Mask, mean_over
from packwise.metrics.unaffected import affected
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Floats, Ints, Workload
from packwise.reports.charts.staircase import Staircase, distribution
from packwise.reports.deadlines.quantities import Quantity
from packwise.reports.material import Case, Replayed
from packwise.reports.readings import readings
from packwise.reports.verdicts.replicas import replica_cells

#: A distribution has at most so many steps, and is off by at most half the height of one.
MOST_STEPS: Final = 200
ERROR: Final = 0.5 / (MOST_STEPS - 4)


@dataclass(frozen=True, eq=False)
class CaseDeadlines:
    """One case. ``wait_regular`` has, by label, the mean over replicas; the rest is of the one shown.

    ``waits`` are of the regular jobs that are not left out, ``usage`` of the deadline-driven ones that
    did not start at once, in per cent; labels without such jobs are missing.
    """

    case: Case
    regular: int
    driven: int
    left_out: int
    wait_regular: Mapping[str, Cell | None]
    wait_samples: Mapping[str, Sample]
    confidence: float
    waits: Mapping[str, Staircase]
    usage: Mapping[str, Staircase]

    def cell(self, label: str, quantity: Quantity) -> Cell | None:
        """A quantity under one run of the case."""
        if quantity.affected:
            return self.wait_regular.get(label)
        run = next((run for run in self.case.runs if run.label == label), None)
        return None if run is None else run.over_all_jobs(quantity.metric.name)

    def sample(self, label: str, quantity: Quantity) -> Sample:
        """The same in each replica; empty where there is one."""
        if quantity.affected:
            return self.wait_samples.get(label, ())
        run = next((run for run in self.case.runs if run.label == label), None)
        return () if run is None else run.sample_over_all_jobs(quantity.metric.name)

    def leading(self, labels: Sequence[str], quantity: Quantity) -> list[bool]:
        """Which of these runs no other beats by a quantity."""
        return leading(
            [self.cell(label, quantity) for label in labels],
            [self.sample(label, quantity) for label in labels],
            self.sample(self.case.runs[self.case.baseline].label, quantity),
            quantity.metric,
            self.confidence,
            readings,
        )

    def value(self, label: str, quantity: Quantity) -> float:
        """The same as a number; NaN where there is none."""
        cell = self.cell(label, quantity)
        return float("nan") if cell is None else cell.value


class Starts(NamedTuple):
    """What is kept of one run until all others are read."""

    start: Ints
    usage: Floats


def starts_of(run: Replayed, expected: Workload) -> Starts | None:
    """None where the jobs have no deadlines, or others than the baseline's.

    On machines of different sizes a share may be drawn from different jobs.
    """
    workload, _, schedule = run
    if workload.deadline is None or expected.deadline is None:
        return None
    if not np.array_equal(workload.deadline, expected.deadline):
        return None
    given = workload.deadline - workload.submit
    counted = workload.deadline_driven & (schedule.start > workload.submit) & (given > 0)
    used = (schedule.end - workload.submit)[counted] / given[counted]
    return Starts(schedule.start, 100.0 * used)


def case_deadlines(
    case: Case, workload: Workload, found: Mapping[str, Starts], confidence: float
) -> CaseDeadlines:
    """From the shown replica, which was read already, and the others, which are read here."""
    starts = {label: one.start for label, one in found.items()}
    kept = _kept(workload, starts)
    waits = {label: (start - workload.submit)[kept] for label, start in starts.items()}
    means = [{label: mean_over(wait) for label, wait in waits.items()}]
    means += [_means(case, k) for k in range(len(case.runs[0].others))]
    values = {label: [one.get(label, float("nan")) for one in means] for label in waits}
    return CaseDeadlines(
        case=case,
        regular=int((~workload.deadline_driven).sum()),
        driven=int(workload.deadline_driven.sum()),
        left_out=int((~workload.deadline_driven & ~kept).sum()),
        wait_regular=replica_cells(values, case.runs[case.baseline].label, confidence),
        wait_samples={label: tuple(row) for label, row in values.items() if len(row) > 1},
        confidence=confidence,
        waits={label: distribution(wait, ERROR) for label, wait in waits.items() if len(wait)},
        usage={
            label: distribution(one.usage, ERROR) for label, one in found.items() if len(one.usage)
        },
    )


def _kept(workload: Workload, starts: Mapping[str, Ints]) -> Mask:
    """The regular jobs that wait under one of the runs, and that all of them ran."""
    try:
        kept = affected(workload, (Schedule(start, start) for start in starts.values()))
    except InputError:  # all jobs are regular, and all start at once
        return np.zeros(len(workload), np.bool_)
    kept = kept & ~workload.deadline_driven
    for start in starts.values():
        kept &= start != NEVER
    return kept


def _means(case: Case, k: int) -> dict[str, float]:
    """The mean waits of one of the other replicas, over the jobs that ran in all of its runs."""
    ids: dict[str, Ints] = {}
    starts: dict[str, Ints] = {}
    workload: Workload | None = None
    for run in case.runs:
        found, _, schedule = run.others[k]()
        ran = schedule.ran
        ids[run.label], starts[run.label] = found.id[ran], schedule.start[ran]
        workload = found if workload is None else workload
    shared = reduce(np.intersect1d, ids.values())
    if workload is None or not len(shared):
        return {}
    workload = workload.select(np.isin(workload.id, shared))
    starts = {label: start[np.isin(ids[label], shared)] for label, start in starts.items()}
    kept = _kept(workload, starts)
    return {label: mean_over((start - workload.submit)[kept]) for label, start in starts.items()}
