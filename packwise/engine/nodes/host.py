"""The nodes as the step loop keeps them: shown to a policy, and taken by those whom it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packwise.compiled import compiled
from packwise.engine.memory import State
from packwise.engine.nodes.cells import begin_at, hold
from packwise.engine.nodes.group import RULE, Nodes
from packwise.engine.nodes.outages import Outages
from packwise.engine.nodes.places import choose, fits_now, settle
from packwise.engine.nodes.replay import OnNodes, fill_nodes
from packwise.engine.nodes.room import nodes_room
from packwise.engine.slots import group
from packwise.engine.state import CORE, JOBS, NODES, NOW, ROOM_KERNEL, Core, Jobs
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.errors import OverAllocation
from packwise.model.view import Nodes as Shown
from packwise.model.workload import Ints, Workload

if TYPE_CHECKING:
    from packwise.model.referee import Ruling


@compiled
def free_now(state, free):
    """Fill ``free`` with what is free on each node."""
    c = group(state, CORE, Core).counters
    nodes = group(state, NODES, Nodes)
    for node in range(nodes.head.size):
        cell = begin_at(nodes, node, c[NOW])
        for r in range(nodes.rare.size - 1):
            free[node, r] = nodes.free[cell, r]


@compiled
def place_now(state, chosen):
    """Put jobs on nodes now: those first that have nodes already, then the others by the rule of placement, in
    turn. Returns the first one that has no place, or -1.
    """
    c = group(state, CORE, Core).counters
    jobs = group(state, JOBS, Jobs)
    nodes = group(state, NODES, Nodes)
    now = c[NOW]
    for job in chosen:
        if nodes.held[job] > 0:
            hold(nodes, job, now, now, now + jobs.estimate[job])
    for job in chosen:
        if nodes.held[job] == 0:
            if not fits_now(nodes, job, now, now + 1):
                return job
            settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
            hold(nodes, job, now, now, now + jobs.estimate[job])
    return -1


class Host:
    """The nodes of a machine while a policy is asked round by round."""

    def __init__(self, state: State, cluster: Cluster, nodes: OnNodes) -> None:
        self._state = state
        self._machine = state[NODES]
        self._nodes = nodes
        self._resources = cluster.resources
        self._capacity, self._whole = cluster.capacity(), cluster.whole_nodes()
        wanted = nodes.wanted
        self._per_unit, self._where = wanted.per_unit[wanted.kind], wanted.where[wanted.kind]
        for shown in (self._capacity, self._whole, self._per_unit, self._where, wanted.open):
            shown.setflags(write=False)
        self.outages = Outages(state, cluster)
        fill_nodes(self._machine, self._capacity, self._whole, nodes.wanted, nodes.placement)
        state[CORE].counters[ROOM_KERNEL] = nodes_room.address

    def view(self, running: Ints, arrived: int) -> Shown:
        """The nodes at this round."""
        free = np.empty_like(self._capacity)
        free_now(self._state.address, free)
        out = self.outages.out.copy()
        free[out > 0] = 0
        free.setflags(write=False)
        out.setflags(write=False)
        machine = self._machine
        counts = machine.held[running]
        first = np.concatenate(([0], np.cumsum(counts)))
        entries = np.repeat(machine.first[running] - first[:-1], counts) + np.arange(first[-1])
        return Shown(
            self._resources,
            self._capacity,
            free,
            self._nodes.wanted.units[:arrived],
            self._per_unit[:arrived],
            Allocation(first, machine.node[entries], machine.share[entries]),
            self._where[:arrived],
            self._nodes.wanted.open,
            self._whole,
            self._nodes.placement,
            self._nodes.matter,
            out,
        )

    def place(self, policy: str, workload: Workload, ruling: Ruling, now: int) -> None:
        """Put the jobs of a ruling on nodes; OverAllocation if one has no place."""
        machine = self._machine
        for job, where in ruling.allocation.items():
            first = int(machine.first[job])
            machine.held[job] = len(where)
            machine.node[first : first + len(where)] = list(where)
            machine.share[first : first + len(where)] = list(where.values())
        missing = int(place_now(self._state.address, ruling.start))
        if missing >= 0:
            needs = zip(self._resources, self._per_unit[missing].tolist(), strict=True)
            unit = ", ".join(f"{amount} {name}" for name, amount in needs if amount)
            raise OverAllocation(
                f"policy '{policy}' starts job {workload.id[missing]} (number {missing}) at time {now}: no "
                f"nodes have room for its {self._nodes.wanted.units[missing]} unit(s) of {unit}. View.nodes "
                "tells what is free on each."
            )
