"""The Gantt chart as a still picture: as many jobs as an eye can follow, around the longest queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload
from packwise.pictures.canvas import DAY, INK, picture
from packwise.pictures.date_axis import date_places, name_dates
from packwise.reports.gantt.jobs import Gantt, Placed
from packwise.workloads.first_fit import first_fit

_MOST_JOBS: Final = 1500
_WAITS: Final = (
    (60.0, "< 1 min", "#cdd5df"),
    (600.0, "< 10 min", "#9ec5e8"),
    (3600.0, "< 1 h", "#5b9bd5"),
    (6 * 3600.0, "< 6 h", "#f0c35a"),
    (86400.0, "< 1 d", "#e8913a"),
    (7 * 86400.0, "< 1 wk", "#cf5324"),
    (np.inf, "longer", "#8c1d1d"),
)


def draw_gantt(gantt: Gantt, placed: Placed, path: Path) -> None:
    """Boxes of the jobs of one policy, coloured by wait."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    begin, end = _span(gantt)
    start = gantt.submit + placed.wait
    seen = (placed.wait >= 0) & (start < end) & (start + gantt.runtime + placed.extra > begin)
    pick = np.flatnonzero(seen)
    boxes, jobs = _boxes(gantt, placed, pick)
    boxes[:, :, 0] = date_places(gantt.clock, boxes[:, :, 0])
    wait = placed.wait[pick][jobs]
    ends = np.array([end for end, _, _ in _WAITS])
    colours = [_WAITS[k][2] for k in np.searchsorted(ends, wait, "right")]
    with picture(path, (11, 5.6)) as figure:
        axes: Any = figure.subplots()
        figure.suptitle(
            f"Which job ran when: {placed.label}",
            x=0.015,
            ha="left",
            fontsize=13,
            fontweight="bold",
        )
        axes.add_collection(
            PolyCollection(list(boxes), facecolors=colours, edgecolors="white", linewidths=0.3)
        )
        high = max(gantt.procs, float(boxes[:, :, 1].max(initial=1)))
        axes.set(ylim=(0, high), ylabel="processors")
        axes.set_xlim(*date_places(gantt.clock, np.array([begin, end]) / DAY))
        name_dates(axes.xaxis, gantt.clock)
        shown = f"{len(pick):,} of {gantt.window.jobs:,} jobs"
        axes.set_title(". ".join(filter(None, (shown, gantt.guess))), color=INK, fontsize=10)
        axes.grid(False)
        figure.legend(
            handles=[Patch(color=colour, label=name) for _, name, colour in _WAITS],
            title="wait",
            loc="outside lower center",
            ncols=len(_WAITS),
            fontsize=9,
        )


def _span(gantt: Gantt) -> tuple[int, int]:
    """From the first to the last submission of the jobs around the longest queue: the same for
    every policy, so that the pictures can be laid side by side."""
    middle = int(np.searchsorted(gantt.submit, gantt.peak, "right"))
    first = max(min(middle - _MOST_JOBS // 2, len(gantt.submit) - _MOST_JOBS), 0)
    last = min(first + _MOST_JOBS, len(gantt.submit)) - 1
    if last - first + 1 == len(gantt.submit):
        ends = [gantt.submit + run.wait + gantt.runtime + run.extra for run in gantt.runs]
        return int(gantt.submit[0]), max(int(end.max()) for end in ends)
    return int(gantt.submit[first]), max(int(gantt.submit[last]), int(gantt.submit[first]) + 1)


def _boxes(gantt: Gantt, placed: Placed, pick: Ints) -> tuple[Floats, Ints]:
    """Four corners (days, processors) of each box, and the position of its job in ``pick``."""
    if not len(pick):
        return np.empty((0, 4, 2)), np.empty(0, np.int64)
    start = gantt.submit[pick] + placed.wait[pick]
    runtime = gantt.runtime[pick] + placed.extra[pick]
    jobs = Workload(
        name="gantt",
        id=gantt.id[pick],
        submit=gantt.submit[pick],
        runtime=runtime,
        requested_time=runtime,
        demand=gantt.demand[pick],
    )
    # A recorded schedule may use more than the machine has; the picture then grows upwards.
    enough = Cluster.pool(max(gantt.procs, int(gantt.demand[pick].sum())))
    held = first_fit(jobs, enough, Schedule(start, start + runtime))
    corners, owner = [], []
    for job, intervals in enumerate(held):
        left, right = start[job] / DAY, (start[job] + runtime[job]) / DAY
        for low, high in intervals:
            corners.append([(left, low), (right, low), (right, high + 1), (left, high + 1)])
            owner.append(job)
    return np.array(corners, np.float64), np.array(owner, np.int64)
