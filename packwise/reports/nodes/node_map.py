"""Nodes by time: how much of each is in use, and when it is out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from packwise.metrics.node_series import asked_for, node_use
from packwise.model.cluster import Cluster
from packwise.model.workload import Floats, Ints
from packwise.pictures.canvas import DAY
from packwise.pictures.clock import Clock
from packwise.reports.material import Replayed
from packwise.reports.nodes.rows import Rows, rows_of

MAP: Final = "node-map"
MAP_TITLE: Final = "Which node was busy when"
MAP_LEAD: Final = "Rows are nodes, columns are times."
MAP_SELECTS: Final = (("Policy", "node-policy"), ("Resource", "node-resource"))
LOST: Final = "Runs that an outage has cut short are not shown."
#: Stand for a row that is out of service and idle, and for one whose nodes have nothing of a resource.
OUT, NONE = -1, -2


@dataclass(frozen=True, eq=False)
class Use:
    """One run: percent in use by resource, row and column, or OUT or NONE. ``days`` are the edges of the
    columns, since the first submission.
    """

    label: str
    days: Floats
    percent: dict[str, Ints]


@dataclass(frozen=True, eq=False)
class NodeMap:
    """The maps of a case, whose runs have the same machine."""

    rows: Rows
    runs: tuple[Use, ...]
    clock: Clock | None
    caption: str

    @property
    def resources(self) -> tuple[str, ...]:
        return tuple(self.runs[0].percent)


def use_of(label: str, run: Replayed, edges: Ints) -> Use | None:
    """None if the schedule does not tell its nodes."""
    workload, cluster, schedule = run
    if schedule.allocation is None or cluster.is_pool:
        return None
    rows = rows_of(cluster)
    used = node_use(workload, cluster, schedule, edges, rows.of)
    there = np.zeros(used.shape[1:])
    np.add.at(there, rows.of, cluster.capacity())
    share = np.where(there > 0, used / np.maximum(there, 1), 0)
    percent = np.rint(100 * share.clip(0, 1)).astype(np.int64)
    percent[_out(cluster, rows, edges) & (percent == 0).all(axis=2)] = OUT
    percent[:, there == 0] = NONE
    by_name = {name: percent[:, :, r].T for name, r in asked_for(workload, cluster).items()}
    return Use(label, (edges - edges[0]) / DAY, by_name)


def _out(cluster: Cluster, rows: Rows, edges: Ints) -> NDArray[np.bool_]:
    """Which rows are out for most of which columns."""
    if not cluster.outages:
        return np.zeros((len(edges) - 1, len(rows.names)), np.bool_)
    out = np.zeros((len(edges) - 1, cluster.nodes))
    for outage in cluster.outages:
        left = np.maximum(edges[:-1], outage.begin)
        right = np.minimum(edges[1:], outage.end)
        covered = (right - left).clip(min=0) / np.diff(edges)
        out[:, list(outage.nodes)] = np.maximum(out[:, list(outage.nodes)], covered[:, None])
    # A row is out as far as the node of it that is out least.
    least = np.ones((len(edges) - 1, len(rows.names)))
    for node, row in enumerate(rows.of.tolist()):
        least[:, row] = np.minimum(least[:, row], out[:, node])
    return least > 0.5


def node_map(cluster: Cluster, runs: tuple[Use, ...], clock: Clock | None) -> NodeMap:
    """The maps of all runs of a case."""
    rows = rows_of(cluster)
    each = "a node" if len(rows.names) == cluster.nodes else "some nodes of a group, on average"
    caption = (
        f"Each row is {each}, each column an interval of time; the darker, the more of it is in use. "
        "What of the light places nobody could use, the chart of fragmentation tells."
    )
    if cluster.outages:
        caption += f" Red: out of service, and nothing runs there. {LOST}"
    return NodeMap(rows, runs, clock, caption)
