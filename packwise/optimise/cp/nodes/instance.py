"""A dispatching instance: what waits, what is taken of each node and until when, as small whole numbers.

Galleguillos, Kiziltan and Soto, 'A Job Dispatcher for Large and Heterogeneous HPC Systems Running Modern
Applications', CP 2021, section 2.1. Times are seconds from now. Amounts of a resource are divided by what all
needs of it are multiples of, so that 16 GB are not 16,384 positions where everybody asks for 4 GB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from packwise.model.outlook import LATEST, free_in_the_end
from packwise.model.view import Nodes, View
from packwise.model.workload import CORES, Floats, Ints

#: The name of the resource that a node has one of which a job has to itself.
_NODE = "node"
#: No job is believed to take longer, in seconds: sums of a hundred stay where the solver can count.
_LONGEST = 2**40


class Plan(NamedTuple):
    """Starts of jobs, in seconds from now, and the nodes of their units, with how many of them are on each."""

    start: Ints
    where: tuple[Mapping[int, int], ...]


class Taken(NamedTuple):
    """Of which amounts of which node somebody has something until when, from now on or from later on."""

    node: Ints
    begin: Ints
    end: Ints
    amount: Ints


@dataclass(frozen=True, eq=False)
class Instance:
    """Jobs in the order of their priority, and nodes.

    ``job``: numbers in the view. ``waited``: seconds by now. ``units`` and ``need`` (a row for each job, a
    column for each of ``resources``): what they ask for; where a job has nodes to itself, a unit here is a
    node with ``packed`` of its own units on it. ``may``: a row for each job, 1 for the nodes on which a unit
    has a place once nobody runs. ``capacity``: what is there of each node then.
    """

    resources: tuple[str, ...]
    capacity: Ints
    taken: Taken
    job: Ints
    waited: Ints
    estimate: Ints
    units: Ints
    need: Ints
    may: Ints
    packed: Ints
    asked: Ints

    def __len__(self) -> int:
        return len(self.job)

    @property
    def weight(self) -> Floats:
        """What a second of waiting adds to the total slowdown."""
        return 1.0 / self.estimate

    def slowdown(self, start: Ints) -> float:
        """The total slowdown of a plan: what is minimised."""
        return float(((self.waited + start + self.estimate) / self.estimate).sum())

    @cached_property
    def most(self) -> Ints:
        """How many units of each job a node has room for once nobody runs, at most all of them."""
        found = np.empty(self.may.shape, np.int64)
        for i in range(len(self)):
            some = self.need[i] > 0
            fits = (self.capacity[:, some] // self.need[i, some]).min(axis=1)
            found[i] = np.minimum(fits, self.units[i]) * self.may[i]
        return found

    @cached_property
    def horizon(self) -> int:
        """By then all have ended, one after the other, whatever runs now."""
        last = int(self.taken.end.max(initial=0))
        return min(last + int(self.estimate.sum()), LATEST)

    def pooled(self, resource: int) -> tuple[Ints, Ints]:
        """What of a resource is taken on all nodes together, as steps: from when on, and how much."""
        return steps(self.taken.begin, self.taken.end, self.taken.amount[:, resource], self.horizon)

    def outer(self, plan: Plan) -> Plan:
        """A plan in the jobs' own units, given one in those of this instance."""
        if not (self.packed > 1).any():
            return plan
        where = []
        for nodes, packed, left in zip(
            plan.where, self.packed.tolist(), self.asked.tolist(), strict=True
        ):
            own = {}
            for node, count in nodes.items():
                own[node] = min(left, count * packed)
                left -= own[node]
            where.append({node: count for node, count in own.items() if count})
        return Plan(plan.start, tuple(where))

    def free_over_time(self, node: int) -> tuple[Ints, Ints]:
        """What is free of a node, as steps: from when on, and a row of amounts."""
        mine = self.taken.node == node
        begin, end = self.taken.begin[mine], self.taken.end[mine]
        times = np.unique(np.concatenate([[0], begin, end]))
        during = (begin[None, :] <= times[:, None]) & (times[:, None] < end[None, :])
        return times, self.capacity[node] - during.astype(np.int64) @ self.taken.amount[mine]


def steps(begin: Ints, end: Ints, amount: Ints, horizon: int) -> tuple[Ints, Ints]:
    """A sum of amounts over time, as steps from 0 on; nothing begins at or after the horizon."""
    times = np.unique(np.concatenate([[0], begin, end]))
    times = times[times < horizon]
    change = np.zeros(len(times), np.int64)
    np.add.at(change, np.searchsorted(times, begin), amount)
    inside = end < horizon
    np.add.at(change, np.searchsorted(times, end[inside]), -amount[inside])
    return times, np.cumsum(change)


def priority(view: View, queue: Ints) -> Floats:
    """The slowdown that jobs would have if they started now (section 2.2): the highest goes first."""
    expected = np.maximum(view.estimate[queue], 1).astype(float)
    waited = np.maximum(view.now - view.submit[queue], 0)
    found: Floats = (waited + expected) / expected
    return found


def by_priority(view: View, queue: Ints) -> Ints:
    """Waiting jobs, the one with the highest priority first."""
    return queue[np.lexsort([queue, -priority(view, queue)])]


