"""The nodes of a replay: filled before it, read after it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from packwise.engine.memory import Group
from packwise.engine.nodes.cap import cells_for, fill_cap
from packwise.engine.nodes.group import CELLS, RING, RULE, SEATS, SPARE, STAMP, new_nodes
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.demands import Demands
from packwise.model.energy.cap import PowerLimit
from packwise.model.placement import placement_code
from packwise.model.schedule import NEVER
from packwise.model.workload import Ints


class OnNodes(NamedTuple):
    """What a replay on nodes needs to know: what jobs need of them, the rule of placement, and whether it makes
    a difference on which of them jobs run; and what jobs may draw, under a power cap. ``pooled``: the node
    stands for a pool.
    """

    wanted: Demands
    placement: str
    matter: bool
    limit: PowerLimit | None = None
    pooled: bool = False


def room_for_nodes(
    nodes: int,
    resources: int,
    wanted: Demands,
    entries: Ints,
    outages: int,
    limit: PowerLimit | None = None,
    running: int = 0,
) -> Group:
    """Room for so many nodes and resources. ``entries``: the most nodes that each job can be on; ``outages``:
    how often a node goes out. A chain has two cells for each job that is on its node, now or by a plan, and
    for each outage. ``limit``: what jobs may draw, these and so many that are ``running``.
    """
    places = int(entries.sum())
    kinds = len(wanted.per_unit)
    jobs = len(wanted.units)
    cells = 2 * nodes + 2 * places + 2 * outages + 2 + cells_for(limit, jobs + running)
    rises = 0 if limit is None else len(limit.rises)
    return new_nodes(nodes, resources + 1, kinds, len(wanted.open), jobs, places, cells, rises)


def entries_of(units: Ints, nodes: int) -> Ints:
    """The most nodes that jobs of so many units can be on."""
    return np.minimum(units, nodes)


def fill_nodes(
    machine: Any,
    capacity: Ints,
    whole: Ints,
    wanted: Demands,
    placement: str,
    free: Ints | None = None,
) -> None:
    """Let nobody be on the nodes, of which so much is ``free``; without it, all that they have. ``whole``:
    nodes that a job has to itself; if anything of such a one is missing, it has no seat.
    """
    nodes = len(capacity)
    free = capacity if free is None else free
    seats = np.where(whole > 0, 1, SEATS)
    machine.capacity[:, :-1] = capacity
    machine.capacity[:, -1] = seats
    machine.head[:] = np.arange(nodes)
    machine.next[:] = -1
    machine.free[:nodes, :-1] = free
    machine.free[:nodes, -1] = np.where((whole > 0) & (free < capacity).any(axis=1), 0, seats)
    machine.needs[:, :-1] = wanted.per_unit
    machine.needs[:, -1] = 1
    machine.where[:] = wanted.where
    machine.open[:] = wanted.open
    for row, nodes_of_row in enumerate(wanted.open):
        there = np.flatnonzero(nodes_of_row)
        machine.begin[row] = row * nodes
        machine.end[row] = row * nodes + len(there)
        machine.listed[row * nodes : row * nodes + len(there)] = there
    machine.seen[:] = -RING - 1
    machine.failed_in[:] = -1
    machine.placed_in[:] = -1
    machine.kind[:] = wanted.kind
    machine.units[:] = wanted.units
    entries = entries_of(wanted.units, nodes)
    machine.first[:] = np.cumsum(entries) - entries
    machine.rare[:-1] = (capacity == 0).sum(axis=0)
    machine.numbers[[CELLS, SPARE, RULE, STAMP]] = nodes, -1, placement_code(placement), -2


def new_machine(cluster: Cluster, on: OnNodes) -> Group:
    """Room for the nodes of a cluster and the jobs of a replay."""
    wanted = on.wanted
    entries = entries_of(wanted.units, cluster.nodes)
    outages = sum(len(outage.nodes) for outage in cluster.outages)
    resources = len(cluster.resources)
    return room_for_nodes(cluster.nodes, resources, wanted, entries, outages, on.limit)


def fill_machine(machine: Any, cluster: Cluster, on: OnNodes) -> None:
    """The nodes of a cluster before anything has happened."""
    fill_nodes(machine, cluster.capacity(), cluster.whole_nodes(), on.wanted, on.placement)
    if on.limit is not None:
        fill_cap(machine, on.limit)
        machine.draw[:] = on.limit.draw


def allocation_of(machine: Any, start: Ints) -> Allocation:
    """Where the jobs ran, each on its nodes by their numbers."""
    ran = start != NEVER
    counts = np.where(ran, machine.held, 0)
    first = np.concatenate(([0], np.cumsum(counts)))
    entries = np.repeat(machine.first - first[:-1], counts) + np.arange(first[-1])
    job = np.repeat(np.arange(len(start)), counts)
    order = np.lexsort((machine.node[entries], job))
    return Allocation(first, machine.node[entries][order], machine.share[entries][order])
