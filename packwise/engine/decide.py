"""One round from a view: what a compiled policy's ``decide`` runs, in the step loop and on a live host.

The kernel is that of the replays. Jobs are numbered anew: first those that a policy remembers, in the order in
which it does, then the new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from packwise.compiled import compiled
from packwise.engine.memory import Group, State
from packwise.engine.nodes.group import NO_NODES
from packwise.engine.nodes.shown import room_on_nodes, show_nodes
from packwise.engine.slots import call_whole
from packwise.engine.state import (
    ARRIVED,
    COMPLETE,
    CORE,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NODES,
    NOW,
    QUEUE,
    REL_HI,
    ROUNDS,
    SCRATCH,
    new_state,
)
from packwise.model.outlook import Outlook
from packwise.model.view import View
from packwise.model.workload import Ints

_NOTHING_LATER = 2**60
_GIVEN = np.array([NOW, FREE, ARRIVED, NEW, REL_HI, ROUNDS, COMPLETE])


@compiled
def call(kernel, state):
    """Call a kernel with the address of a state."""
    return call_whole(kernel, (state,))


class Asked:
    """A round that is asked for with a view.

    ``order``: the waiting jobs that take part, by their numbers in the view; the first ``remembered`` of them
    are not new.
    """

    def __init__(
        self, view: View, seen: Outlook, order: Ints, remembered: int, *policy: Group
    ) -> None:
        waiting, releases = len(order), len(seen.times)
        self.order = order
        on_nodes = view.nodes is not None and view.nodes.matter
        self.state: State = new_state(
            waiting,
            room_for(waiting, releases),
            waiting,
            *policy,
            nodes=room_on_nodes(view, order) if on_nodes else NO_NODES,
        )
        self.counters: Ints = self.state[CORE].counters
        self.counters[_GIVEN] = view.now, view.free, waiting, remembered, releases, 1, 1
        self.machine = self.state[MACHINE]
        self.machine.rel_time[:releases] = seen.times
        self.machine.rel_amount[:releases] = seen.amounts
        jobs = self.state[JOBS]
        place = np.searchsorted(seen.queue, order)
        jobs.submit[:] = seen.submit[place]
        jobs.demand[:] = seen.demand[place]
        jobs.estimate[:] = seen.estimate[place]
        jobs.limit[:] = view.limit[order]
        jobs.user[:] = view.user[order]
        jobs.queue_number[:] = view.queue_number[order]
        jobs.deadline[:] = np.maximum(view.deadline[order], -_NOTHING_LATER)
        if on_nodes:
            show_nodes(self.state, view, order)

    def ask(self, kernel: Any) -> int:
        """How many jobs a round kernel picks, or what is wrong."""
        return int(call(kernel.address, self.state.address))

    def picked(self, count: int) -> Ints:
        """The jobs that are to start, in their order, by their places in ``order``."""
        places: Ints = self.state[QUEUE].job[self.state[SCRATCH].picked[:count]]
        return places

    def let_have(self, jobs: Ints, where: Mapping[int, Mapping[int, int]]) -> None:
        """Let the first jobs of the order have the nodes where a policy remembers them to be."""
        nodes = self.state[NODES]
        for place, job in enumerate(jobs.tolist()):
            theirs = where.get(job, {})
            first, size = int(nodes.first[place]), len(theirs)
            # What is remembered of another machine, or of another job, is no place: it finds a new one.
            if size <= nodes.units[place] and all(0 <= node < nodes.head.size for node in theirs):
                nodes.held[place] = size
                nodes.node[first : first + size] = list(theirs)
                nodes.share[first : first + size] = list(theirs.values())

    def nodes_of(self, places: Ints) -> dict[int, dict[int, int]]:
        """The nodes of jobs, and how many units each has, by the jobs' numbers in the view."""
        nodes = self.state[NODES]
        found = {}
        for place in places.tolist():
            part = slice(nodes.first[place], nodes.first[place] + nodes.held[place])
            where = zip(nodes.node[part].tolist(), nodes.share[part].tolist(), strict=True)
            found[int(self.order[place])] = dict(where)
        return found


def room_for(waiting: int, releases: int) -> int:
    """Steps that a profile may need."""
    return releases + 3 * waiting + 8