def instance(view: View, order: Ints) -> Instance:
    """The instance of some of the waiting jobs, all of which the machine can hold, in this order."""
    nodes = view.nodes
    assert nodes is not None
    names: tuple[str, ...] = nodes.resources
    free = np.maximum(free_in_the_end(view, nodes), 0)
    overdrawn = (nodes.free < 0).any(axis=1)  # on a live host: nobody should go there
    need = nodes.per_unit[order].astype(np.int64)
    asked = nodes.units[order].astype(np.int64)
    may = nodes.open[nodes.where[order]].astype(np.int64) * ~overdrawn
    units, packed = asked, np.ones(len(order), np.int64)
    held = _held(view, nodes)
    if (nodes.whole > 0).any():
        names = (*names, _NODE)
        free, need, may = _one_to_each(nodes, free, need, may)
        units, packed, need = _nodes_as_units(free, need, units, may)
        mine = np.where(nodes.whole[held.node] > 0, 1, 0)
        held = held._replace(amount=np.concatenate([held.amount, mine[:, None]], axis=1))
    for i in range(len(order)):
        may[i] *= (free >= need[i]).all(axis=1)
    used = np.array([(column > 0).any() for column in need.T], np.bool_)
    grain = np.maximum(np.gcd.reduce(need[:, used], axis=0), 1)
    return Instance(
        tuple(name for name, wanted in zip(names, used.tolist(), strict=True) if wanted),
        free[:, used] // grain,
        _coarse(free[:, used], grain, held._replace(amount=held.amount[:, used]), view, nodes),
        order,
        *_times(view, order),
        units,
        need[:, used] // grain,
        may,
        packed,
        asked,
    )


def pool_instance(view: View, order: Ints) -> Instance:
    """The same where nodes do not matter: all processors are one node."""
    held = np.clip(view.expected_end.astype(np.int64) - view.now, 1, _LONGEST)
    demand = view.demand[view.running].astype(np.int64)
    one = np.ones(len(order), np.int64)
    return Instance(
        (CORES,),
        np.array([[view.free + int(demand.sum())]]),
        Taken(np.zeros(len(held), np.int64), np.zeros(len(held), np.int64), held, demand[:, None]),
        order,
        *_times(view, order),
        one,
        view.demand[order].astype(np.int64)[:, None],
        one[:, None],
        one,
        one,
    )


def _times(view: View, order: Ints) -> tuple[Ints, Ints]:
    """How long jobs have waited, and how long they are expected to take."""
    waited = np.maximum(view.now - view.submit[order].astype(np.int64), 0)
    return waited, np.clip(view.estimate[order].astype(np.int64), 1, _LONGEST)


def _held(view: View, nodes: Nodes) -> Taken:
    """What the running jobs have, until their expected ends."""
    held = nodes.held
    end = np.clip(view.expected_end.astype(np.int64) - view.now, 1, _LONGEST)[held.job]
    amount = held.units[:, None] * nodes.per_unit[view.running[held.job]]
    return Taken(held.node, np.zeros(len(held.node), np.int64), end, amount.astype(np.int64))


def _coarse(free: Ints, grain: Ints, held: Taken, view: View, nodes: Nodes) -> Taken:
    """What is taken, in grains: rounded so that what is free at any time is rounded down.

    Of a node that is out all is taken until it is back, and then what is held there for longer.
    """
    back = np.where(nodes.out > view.now, np.clip(nodes.out - view.now, 1, _LONGEST), 0)
    begin = back[held.node]
    longer = held.end > begin
    order = np.lexsort([-held.end[longer], held.node[longer]])
    node, end, amount, begin = (
        column[longer][order] for column in (held.node, held.end, held.amount, begin)
    )
    # Of each node those first that end last: the sum so far is what is taken until the end of each.
    total = np.cumsum(amount, axis=0)
    first = np.flatnonzero(np.diff(node, prepend=-1))
    before = np.repeat(total[first] - amount[first], np.diff(np.append(first, len(node))), axis=0)
    left = np.maximum(free[node] - (total - before), 0) // grain
    taken = free[node] // grain - left
    more = taken.copy()
    more[1:] -= np.where((node[1:] == node[:-1])[:, None], taken[:-1], 0)
    some = more.any(axis=1)
    blocked = np.flatnonzero(back)
    return Taken(
        np.concatenate([node[some], blocked]),
        np.concatenate([begin[some], np.zeros(len(blocked), np.int64)]),
        np.concatenate([end[some], back[blocked]]),
        np.concatenate([more[some], free[blocked] // grain]),
    )


def _one_to_each(nodes: Nodes, free: Ints, need: Ints, may: Ints) -> tuple[Ints, Ints, Ints]:
    """With a resource more: of a node that a job has to itself there is one.

    A job that could run on such nodes and on others is planned on those of which there are more.
    """
    whole = nodes.whole > 0
    there = np.where(whole, 1, 0)
    # One that has lost a part is of no use.
    whole_free = whole & (free >= nodes.capacity).all(axis=1)
    alone = (may * whole_free).sum(axis=1) >= (may * ~whole).sum(axis=1)
    may = np.where(alone[:, None], may * whole_free, may * ~whole)
    free = np.concatenate([free, there[:, None]], axis=1)
    return free, np.concatenate([need, alone[:, None].astype(np.int64)], axis=1), may


def _nodes_as_units(free: Ints, need: Ints, units: Ints, may: Ints) -> tuple[Ints, Ints, Ints]:
    """For a job that has nodes to itself: nodes instead of units, with as many units on each as fit on the
    smallest. What such a unit needs is what its units do.
    """
    packed = np.ones(len(units), np.int64)
    need = need.copy()
    for i in np.flatnonzero(need[:, -1] > 0).tolist():
        own = need[i, :-1]
        fits = (free[:, :-1][:, own > 0] // own[own > 0]).min(axis=1)
        fits = np.minimum(fits[(may[i] > 0) & (fits > 0)], units[i])
        if fits.size:
            packed[i] = int(fits.min())
            need[i, :-1] *= packed[i]
    return -(-units // packed), packed, need
