"""The queue of several runs: how many jobs wait over time, and how many in each round."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from packwise.metrics.series import queue_length
from packwise.metrics.timeline import Step
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.run import Run
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload
from packwise.pictures.canvas import picture
from packwise.pictures.clock import Clock
from packwise.pictures.date_axis import date_places, name_dates
from packwise.pictures.lines import line_colours, line_dashes, run_labels
from packwise.pictures.replay import headline, series

OVER_TIME: Final = "over time"
IN_ROUNDS: Final = "in rounds"
_LETTERS: Final = 125


class Queue(NamedTuple):
    """The queue of one run: days since the first submission, how many jobs wait then on average, how many wait
    in each round, and the calendar of the log, if it tells one.
    """

    label: str
    days: Floats
    length: Floats
    sizes: Ints
    clock: Clock | None = None

    @classmethod
    def of(
        cls, label: str, workload: Workload, cluster: Cluster, schedule: Schedule, sizes: Ints
    ) -> Queue:
        step: Step = queue_length(workload, cluster, schedule)
        clock = Clock.of(workload, int(schedule.end.max(initial=0)))
        return cls(label, *series(step, workload, schedule), sizes, clock)


def queues_of(runs: Sequence[Run]) -> list[Queue]:
    """The queues of runs of one workload."""
    return [
        Queue.of(label, run.workload, run.cluster, run.schedule, run.rounds.queued)
        for label, run in zip(run_labels(runs), runs, strict=True)
    ]


def plot_run_queues(runs: Sequence[Run], baseline: int, path: str | os.PathLike[str]) -> None:
    """Draw the queues of several runs of a workload as PNG, SVG or PDF; the baseline in black."""
    plot_queues(headline(runs), queues_of(runs), path, baseline=baseline)


def plot_queues(
    title: str,
    queues: Sequence[Queue],
    path: str | os.PathLike[str],
    *,
    baseline: int | None = None,
    panels: Sequence[str] = (OVER_TIME, IN_ROUNDS),
) -> None:
    """Draw queues, which may be of several workloads: over time, in rounds, or both."""
    if not queues:
        raise InputError("expected one queue or more to draw, found none.")
    colours, dashes = line_colours(len(queues), baseline), line_dashes(len(queues))
    draw = {OVER_TIME: draw_over_time, IN_ROUNDS: draw_in_rounds}
    with picture(path, (11.5, 0.7 + 3.5 * len(panels))) as figure:
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold")
        places = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axes, panel in zip(places, panels, strict=True):
            draw[panel](axes, queues, colours, dashes)
        lines = places[0].get_legend_handles_labels()
        columns = len(queues) if legend_fits(queues) else 3
        figure.legend(*lines, loc="outside lower center", ncols=columns)


def legend_fits(queues: Sequence[Queue]) -> bool:
    """Whether the labels stand beside each other in one line."""
    return sum(len(queue.label) for queue in queues) + 7 * len(queues) < _LETTERS


def draw_over_time(
    axes: Any, queues: Sequence[Queue], colours: Sequence[str], dashes: Sequence[Any]
) -> None:
    """How many jobs wait over time, as a line for each queue; by date, if all are of one log that tells it."""
    clocks = [queue.clock for queue in queues]
    clock = clocks[0]
    if any(one is None or clock is None or one.origin != clock.origin for one in clocks):
        clock = None
    elif clock is not None:  # the one that goes on for longest
        clock = max((one for one in clocks if one is not None), key=lambda one: len(one.shifts))
    for queue, colour, dash in zip(queues, colours, dashes, strict=True):
        axes.plot(
            date_places(clock, queue.days),
            queue.length,
            color=colour,
            linestyle=dash,
            linewidth=1.5,
            label=queue.label,
        )
    axes.set(title="Jobs waiting over time", ylabel="jobs")
    axes.set_ylim(0, None)
    last = max(float(queue.days[-1]) for queue in queues) or 1
    axes.set_xlim(*date_places(clock, np.array([0.0, last])).tolist())
    name_dates(axes.xaxis, clock)


def draw_in_rounds(
    axes: Any, queues: Sequence[Queue], colours: Sequence[str], dashes: Sequence[Any]
) -> None:
    """In which share of the rounds so many jobs wait, or fewer."""
    shares = [distribution(queue.sizes) for queue in queues]
    longest = max(10, *(int(size[-1]) for size, _ in shares))
    for queue, (size, share), colour, dash in zip(queues, shares, colours, dashes, strict=True):
        axes.step(
            np.append(size, 2 * longest),  # beyond the edge
            np.append(share, 100.0),
            where="post",
            color=colour,
            linestyle=dash,
            linewidth=1.9,
            label=queue.label,
        )
    axes.set_xscale("symlog", linthresh=1, linscale=0.4)
    ticks = [0, *(10**power for power in range(len(str(longest)) + 1) if 10**power <= longest)]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xlim(0, 1.15 * longest)
    axes.set_ylim(0, 101)
    axes.set(
        title="Rounds by the length of the queue",
        ylabel="% of rounds",
        xlabel="at most so many jobs waiting",
    )


def distribution(sizes: Ints) -> tuple[Ints, Floats]:
    """The sizes that occur, from 0 on, and which per cent of the rounds have at most so many."""
    if not len(sizes):
        return np.zeros(1, np.int64), np.full(1, 100.0)
    counts = np.bincount(sizes)
    occurs = np.flatnonzero(counts)
    if occurs[0]:
        occurs = np.concatenate(([0], occurs))
    return occurs, 100.0 * np.cumsum(counts)[occurs] / len(sizes)
