"""Plans of one round: what the running jobs hold, and where the waiting ones are to go."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload
from packwise.pictures.canvas import DAY, INK, picture
from packwise.workloads.first_fit import first_fit

#: Okabe and Ito's colours, which all eyes can tell apart, and the ink that is readable on each.
_COLOURS: Final = (
    ("#0072B2", "white"),
    ("#E69F00", INK),
    ("#009E73", "white"),
    ("#CC79A7", INK),
    ("#D55E00", "white"),
    ("#56B4E9", INK),
    ("#7A5195", "white"),
)
_RUNNING: Final = "#d5d9e0"
#: Inches of a panel, and of what is around the panels. Points of a letter and of a line in a box.
_PANEL, _AROUND = (12.5, 4.1), 1.1
_LETTER, _LINE = 4.6, 8.5
#: Points from which on a box is separated from its neighbours.
_SMALL: Final = 3.0
_DASHED: Final = (0, (4, 3))
#: If this share of the jobs ends within a small part of the time, only about that part is shown.
_MOST, _SPARSE, _MARGIN = 0.8, 4.0, 1.25
#: If more than this share of the processors is held all the time, they are not shown.
_HELD: Final = 0.3


@dataclass(frozen=True, eq=False)
class Queue:
    """A moment: the running jobs with their expected ends, and the waiting jobs. Times are seconds."""

    title: str
    now: int
    procs: int
    running_demand: Ints
    expected_end: Ints
    id: Ints
    demand: Ints
    estimate: Ints


@dataclass(frozen=True, eq=False)
class _Boxes:
    """Rectangles of jobs: each has one for each run of neighbouring processors. Times from now."""

    job: Ints
    left: Floats
    right: Floats
    low: Floats
    high: Floats

    def corners(self) -> Floats:
        """Four points of each."""
        around = [(self.left, self.low), (self.right, self.low)]
        around += [(self.right, self.high), (self.left, self.high)]
        return np.stack([np.stack(corner, axis=-1) for corner in around], axis=1)


def plot_plans(
    queue: Queue, plans: Sequence[tuple[str, Ints]], path: str | os.PathLike[str]
) -> None:
    """Draw plans (a title, and a start of each waiting job) below each other as PNG, SVG or PDF.

    A job has the same colour in all of them. The same plans give the same file.
    """
    span = _span(queue, plans)
    unit, width = _unit(span)
    colour = np.empty(len(queue.id), np.int64)  # the largest jobs differ
    largest = np.argsort(-queue.demand.astype(float) * queue.estimate, kind="stable")
    colour[largest] = np.arange(len(queue.id)) % len(_COLOURS)
    bottom = _bottom(queue, span)
    with picture(path, (_PANEL[0], _AROUND + _PANEL[1] * len(plans))) as figure:
        panels = np.atleast_1d(figure.subplots(len(plans), 1, sharex=True, sharey=True))
        figure.suptitle(queue.title, x=0.012, ha="left", fontsize=14, fontweight="bold")
        for axes, (title, start) in zip(panels, plans, strict=True):
            axes.set(xlim=(-0.02 * span / width, 1.005 * span / width), ylim=(bottom, queue.procs))
            beyond = int((start - queue.now >= span).sum())
            note = f"; {beyond} more further right" if beyond else ""
            axes.set_title(title + note)
            axes.set_ylabel("processors")
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.grid(False)
            _draw(axes, queue, start, colour, width)
        panels[-1].set_xlabel(f"{unit} from now")
        _legend(figure)


def _span(queue: Queue, plans: Sequence[tuple[str, Ints]]) -> int:
    """Seconds to show: all, or most of the jobs where the last few would leave them no room."""
    ends = np.concatenate([start + queue.estimate for _, start in plans]) - queue.now
    most = float(np.quantile(ends, _MOST))
    full = int(ends.max())
    return full if full < _SPARSE * most else int(_MARGIN * most)


def _bottom(queue: Queue, span: int) -> float:
    """The lowest processor to show: what is held all the time, at the bottom, may be left out."""
    held = int(queue.running_demand[queue.expected_end - queue.now >= span].sum())
    return held - 0.05 * queue.procs if held > _HELD * queue.procs else 0.0


def _unit(span: int) -> tuple[str, int]:
    for unit, width in (("days", DAY), ("hours", 3600), ("minutes", 60)):
        if span >= 3 * width:
            return unit, width
    return "seconds", 1


def _draw(axes: Any, queue: Queue, start: Ints, colour: Ints, width: int) -> None:
    from matplotlib.collections import PolyCollection

    boxes = _boxes(queue, start, width, before=axes.get_xlim()[0])
    wide, tall = _points(axes, boxes)
    running = boxes.job < 0
    corners = boxes.corners()
    fill = np.array([_COLOURS[k][0] for k in colour[boxes.job]])
    fill[running] = _RUNNING
    # A white edge would hide a small box.
    edge = np.where((wide > _SMALL) & (tall > _SMALL), "white", fill)
    axes.add_collection(
        PolyCollection(list(corners), facecolors=list(fill), edgecolors=list(edge), linewidths=0.6)
    )
    now = ~running & (boxes.left == 0)
    axes.add_collection(
        PolyCollection(
            list(corners[now]), facecolors="none", edgecolors=INK, linewidths=1.5, zorder=3
        )
    )
    axes.axvline(0, color=INK, linewidth=1.3, linestyle=_DASHED, zorder=4)
    _label(axes, queue, boxes, colour, wide, tall)


def _points(axes: Any, boxes: _Boxes) -> tuple[Floats, Floats]:
    """About how wide and tall boxes come out, in points."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    wide = (np.minimum(boxes.right, right) - boxes.left) / (right - left) * _PANEL[0] * 72 * 0.93
    tall = (boxes.high - boxes.low) / (top - bottom) * (_PANEL[1] - 0.7) * 72
    return wide, tall


