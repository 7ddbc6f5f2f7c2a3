"""The queue and the busy processors over time, all policies on one grid of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from packwise.metrics.series import busy_processors, queue_length, resample
from packwise.metrics.timeline import Step
from packwise.model.workload import Floats, Ints
from packwise.pictures.canvas import DAY
from packwise.pictures.clock import Clock
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.material import Replayed

POINTS: Final = 500
#: Utilization jumps more than the queue does: wider intervals keep several lines apart.
_BUSY_POINTS: Final = 125
_MOST_POINTS: Final = 2000


@dataclass(frozen=True)
class Grid:
    """Equal intervals from the first submission on; a longer run only has more of them."""

    first: int
    width: int

    @classmethod
    def of(cls, baseline: Replayed) -> Grid:
        first = int(baseline.workload.submit[0])
        span = max(int(baseline.schedule.end.max()) - first, 1)
        return cls(first, -(-span // POINTS))

    def edges(self, end: int, most: int) -> Ints:
        """Edges of intervals up to ``end``, some of these put together so that the baseline has ``most``."""
        width = self.width * max(POINTS // most, 1)
        return self.first + width * np.arange(
            max(-(-(end - self.first) // width), 1) + 1, dtype=np.int64
        )

    def averages(self, step: Step, end: int) -> tuple[Floats, Floats]:
        """(days since the first submission, average of ``step``) in each interval up to ``end``."""
        count = max(-(-(end - self.first) // self.width), 1)
        width = self.width * -(-count // _MOST_POINTS)
        count = max(-(-(end - self.first) // width), 1)
        last = self.first + count * width
        inside = (step.times > self.first) & (step.times < last)
        at_first = int(np.searchsorted(step.times, self.first, "right")) - 1
        initial = step.values[at_first] if at_first >= 0 else 0
        times = np.concatenate(([self.first], step.times[inside], [last]))
        values = np.concatenate(([initial], step.values[inside], [0]))
        place, average = resample(Step(times, values), count)
        return (place - self.first) / DAY, average


@dataclass(frozen=True, eq=False)
class OverTime:
    """One run's queue (jobs) and busy share (percent) over days."""

    queue: tuple[Floats, Floats]
    busy: tuple[Floats, Floats]


def over_time(run: Replayed, grid: Grid) -> OverTime:
    end = int(run.schedule.end.max())
    coarse = Grid(grid.first, grid.width * (POINTS // _BUSY_POINTS))
    day, used = coarse.averages(busy_processors(*run), end)
    return OverTime(
        queue=grid.averages(queue_length(*run), end),
        busy=(day, 100.0 * used / run.cluster.procs),
    )


def queue_chart(found: dict[str, OverTime], clock: Clock | None) -> Chart:
    series = tuple(Series(label, *one.queue, policy=label) for label, one in found.items())
    axes = days_axis(clock), Axis("jobs waiting", from_zero=True)
    caption = (
        f"Averages over equal intervals, about {POINTS} in all. The area under a line is the total "
        "wait of all jobs."
    )
    return Chart("queue", "Jobs waiting over time", caption, (Panel(*axes, series),))


def utilization_chart(found: dict[str, OverTime], clock: Clock | None) -> Chart:
    series = tuple(Series(label, *one.busy, policy=label) for label, one in found.items())
    axes = days_axis(clock), Axis("% of processors", range=(0.0, 101.0))
    caption = (
        "Share of the processors that run a job, averaged over equal intervals, about "
        f"{_BUSY_POINTS} in all."
    )
    return Chart("utilization", "Processors busy over time", caption, (Panel(*axes, series),))


def days_axis(clock: Clock | None) -> Axis:
    """Time, by the calendar where the log tells its date."""
    title = "days since the first submission" if clock is None else clock.title
    return Axis(title, from_zero=True, clock=clock)
