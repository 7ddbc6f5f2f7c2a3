"""What is used on the nodes over time, and what lies idle though somebody waits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.demands import Demands, demands
from packwise.model.schedule import Schedule
from packwise.model.workload import CORES, Floats, Ints, Workload

#: Moments times nodes times resources that are held at once.
_MOST_NUMBERS = 20_000_000


def node_use(
    workload: Workload, cluster: Cluster, schedule: Schedule, edges: Ints, rows: Ints
) -> Floats:
    """What is used on average between one edge and the next: by interval, row and resource.

    ``rows`` says for each node which row it is counted in. The schedule tells its nodes.
    """
    allocation = schedule.allocation
    assert allocation is not None
    job = allocation.job
    wanted = demands(workload, cluster)
    needs = allocation.units[:, None] * wanted.per_unit[wanted.kind[job]]
    row = rows[allocation.node]
    shape = (len(edges), int(rows.max()) + 1, len(cluster.resources))
    # What has been used until an edge t is the sum of needs * (t - start) over those who have started, less the
    # same of those who have ended.
    count, moment = np.zeros(shape), np.zeros(shape)
    for times, sign in ((schedule.start[job], 1.0), (schedule.end[job], -1.0)):
        place = np.searchsorted(edges, times, "left")
        there = place < len(edges)
        at = (place[there], row[there])
        since = times[there, None] - edges[0]
        np.add.at(count, at, sign * needs[there])
        np.add.at(moment, at, sign * needs[there] * since)
    until = np.cumsum(count, axis=0) * (edges - edges[0])[:, None, None] - np.cumsum(moment, axis=0)
    used: Floats = np.diff(until, axis=0) / np.diff(edges)[:, None, None]
    return used


def asked_for(workload: Workload, cluster: Cluster) -> dict[str, int]:
    """The resources that any job asks for, and their places among those of the cluster."""
    needs = demands(workload, cluster).per_unit.max(axis=0)
    return {name: r for r, name in enumerate(cluster.resources) if needs[r] > 0}


class Idle(NamedTuple):
    """Cores at some moments: ``free`` of all that are in service, and of these how many no waiting job can use,
    as none of its units has room on their nodes (``stranded``). Both are 0 where nobody waits.
    """

    time: Ints
    free: Ints
    stranded: Ints


def idle_cores(workload: Workload, cluster: Cluster, schedule: Schedule, times: Ints) -> Idle:
    """Cores that lie idle though somebody waits, at these moments (rising). The schedule tells its nodes."""
    free = np.zeros(len(times), np.int64)
    stranded = np.zeros(len(times), np.int64)
    wanted = demands(workload, cluster)
    ran = np.flatnonzero(schedule.ran)
    step = max(1, _MOST_NUMBERS // (cluster.nodes * len(cluster.resources)))
    for first in range(0, len(times), step):
        part = slice(first, first + step)
        left = _free(workload, cluster, schedule, wanted, times[part])
        begin = np.searchsorted(times[part], workload.submit[ran], "left")
        end = np.searchsorted(times[part], schedule.start[ran], "left")
        for k in range(len(times[part])):
            kinds = np.unique(wanted.kind[ran[(begin <= k) & (k < end)]])
            if kinds.size:
                cores, lost = _stranded(cluster, wanted, left[k], kinds)
                free[first + k], stranded[first + k] = cores, lost
    return Idle(times, free, stranded)


def _free(
    workload: Workload, cluster: Cluster, schedule: Schedule, wanted: Demands, times: Ints
) -> Ints:
    """What is free at these moments: by moment, node and resource; nothing of a node that is out."""
    allocation = schedule.allocation
    assert allocation is not None
    job = allocation.job
    needs = allocation.units[:, None] * wanted.per_unit[wanted.kind[job]]
    taken = np.zeros((len(times) + 1, cluster.nodes, len(cluster.resources)), np.int64)
    for moments, sign in ((schedule.start[job], 1), (schedule.end[job], -1)):
        np.add.at(taken, (np.searchsorted(times, moments, "left"), allocation.node), sign * needs)
    free: Ints = cluster.capacity() - np.cumsum(taken, axis=0)[:-1]
    whole = np.flatnonzero(cluster.whole_nodes())
    busy = np.any(free[:, whole] < cluster.capacity()[whole], axis=2, keepdims=True)
    free[:, whole] *= ~busy
    for outage in cluster.outages:
        during = np.flatnonzero((times >= outage.begin) & (times < outage.end))
        free[np.ix_(during, np.array(outage.nodes))] = 0
    return free


def _stranded(cluster: Cluster, wanted: Demands, free: Ints, kinds: Ints) -> tuple[int, int]:
    """Free cores of all nodes, and those of nodes on which no unit of these kinds has room."""
    cores = free[:, cluster.resources.index(CORES)].clip(min=0)
    useful = np.zeros(cluster.nodes, np.bool_)
    for kind in kinds.tolist():
        room = (free >= wanted.per_unit[kind]).all(axis=1)
        useful |= room & (wanted.open[wanted.where[kind]] > 0)
    return int(cores.sum()), int(cores[~useful].sum())
