"""The outlook: what a view lets one expect, whoever made it.

The simulator's views are tidy. A live cluster's need not be: a node is drained, so that fewer processors are
there than a waiting job needs; a running job should have ended long ago; the clock has stepped back; the queue
comes in any order. What makes sense is brought into order here, once, for all who plan; what makes none is
refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.demands import kinds_of
from packwise.model.errors import BadView
from packwise.model.view import Nodes, View
from packwise.model.workload import LARGEST, Ints

#: Far enough in the future for any plan, and near enough for sums of times.
LATEST = 2**60


class Outlook(NamedTuple):
    """Who can run at all, and what becomes free when.

    ``queue``: the waiting jobs that the machine can hold, in submission order, with what is known of them;
    ``never``: those that it cannot, as long as it is as the view shows it. ``times`` and ``amounts``: the
    processors that come back, at distinct moments after now, in their order.
    """

    queue: Ints
    never: Ints
    submit: Ints
    demand: Ints
    estimate: Ints
    times: Ints
    amounts: Ints

    def profile(self, view: View) -> tuple[Ints, Ints]:
        """The free processors over time, as steps: from when on, and how many."""
        times = np.concatenate([[view.now], self.times]).astype(np.int64)
        return times, (view.free + np.concatenate([[0], np.cumsum(self.amounts)])).astype(np.int64)


def outlook(view: View) -> Outlook:
    """Look at a view. BadView if it contradicts itself."""
    for name, jobs in (("queue", view.queue), ("running", view.running)):
        _check_numbers(view, name, jobs)
    if len(view.running) != len(view.expected_end):
        raise BadView(
            f"a view at time {view.now}: expected_end should have an entry for each of the "
            f"{len(view.running)} running jobs, found {len(view.expected_end)}."
        )
    if abs(view.now) > LARGEST or abs(view.free) > LARGEST:
        raise BadView(
            f"a view at time {view.now} with {view.free} processors free: neither should be beyond {LARGEST}."
        )
    queue = view.queue if _rising(view.queue) else np.sort(view.queue)
    held = _whole(view.demand[view.running])
    times, amounts = _releases(view, held)
    demand = _whole(view.demand[queue])
    fits = demand <= view.free + int(held.sum())
    if view.nodes is not None and view.nodes.matter:
        fits &= _fits_on_nodes(view, view.nodes, queue)
    if view.cap is not None:
        fits &= view.cap.draw[queue] <= view.cap.budget.max()
    never = queue[:0]
    if not fits.all():
        queue, never, demand = queue[fits], queue[~fits], demand[fits]
    submit = np.minimum(_whole(view.submit[queue]), view.now)
    estimate = np.minimum(np.maximum(_whole(view.estimate[queue]), 1), LARGEST)
    return Outlook(queue, never, submit, demand, estimate, times, amounts)


def _fits_on_nodes(view: View, nodes: Nodes, queue: Ints) -> NDArray[np.bool_]:
    """Which of the waiting jobs have a place on the nodes once nobody runs."""
    _check_nodes(view, nodes)
    wanted = kinds_of(nodes.units[queue], nodes.per_unit[queue], nodes.where[queue], nodes.open)
    free = free_in_the_end(view, nodes)
    # A node that a job has to itself is of use to nobody while a part of it is missing.
    useless = (nodes.whole > 0) & (free < nodes.capacity).any(axis=1)
    room = []
    for needs, where in zip(wanted.per_unit, wanted.where, strict=True):
        fits = (free[:, needs > 0] // needs[needs > 0]).min(axis=1).clip(min=0)
        room.append(int((fits * nodes.open[where] * ~useless).sum()))
    return wanted.units <= np.array(room, np.int64)[wanted.kind]


def free_in_the_end(view: View, nodes: Nodes) -> Ints:
    """What is free on each node once nobody runs, and those that are out and expected back are back."""
    out = nodes.out > view.now
    free = np.where(out[:, None], nodes.capacity, nodes.free).astype(np.int64)
    job = view.running[nodes.held.job]
    needs = nodes.held.units[:, None] * nodes.per_unit[job]
    np.add.at(free, nodes.held.node, np.where(out[nodes.held.node, None], 0, needs))
    return free


def _check_nodes(view: View, nodes: Nodes) -> None:
    """Refuse nodes that contradict themselves or the rest of the view."""
    shape = nodes.capacity.shape
    known = len(view.demand)
    wrong = ""
    if nodes.free.shape != shape or shape != (len(nodes.whole), len(nodes.resources)):
        wrong = f"capacity and free should be alike, found {shape} and {nodes.free.shape}"
    elif nodes.out.shape != shape[:1]:
        wrong = f"out should have an entry for each of the {shape[0]} nodes"
    elif nodes.units.shape != (known,) or nodes.per_unit.shape != (known, len(nodes.resources)):
        wrong = f"units and per_unit should have an entry for each of the {known} jobs"
    elif nodes.where.shape != (known,) or nodes.open.shape[1:] != shape[:1]:
        wrong = (
            f"where should have an entry for each of the {known} jobs, and open one for each node"
        )
    elif known and not 0 <= nodes.where.min() <= nodes.where.max() < len(nodes.open):
        wrong = f"where should have rows of open, from 0 to {len(nodes.open) - 1}"
    elif len(nodes.held) != len(view.running):
        wrong = f"held should have the nodes of each of the {len(view.running)} running jobs"
    elif (
        nodes.held.node.size and not 0 <= nodes.held.node.min() <= nodes.held.node.max() < shape[0]
    ):
        wrong = f"held should have nodes from 0 to {shape[0] - 1}"
    elif (nodes.units[view.queue] < 1).any() or (nodes.per_unit[view.queue] < 0).any():
        wrong = "every waiting job should have 1 unit or more, and no need below 0"
    elif not (nodes.per_unit[view.queue] > 0).any(axis=1).all():
        wrong = "every unit should need something"
    if wrong:
        raise BadView(f"a view at time {view.now}: {wrong} (View.nodes).")


def _releases(view: View, held: Ints) -> tuple[Ints, Ints]:
    """Distinct moments after now, and how much comes back at each."""
    ends = np.minimum(np.maximum(_whole(view.expected_end), view.now + 1), LATEST)
    order = ends.argsort(kind="stable")
    ends = ends[order]
    first = np.flatnonzero(np.concatenate(([True], ends[1:] != ends[:-1]))) if ends.size else order
    return ends[first], np.add.reduceat(held[order], first) if ends.size else held[:0]


def _whole(numbers: Ints) -> Ints:
    """As 64-bit integers, whatever a live host's columns are made of."""
    return numbers if numbers.dtype == np.int64 else numbers.astype(np.int64)


def _rising(numbers: Ints) -> bool:
    """Whether each is larger than the one before."""
    return numbers.size < 2 or bool((numbers[1:] > numbers[:-1]).all())


def _check_numbers(view: View, name: str, jobs: Ints) -> None:
    """Refuse numbers that name no job, or one twice, and demands that are none."""
    if not jobs.size:
        return
    known = len(view.demand)
    if int(jobs.min()) < 0 or int(jobs.max()) >= known:
        raise BadView(
            f"a view at time {view.now}: {name} should hold job numbers from 0 to {known - 1}, the places of "
            f"its columns; found {int(jobs.min())} to {int(jobs.max())}."
        )
    if not _rising(jobs) and not _rising(np.sort(jobs)):
        raise BadView(f"a view at time {view.now}: {name} names a job twice.")
    demand = view.demand[jobs]
    if int(demand.min()) < 1 or int(demand.max()) > LARGEST:
        raise BadView(
            f"a view at time {view.now}: the jobs of {name} should ask for 1 to {LARGEST} processors, found "
            f"{int(demand.min())} to {int(demand.max())}."
        )
