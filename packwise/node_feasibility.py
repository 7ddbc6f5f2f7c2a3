"""Could these nodes have run this schedule? Part of ``packwise.feasibility``: what is used on each node over
time.

A schedule that does not tell its nodes is held against the sum of them, which is all that can be said of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.demands import demands
from packwise.model.schedule import Schedule
from packwise.model.workload import Ints, Workload


class Overuse(NamedTuple):
    """Moments from which on more is used on a node than it has: by job that began it, time, amount, node, and
    resource (the number of resources stands for a node that a job should have to itself).
    """

    job: Ints
    time: Ints
    amount: Ints
    node: Ints
    resource: Ints


class Misplaced(NamedTuple):
    """Jobs whose units do not add up, or that are on a node that is not there, or not open to them: how many
    units too many.
    """

    job: Ints
    amount: Ints


def misplaced(workload: Workload, cluster: Cluster, schedule: Schedule) -> Misplaced:
    """Jobs that ran on other numbers of units than they have. ``schedule`` tells its nodes."""
    allocation = schedule.allocation
    assert allocation is not None
    wanted = demands(workload, cluster)
    units = wanted.units
    known = (allocation.node >= 0) & (allocation.node < cluster.nodes) & (allocation.units > 0)
    row = wanted.where[wanted.kind[allocation.job]]
    known &= wanted.open[row, np.where(known, allocation.node, 0)] > 0
    placed = np.zeros(len(workload), np.int64)
    np.add.at(placed, allocation.job, np.where(known, allocation.units, 0))
    expected = np.where(schedule.ran, units, 0)
    strange = np.zeros(len(workload), np.bool_)
    strange[allocation.job[~known]] = True
    job = np.flatnonzero((placed != expected) | strange)
    return Misplaced(job, placed[job] - expected[job])


class WhileOut(NamedTuple):
    """Jobs on a node that is out: when that begins, for how many seconds, and on which node."""

    job: Ints
    time: Ints
    amount: Ints
    node: Ints


def while_out(
    workload: Workload, cluster: Cluster, schedule: Schedule, sound: NDArray[np.bool_]
) -> WhileOut:
    """Jobs that had nodes whose outage kills, or that were given nodes while any outage lasted. Who holds nodes
    that boot has been given them, and may begin to run on them after a drain has begun.
    """
    allocation = schedule.allocation
    assert allocation is not None
    job, node = allocation.job, allocation.node
    start, end = schedule.held_from[job], schedule.end[job]
    found = [np.empty((4, 0), np.int64)]
    for outage in cluster.outages:
        there = np.isin(node, outage.nodes) & sound[job] & (start < outage.end) & (end > start)
        there &= (end > outage.begin) if outage.kill else (start >= outage.begin)
        begin = np.maximum(start, outage.begin)
        length = np.minimum(end, outage.end) - begin
        found.append(np.stack((job, begin, length, node))[:, there])
    return WhileOut(*np.concatenate(found, axis=1))


def overuse(
    workload: Workload, cluster: Cluster, schedule: Schedule, sound: NDArray[np.bool_]
) -> Overuse:
    """Where and when more is used than there is, looking at the ``sound`` jobs."""
    wanted = demands(workload, cluster)
    capacity, whole = cluster.capacity(), cluster.whole_nodes()
    allocation = schedule.allocation
    if allocation is None:
        first = np.arange(len(workload) + 1)
        allocation = Allocation(first, np.zeros(len(workload), np.int64), wanted.units)
        capacity, whole = capacity.sum(axis=0, keepdims=True), whole[:1] * 0
    job, node = allocation.job, allocation.node
    there = sound[job] & (node >= 0) & (node < len(capacity)) & (allocation.units > 0)
    start, end = schedule.held_from, schedule.end
    there &= (end > start)[job]
    job, node, units = job[there], node[there], allocation.units[there]
    needs = units[:, None] * wanted.per_unit[wanted.kind[job]]
    seats = np.ones((len(job), 1), np.int64)
    has = np.concatenate([capacity, np.where(whole > 0, 1, len(job) + 1)[:, None]], axis=1)
    needs = np.concatenate([needs, seats], axis=1)
    # At one moment what ends gives back before what starts takes.
    time = np.concatenate([end[job], start[job]])
    takes = np.repeat([0, 1], len(job))
    twice, place = np.tile(job, 2), np.tile(node, 2)
    order = np.lexsort((twice, takes, time, place))
    time, takes, twice, place = time[order], takes[order], twice[order], place[order]
    found = []
    for resource in range(needs.shape[1]):
        change = np.where(takes == 1, 1, -1) * np.tile(needs[:, resource], 2)[order]
        used = np.cumsum(
            change
        )  # a node ends with nothing used, so the next one begins with nothing
        above = used - has[place, resource]
        begins = (above > 0) & (above - change <= 0) & (takes == 1)
        at = np.flatnonzero(begins)
        found.append((twice[at], time[at], above[at], place[at], np.full(len(at), resource)))
    columns = (np.concatenate(column) for column in zip(*found, strict=True))
    return Overuse(*columns)
