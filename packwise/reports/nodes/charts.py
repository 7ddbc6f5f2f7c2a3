"""Of each resource the share in use over time, and the cores that lie idle though somebody waits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from packwise.metrics.node_series import Idle, asked_for, idle_cores, node_use
from packwise.model.workload import Floats, Ints
from packwise.pictures.canvas import DAY
from packwise.pictures.clock import Clock
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.charts.over_time import days_axis
from packwise.reports.material import Replayed

_POOL = "On this machine, a pool of processors, or by this schedule no nodes are told apart."

OUTAGE_WORDS = (
    "Nodes are out at times. Runs that an outage has cut short are in no chart and count as waiting: a job is "
    "shown where it ran to its end."
)


@dataclass(frozen=True, eq=False)
class NodeTimes:
    """One run: percent of each resource that jobs ask for in use, and of the cores those that are free while
    somebody waits and those of them that nobody can use.
    """

    days: Floats
    used: dict[str, Floats]
    free: Floats
    stranded: Floats


def node_times(run: Replayed, edges: Ints) -> NodeTimes | None:
    """None if the schedule does not tell its nodes. In the middle of each interval idle cores are counted."""
    workload, cluster, schedule = run
    if schedule.allocation is None or cluster.is_pool:
        return None
    together = np.zeros(cluster.nodes, np.int64)
    used = node_use(workload, cluster, schedule, edges, together)[:, 0]
    there = cluster.capacity().sum(axis=0)
    middle = (edges[:-1] + edges[1:]) // 2
    idle: Idle = idle_cores(workload, cluster, schedule, middle)
    cores = 100.0 / cluster.procs
    return NodeTimes(
        (middle - edges[0]) / DAY,
        {name: 100 * used[:, r] / there[r] for name, r in asked_for(workload, cluster).items()},
        cores * idle.free.astype(np.float64),
        cores * idle.stranded.astype(np.float64),
    )


def resource_chart(found: dict[str, NodeTimes], clock: Clock | None) -> Chart:
    caption = "Share of what all nodes have together, averaged over equal intervals."
    title = "Resources in use over time"
    if not found:
        return Chart("resources", title, caption, (), empty=_POOL)
    names = list(next(iter(found.values())).used)
    below, above = days_axis(clock), replace(days_axis(clock), title="")
    columns = min(2, len(names))
    panels = tuple(
        Panel(
            above if k < len(names) - columns else below,
            Axis(f"% of {name}", range=(0.0, 101.0)),
            tuple(
                Series(label, one.days, one.used[name], policy=label)
                for label, one in found.items()
            ),
            name,
        )
        for k, name in enumerate(names)
    )
    return Chart("resources", title, caption, panels, columns=columns)


def stranded_chart(found: dict[str, NodeTimes], clock: Clock | None) -> Chart:
    caption = (
        "Cores that are free while jobs wait, and no unit of a waiting job has room on their nodes: because "
        "memory or accelerators are taken there, or too few cores are left in one place. Counted at equal "
        "intervals."
    )
    title = "Fragmentation: free cores that no waiting job can use"
    if not found:
        return Chart("stranded", title, caption, (), empty=_POOL)
    series = tuple(
        Series(label, one.days, one.stranded, policy=label) for label, one in found.items()
    )
    axis = Axis("% of all cores", from_zero=True)
    return Chart("stranded", title, caption, (Panel(days_axis(clock), axis, series),))


def stranded_words(found: dict[str, NodeTimes]) -> str:
    """In a sentence how much each policy leaves idle."""
    parts = [
        f"{label} {one.free.mean():.1f} % and {one.stranded.mean():.1f} %"
        for label, one in found.items()
    ]
    return (
        "On average over the whole time, cores that are free while jobs wait, and of these those that none of "
        f"the waiting jobs can use: {', '.join(parts)} of all cores."
    )