def _boxes(queue: Queue, start: Ints, width: int, before: float) -> _Boxes:
    """Processors for all jobs, the lowest first; the running jobs that end last lie at the bottom.

    A pool does not say which processors a job has, so any will do. ``job`` is -1 for running ones, which are
    drawn from ``before`` on.
    """
    running = np.argsort(-queue.expected_end, kind="stable")
    begin = np.concatenate([np.full(len(running), queue.now), start]) - queue.now
    end = np.concatenate([queue.expected_end[running], start + queue.estimate]) - queue.now
    jobs = Workload(
        name="plan",
        id=np.arange(len(begin)),
        submit=np.zeros(len(begin), np.int64),
        runtime=end - begin,
        requested_time=end - begin,
        demand=np.concatenate([queue.running_demand[running], queue.demand]),
    )
    held = first_fit(jobs, Cluster.pool(queue.procs), Schedule(begin, end))
    owner = np.repeat(np.arange(len(begin)), [len(pieces) for pieces in held])
    pieces = np.array([piece for pieces in held for piece in pieces], float)
    job = np.maximum(owner - len(running), -1)
    return _Boxes(
        job,
        np.where(job < 0, before, begin[owner] / width),
        end[owner] / width,
        pieces[:, 0],
        pieces[:, 1] + 1,
    )


def _label(
    axes: Any, queue: Queue, boxes: _Boxes, colour: Ints, wide: Floats, tall: Floats
) -> None:
    """The job's id in its tallest box, where it fits."""
    end = axes.get_xlim()[1]
    done: set[int] = set()
    for box in np.argsort(-tall, kind="stable"):
        job = int(boxes.job[box])
        if job < 0 or job in done:
            continue
        done.add(job)
        text = str(queue.id[job])
        if wide[box] < _LETTER * len(text) + 4 or tall[box] < _LINE:
            continue
        axes.text(
            (boxes.left[box] + min(boxes.right[box], end)) / 2,
            (boxes.low[box] + boxes.high[box]) / 2,
            text,
            ha="center",
            va="center_baseline",
            fontsize=7.5,
            color=_COLOURS[colour[job]][1],
            zorder=5,
        )


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure.legend(
        handles=[
            Line2D([], [], color=INK, linewidth=1.3, linestyle=_DASHED, label="now"),
            Patch(color=_RUNNING, label="running, until its expected end"),
            Patch(facecolor=_COLOURS[0][0], edgecolor=INK, linewidth=1.6, label="starts now"),
            Patch(color=_COLOURS[0][0], label="planned for later (colours tell jobs apart)"),
        ],
        loc="outside lower center",
        ncols=4,
        fontsize=9,
    )
