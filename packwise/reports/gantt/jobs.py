"""The jobs of a Gantt chart: which ones, and their columns packed for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from packwise.metrics.group_changes import group_name
from packwise.metrics.series import queue_length
from packwise.model.schedule import NEVER
from packwise.model.workload import UNKNOWN, Ints, Workload
from packwise.pictures.clock import Clock
from packwise.reports.coding import packed, varints
from packwise.reports.material import Replayed

#: Entries (jobs times policies) in one page, and jobs in one chart.
MOST_ENTRIES: Final = 500_000
MOST_JOBS: Final = 100_000


@dataclass(frozen=True)
class Window:
    """Consecutive jobs in the order of submission, of ``jobs`` in all."""

    first: int
    beyond: int
    jobs: int

    @property
    def note(self) -> str:
        """What the reader should know if these are not all jobs."""
        shown = self.beyond - self.first
        if shown == self.jobs:
            return ""
        cut = {"left": ("earlier", self.first > 0), "right": ("later", self.beyond < self.jobs)}
        edges = [edge for edge, (_, left_out) in cut.items() if left_out]
        where = "both edges" if len(edges) == 2 else f"the {edges[0]} edge"
        when = " or ".join(cut[edge][0] for edge in edges)
        return (
            f"Shows {shown:,} of {self.jobs:,} jobs: those submitted around the longest queue of "
            f"the baseline. Near {where} the machine looks emptier than it was, because jobs "
            f"submitted {when} are left out."
        )


@dataclass(frozen=True, eq=False)
class Placed:
    """One policy's jobs in the window: wait (-1: never ran), and run time less the workload's."""

    label: str
    wait: Ints
    extra: Ints


@dataclass(frozen=True, eq=False)
class Gantt:
    """Columns of the jobs in the window; times are seconds since the log's first submission."""

    window: Window
    procs: int
    id: Ints
    submit: Ints
    runtime: Ints
    demand: Ints
    user: Ints
    #: What the users are called that the numbers in ``user`` stand for.
    users: tuple[str, ...]
    runs: tuple[Placed, ...]
    #: When the baseline's queue was longest, in the same seconds.
    peak: int
    clock: Clock | None = None
    #: What the machine is, where that is a guess.
    guess: str = ""

    @property
    def note(self) -> str:
        """What the reader should know of these jobs, and of the machine."""
        return f"{self.window.note} {self.guess}".strip()

    def packed(self) -> str:
        """All columns one after the other; ``assets/unpack.js`` reads them in this order."""
        shared = (
            varints(self.id, delta=True),
            varints(self.submit, delta=True),
            varints(self.runtime),
            varints(self.demand),
            varints(self.user),
        )
        placed = (varints(run.wait) + varints(run.extra) for run in self.runs)
        return packed(b"".join((*shared, *placed)))


def budgets(cases: Sequence[tuple[int, int]]) -> list[int]:
    """How many jobs each case may show, from its (jobs, policies); small cases leave room."""
    allowed = [0] * len(cases)
    left, policies = MOST_ENTRIES, sum(runs for _, runs in cases)
    for k in sorted(range(len(cases)), key=lambda k: cases[k][0]):
        jobs, runs = cases[k]
        allowed[k] = min(jobs, MOST_JOBS, max(left // max(policies, 1), 1))
        left -= allowed[k] * runs
        policies -= runs
    return allowed


def longest_queue(baseline: Replayed) -> int:
    """The first moment at which the queue is longest; the first submission if nobody waits."""
    step = queue_length(*baseline)
    return int(step.times[int(np.argmax(step.values))])


def choose_window(baseline: Replayed, most: int) -> Window:
    """Up to ``most`` consecutive jobs, with the longest queue in the middle where possible."""
    jobs = len(baseline.workload)
    if jobs <= most:
        return Window(0, jobs, jobs)
    middle = int(np.searchsorted(baseline.workload.submit, longest_queue(baseline), "right"))
    first = min(max(middle - most // 2, 0), jobs - most)
    return Window(first, first + most, jobs)


def place(label: str, run: Replayed, window: Window) -> Placed:
    part = slice(window.first, window.beyond)
    start, end = run.schedule.start[part], run.schedule.end[part]
    ran = start != NEVER
    return Placed(
        label,
        wait=np.where(ran, start - run.workload.submit[part], NEVER),
        extra=np.where(ran, end - start - run.workload.runtime[part], 0),
    )


def assemble(
    workload: Workload,
    procs: int,
    window: Window,
    peak: int,
    runs: tuple[Placed, ...],
    clock: Clock | None = None,
    guess: str = "",
) -> Gantt:
    part = slice(window.first, window.beyond)
    origin = workload.submit[0]
    found, user = np.unique(workload.user[part], return_inverse=True)
    unknown = int(UNKNOWN in found)  # it comes first, and stays -1
    return Gantt(
        window,
        procs,
        workload.id[part].copy(),
        workload.submit[part] - origin,
        workload.runtime[part].copy(),
        workload.demand[part].copy(),
        user.reshape(-1).astype(np.int64) - unknown,
        tuple(group_name(workload, "user", number) for number in found.tolist()[unknown:]),
        runs,
        peak - int(origin),
        clock,
        guess,
    )
