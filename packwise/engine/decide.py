"""One round from a view: what a compiled policy's ``decide`` runs, in the step loop and on a live host.

The kernel is that of the replays. Jobs are numbered anew: first those that a policy remembers, in the order in
which it does, then the new ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.compiled import compiled
from packwise.engine.memory import Group, State
from packwise.engine.slots import call_whole
from packwise.engine.state import (
    ARRIVED,
    COMPLETE,
    CORE,
    FREE,
    JOBS,
    MACHINE,
    NEW,
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
        self.state: State = new_state(waiting, room_for(waiting, releases), waiting, *policy)
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

    def ask(self, kernel: Any) -> int:
        """How many jobs a round kernel picks, or what is wrong."""
        return int(call(kernel.address, self.state.address))

    def picked(self, count: int) -> Ints:
        """The jobs that are to start, in their order, by their places in ``order``."""
        places: Ints = self.state[QUEUE].job[self.state[SCRATCH].picked[:count]]
        return places


def room_for(waiting: int, releases: int) -> int:
    """Steps that a profile may need."""
    return releases + 3 * waiting + 8
