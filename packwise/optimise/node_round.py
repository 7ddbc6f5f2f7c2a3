"""One round on nodes: plans that place the waiting jobs on them, and what a job lacks there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from packwise.model.allocation import Allocation
from packwise.model.energy.cap import as_watts
from packwise.model.outlook import outlook
from packwise.model.view import View
from packwise.model.workload import Ints

Where = Mapping[int, Mapping[int, int]]


class Lack(NamedTuple):
    """Why the units of a job have no room now. ``room``: how many do; ``could``: nodes that could have one if
    they were empty. The others are nodes of these: by resource those that have too little of it left, those
    that another job has to itself, and those that are out.
    """

    units: int
    room: int
    could: Ints
    short: Mapping[str, Ints]
    occupied: Ints
    out: Ints


class PowerLack(NamedTuple):
    """What a job draws, and what the power cap leaves now, in watts. If that is enough, it is not for as long
    as the job is expected to take.
    """

    draws: float
    left: float


@dataclass(frozen=True, eq=False)
class NodeRound:
    """A moment on nodes, after those have started that a policy has chosen: ``where`` says on which nodes."""

    view: View
    where: Where

    @classmethod
    def of(cls, view: View, started: Ints, told: Where) -> NodeRound:
        """``told``: the nodes of those that the policy has placed itself."""
        placed = serial(view, np.array([j for j in started.tolist() if j not in told], np.int64))[1]
        return cls(view, {**told, **placed})

    def insert(self, order: Ints) -> Ints:
        """The starts that come of placing waiting jobs in this order, by their numbers."""
        return serial(self.after, order)[0]

    def started_too(self, job: int) -> NodeRound:
        """The same, if this job started now as well; it has room."""
        placed = serial(self.after, np.array([job], np.int64))[1]
        return NodeRound(self.view, {**self.where, **placed})

    @cached_property
    def after(self) -> View:
        """The view once those that start now have started."""
        view, nodes = self.view, self.view.nodes
        assert nodes is not None
        jobs = np.array(list(self.where), np.int64)
        parts = [nodes.held.of(k) for k in range(len(view.running))]
        held = Allocation.from_parts([*parts, *(self.where[job] for job in jobs.tolist())])
        free = nodes.free.astype(np.int64)
        for job in jobs.tolist():
            for node, units in self.where[job].items():
                free[node] -= units * nodes.per_unit[job]
        return view._replace(
            queue=view.queue[~np.isin(view.queue, jobs)],
            running=np.concatenate([view.running, jobs]),
            expected_end=np.concatenate([view.expected_end, view.now + view.estimate[jobs]]),
            free=view.free - int(view.demand[jobs].sum()),
            nodes=nodes._replace(free=free, held=held),
            memory=None,
        )

    def lack(self, job: int) -> Lack:
        """What a waiting job lacks now. It has room if ``room`` is no less than ``units``."""
        nodes = self.after.nodes
        assert nodes is not None
        needs = nodes.per_unit[job]
        some = needs > 0
        could = np.flatnonzero(nodes.open[nodes.where[job]] * (nodes.capacity >= needs).all(axis=1))
        taken = np.isin(could, nodes.held.node) & (nodes.whole[could] > 0)
        out = nodes.out[could] > 0
        fits = (nodes.free[could][:, some] // needs[some]).min(axis=1).clip(min=0)
        fits[taken | out] = 0
        rest = could[~taken & ~out]
        short = {
            name: rest[nodes.free[rest, r] < needs[r]]
            for r, name in enumerate(nodes.resources)
            if needs[r]
        }
        return Lack(
            int(nodes.units[job]),
            int(fits.sum()),
            could,
            {name: few for name, few in short.items() if few.size},
            could[taken],
            could[out],
        )

    def power_lack(self, job: int) -> PowerLack | None:
        """Why a job that has room has no power now, or None."""
        cap = self.after.cap
        if cap is None:
            return None
        draws, left = int(cap.draw[job]), cap.left(self.view.now, self.after.running)
        start = serial(self.after, np.array([job], np.int64))[0]
        if draws <= left and start[0] == self.view.now:
            return None
        return PowerLack(as_watts(draws), as_watts(max(left, 0)))


def serial(view: View, order: Ints) -> tuple[Ints, dict[int, dict[int, int]]]:
    """Starts and nodes of jobs that are placed in this order, each at the earliest time it fits."""
    from packwise.engine.decide import Asked
    from packwise.engine.nodes.list_round import nodes_list_round
    from packwise.engine.state import CORE
    from packwise.policies.list_scheduling import ListPolicy

    if not order.size:
        return order, {}
    asked = Asked(view, outlook(view), order, 0)
    # First come, first served: to the kernel, who comes first in the order has come first.
    asked.state[CORE].rules[:] = ListPolicy().rules(int(view.submit[0]))
    asked.ask(nodes_list_round)
    return asked.machine.planned.copy(), asked.nodes_of(np.arange(len(order)))
