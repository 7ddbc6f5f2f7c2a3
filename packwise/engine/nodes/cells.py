"""What is free on a node from now on, as a chain of cells: looked at, taken from, given back to."""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.nodes.group import CELLS, SEATS, SPARE

#: No node has so many.
MANY_SEATS = 2 * SEATS


@inlined
def new_cell(nodes):
    """A cell that nobody uses."""
    cell = nodes.numbers[SPARE]
    if cell >= 0:
        nodes.numbers[SPARE] = nodes.next[cell]
        return cell
    cell = nodes.numbers[CELLS]
    nodes.numbers[CELLS] = cell + 1
    return cell


@inlined
def drop_cell(nodes, cell):
    """Nobody uses this cell any longer."""
    nodes.next[cell] = nodes.numbers[SPARE]
    nodes.numbers[SPARE] = cell


@inlined
def begin_at(nodes, node, now):
    """Let the chain of a node begin now. Returns its first cell."""
    cell = nodes.head[node]
    later = nodes.next[cell]
    while later >= 0 and nodes.time[later] <= now:
        drop_cell(nodes, cell)
        cell = later
        later = nodes.next[cell]
    nodes.head[node] = cell
    nodes.time[cell] = now
    return cell


@inlined
def cut(nodes, cell, time):
    """Let a cell begin at ``time``, within ``cell``. Returns it."""
    made = new_cell(nodes)
    nodes.time[made] = time
    nodes.next[made] = nodes.next[cell]
    nodes.next[cell] = made
    for r in range(nodes.rare.size):
        nodes.free[made, r] = nodes.free[cell, r]
    return made


@inlined
def join(nodes, cell):
    """Put a cell and the next one together, if the same is free in both."""
    later = nodes.next[cell]
    if later < 0:
        return
    for r in range(nodes.rare.size):
        if nodes.free[later, r] != nodes.free[cell, r]:
            return
    nodes.next[cell] = nodes.next[later]
    drop_cell(nodes, later)


@inlined
def change(nodes, node, kind, units, now, start, end):
    """Take the needs of so many units of a kind, and a seat, from what is free on a node from ``start`` until
    ``end``; give them back, if ``units`` is below zero.
    """
    take(nodes, node, kind, units, 1 if units > 0 else -1, now, start, end)


@inlined
def block(nodes, node, now, end):
    """Let nothing be placed on a node from now until ``end``. Whoever is there stays."""
    take(nodes, node, 0, 0, MANY_SEATS, now, now, end)


@inlined
def take(nodes, node, kind, units, seats_taken, now, start, end):
    """Take the needs of so many units of a kind, and seats, from a node from ``start`` until ``end``."""
    before = -1
    cell = begin_at(nodes, node, now)
    while nodes.next[cell] >= 0 and nodes.time[nodes.next[cell]] <= start:
        before = cell
        cell = nodes.next[cell]
    if nodes.time[cell] < start:
        before = cell
        cell = cut(nodes, cell, start)
    seats = nodes.rare.size - 1
    last = cell
    while nodes.time[cell] < end:
        later = nodes.next[cell]
        if later < 0 or nodes.time[later] > end:
            later = cut(nodes, cell, end)
        for r in range(seats):
            nodes.free[cell, r] -= units * nodes.needs[kind, r]
        nodes.free[cell, seats] -= seats_taken
        last = cell
        cell = later
    join(nodes, last)
    if before >= 0:
        join(nodes, before)


@apart
def hold(nodes, job, now, start, end):
    """Take what a job needs on its nodes."""
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        change(nodes, nodes.node[i], nodes.kind[job], nodes.share[i], now, start, end)


@apart
def give_back(nodes, job, now, start, end):
    """Give back what a job has on its nodes, from ``start`` on, which is not in the past."""
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        change(nodes, nodes.node[i], nodes.kind[job], -nodes.share[i], now, start, end)


@inlined
def units_in(nodes, cell, kind, most):
    """How many units of a kind, up to ``most``, there is room for in a cell."""
    seats = nodes.rare.size - 1
    if nodes.free[cell, seats] < 1:
        return 0
    units = most
    for r in range(seats):
        need = nodes.needs[kind, r]
        there = nodes.free[cell, r]
        if there < need * units:
            units = there // need if there > 0 else 0
    return units


@inlined
def units_between(nodes, cell, kind, most, start, end):
    """How many units of a kind, up to ``most``, there is room for from ``start`` until ``end``; ``cell`` is one
    that does not begin after the start.
    """
    while nodes.next[cell] >= 0 and nodes.time[nodes.next[cell]] <= start:
        cell = nodes.next[cell]
    units = most
    while units > 0 and cell >= 0 and nodes.time[cell] < end:
        units = units_in(nodes, cell, kind, units)
        cell = nodes.next[cell]
    return units
