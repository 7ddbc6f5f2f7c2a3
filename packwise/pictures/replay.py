"""One run over time: the queue and the busy processors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

import numpy as np

from packwise.metrics.catalogue import summarize
from packwise.metrics.series import busy_processors, queue_length, resample
from packwise.metrics.timeline import Step
from packwise.model.run import Run
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Workload
from packwise.pictures.canvas import DAY, INK, picture
from packwise.pictures.clock import Clock
from packwise.pictures.date_axis import date_places, name_dates

_POINTS: Final = 400
_QUEUE, _BUSY = "#0072B2", "#009E73"


def plot_replay(run: Run, path: str | os.PathLike[str]) -> None:
    """Draw one run as PNG, SVG or PDF: the queue and the busy processors over time."""
    with picture(path, (13, 6.6)) as figure:
        queue, busy = figure.subplots(2, 1, sharex=True)
        figure.suptitle(
            f"{headline([run])}, policy {run.policy}",
            x=0.012,
            ha="left",
            fontsize=14,
            weight="bold",
        )
        parts = run.workload, run.cluster, run.schedule
        clock = Clock.of(run.workload, int(run.schedule.end.max(initial=0)))
        place, length = series(queue_length(*parts), run.workload, run.schedule)
        place = date_places(clock, place)
        queue.fill_between(place, length, step="mid", color=_QUEUE, alpha=0.85, linewidth=0)
        queue.set(title="Jobs waiting", ylabel="jobs", ylim=(0, None))
        place, used = series(busy_processors(*parts), run.workload, run.schedule)
        place = date_places(clock, place)
        share = 100 * used / run.cluster.procs
        busy.fill_between(place, share, step="mid", color=_BUSY, alpha=0.8, linewidth=0)
        mean = 100 * summarize(*parts, ["utilization"])["utilization"]
        busy.axhline(
            mean, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), label=f"mean {mean:.1f} %"
        )
        busy.set(title="Processors busy", ylabel="%")
        name_dates(busy.xaxis, clock)
        busy.set_ylim(0, 101)
        busy.legend(loc="lower right", bbox_to_anchor=(1, 1))
        busy.set_xlim(float(place[0]), max(float(place[-1]), float(place[0]) + 1e-3))


def headline(runs: Sequence[Run]) -> str:
    run = runs[0]
    estimates = sorted({one.estimate for one in runs})
    believed = f", estimate {estimates[0]}" if len(estimates) == 1 else ""
    jobs = f"{len(run.workload):,} job{'' if len(run.workload) == 1 else 's'}"
    guess = f" ({run.cluster.sizing.guess})" if run.cluster.sizing.guess else ""
    return f"{run.workload.name}:  {jobs}, {run.cluster.procs:,} processors{guess}{believed}"


def series(step: Step, workload: Workload, schedule: Schedule) -> tuple[Floats, Floats]:
    """Days since the first submission, and the average over each of the intervals."""
    if len(step.times) < 2:  # nobody ever waited
        span = max(float(schedule.end.max() - workload.submit[0]), 1.0)
        return np.array([0.0, span / DAY]), np.zeros(2)
    place, average = resample(step, _POINTS)
    place, average = np.append(place, step.times[-1]), np.append(average, step.values[-1])
    return (place - float(workload.submit[0])) / DAY, average
