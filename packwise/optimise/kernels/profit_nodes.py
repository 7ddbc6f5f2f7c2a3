"""The job-based heuristic on nodes: each job, in some order, at the earliest time at which its units have
places.

As on a pool (``profit_insertion``), whose profile of all cores together tells before which time there is no
room for sure. Units go to the nodes in the order of their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packwise.compiled import apart, compiled, inlined
from packwise.engine.nodes.cells import change as change_node
from packwise.engine.nodes.cells import hold
from packwise.engine.nodes.earliest import earliest_from_cursors
from packwise.engine.nodes.group import CELLS, SPARE, Nodes
from packwise.engine.nodes.places import FIRST_FIT, choose, settle
from packwise.engine.slots import borrow, group
from packwise.model.workload import Ints
from packwise.optimise.kernels.offline_profile import (
    FAR,
    NONE,
    ORIGIN,
    change,
    room_before,
    step_at,
)
from packwise.optimise.kernels.profit_insertion import DAY_END, begin
from packwise.optimise.kernels.profit_value import LATER

if TYPE_CHECKING:
    IntRows = Ints


class Base(NamedTuple):
    """The nodes with the running jobs on them, to begin from: the first cells, and how many there are.
    ``entry`` has, for each node and piece of time, a cell that begins no later; pieces last for ``piece``.
    """

    head: Ints
    time: Ints
    next: Ints
    free: IntRows
    cells: Ints
    entry: IntRows
    piece: Ints


class Known(NamedTuple):
    """What is known of the room on this occasion, during which it only shrinks, by class of needs and number of
    units (``rank`` of a job). ``failed``: the shortest time for which there was none all day. ``placed``: how
    long the last one was that could have begun at once, and ``at``: when it had room first. ``harder``: whether
    the second class needs no less than the first, and may run on no other nodes. By job: ``up``, a class that
    needs no less than it, and ``down``, one that needs no more.
    """

    rank: Ints
    up: Ints
    down: Ints
    failed: IntRows
    placed: IntRows
    at: IntRows
    harder: IntRows


@inlined
def restore(nodes, base):
    """Take all planned jobs off the nodes."""
    cells = base.time.size
    for node in range(base.head.size):
        nodes.head[node] = base.head[node]
    for cell in range(cells):
        nodes.time[cell] = base.time[cell]
        nodes.next[cell] = base.next[cell]
        for r in range(nodes.rare.size):
            nodes.free[cell, r] = base.free[cell, r]
    nodes.numbers[CELLS] = base.cells[0]
    nodes.numbers[SPARE] = base.cells[1]
    for node in range(base.head.size):
        set_entries(nodes, base, node)


@inlined
def set_entries(nodes, base, node):
    """Let the pieces of time be entered through the cells that a node has now."""
    row = base.entry[node]
    cell = nodes.head[node]
    begin = nodes.time[cell]
    for k in range(row.size):
        time = begin + k * base.piece[0]
        while nodes.next[cell] >= 0 and nodes.time[nodes.next[cell]] <= time:
            cell = nodes.next[cell]
        row[k] = cell


@inlined
def earliest(nodes, base, j, origin, since, duration):
    """The first time from ``since`` on at which a job's units have places."""
    piece = min((since - origin) // base.piece[0], base.entry[0].size - 1)
    row = nodes.where[nodes.kind[j]]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        nodes.cursor[node] = base.entry[node, piece]
    return earliest_from_cursors(nodes, j, since, duration)


@apart
def note_failure(known, j, duration):
    """Whoever needs no less, for no less time, has no room either."""
    rank = known.rank[j]
    for other in range(known.harder.size):
        if known.harder[known.up[j], other]:
            row = known.failed[other]
            r = rank
            while r < row.size and row[r] > duration:
                row[r] = duration
                r += 1


@apart
def not_before(known, j, duration):
    """There is no room for a job before the time at which others were placed that need no more."""
    time = 0
    for other in range(known.harder.size):
        if known.harder[other, known.down[j]]:
            placed = known.placed[other]
            at = known.at[other]
            for r in range(known.rank[j] + 1):
                if placed[r] <= duration and at[r] > time:
                    time = at[r]
    return time


@inlined
def place(nodes, base, j, origin, start, end):
    """Let a job hold its nodes."""
    hold(nodes, j, origin, start, end)
    first = nodes.first[j]
    for i in range(first, first + nodes.held[j]):
        set_entries(nodes, base, nodes.node[i])


@inlined
def insert(nodes, base, line, held, known, jobs, j, since):
    """Put a job on nodes from the earliest time on, from ``since``. Returns that, or LATER."""
    duration = jobs.duration[j]
    origin = line.facts[ORIGIN]
    day_end = held.numbers[DAY_END]
    if known.failed[known.down[j], known.rank[j]] <= duration:
        return LATER
    begin = max(since, not_before(known, j, duration))
    i, start = room_before(line, begin, jobs.demand[j], duration, day_end)
    if i != NONE:
        start = earliest(nodes, base, j, origin, start, duration)
    if i == NONE or start >= day_end:
        if since <= origin:
            note_failure(known, j, duration)
        return LATER
    settle(nodes, j, choose(nodes, j, FIRST_FIT, False))
    if since <= origin:
        known.placed[known.up[j], known.rank[j]] = duration
        known.at[known.up[j], known.rank[j]] = start
    place(nodes, base, j, origin, start, start + duration)
    change(line, step_at(line, start), start, start + duration, jobs.demand[j])
    return start


@compiled
def insert_on_nodes(state, base, order, since, fixed, jobs, line, held, known, start):
    """The plan of an order, into ``start`` and the places of the jobs: no job before ``since``; those of
    ``fixed`` stay where they are.
    """
    nodes = group(state, 0, Nodes)
    base, jobs, line, held = borrow(base), borrow(jobs), borrow(line), borrow(held)
    known = borrow(known)
    order, since, fixed, start = borrow(order), borrow(since), borrow(fixed), borrow(start)
    restore(nodes, base)
    begin(line, held)
    for one in range(known.failed.size):
        for r in range(known.failed[one].size):
            known.failed[one, r] = FAR
            known.placed[one, r] = FAR
    origin = line.facts[ORIGIN]
    for j in range(start.size):
        if fixed[j] and start[j] != LATER:
            end = start[j] + jobs.duration[j]
            place(nodes, base, j, origin, start[j], end)
            change(line, step_at(line, start[j]), start[j], end, jobs.demand[j])
    for k in range(order.size):
        j = order[k]
        if not fixed[j]:
            start[j] = insert(nodes, base, line, held, known, jobs, j, since[j])


@compiled
def hold_running(state, now, node, kind, units, end):
    """Let units of these kinds be on these nodes, each from now until its end."""
    nodes = group(state, 0, Nodes)
    for i in range(node.size):
        change_node(nodes, node[i], kind[i], units[i], now, now, end[i])
