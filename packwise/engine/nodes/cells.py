"""What is free on a node from now on, as a chain of cells: looked at, taken from, given back to."""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.nodes.cap import draw, power_of
from packwise.engine.nodes.chain import make_take, shortened
from packwise.engine.nodes.group import CAPPED, SEATS

#: No node has so many.
MANY_SEATS = 2 * SEATS


@inlined
def begin_at(nodes, node, now):
    """Let the chain of a node begin now. Returns its first cell."""
    nodes.head[node] = shortened(nodes, nodes.head[node], now)
    return nodes.head[node]


@inlined
def subtract_needs(nodes, cell, kind, units, seats_taken):
    """Take the needs of so many units of a kind, and seats, from what is free in a cell."""
    seats = nodes.rare.size - 1
    for r in range(seats):
        nodes.free[cell, r] -= units * nodes.needs[kind, r]
    nodes.free[cell, seats] -= seats_taken


take = make_take(subtract_needs)


@inlined
def change(nodes, node, kind, units, now, start, end):
    """Take the needs of so many units of a kind, and a seat, from what is free on a node from ``start`` until
    ``end``; give them back, if ``units`` is below zero.
    """
    cell = begin_at(nodes, node, now)
    take(nodes, cell, kind, units, 1 if units > 0 else -1, start, end)


@inlined
def block(nodes, node, now, end):
    """Let nothing be placed on a node from now until ``end``. Whoever is there stays."""
    take(nodes, begin_at(nodes, node, now), 0, 0, MANY_SEATS, now, end)


@inlined
def hold(nodes, job, now, start, end):
    """Take what a job needs on its nodes, and what it draws."""
    hold_times(nodes, job, 1, now, start, end)


@inlined
def give_back(nodes, job, now, start, end):
    """Give back what a job has on its nodes, from ``start`` on, which is not in the past."""
    hold_times(nodes, job, -1, now, start, end)


@apart
def hold_times(nodes, job, sign, now, start, end):
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        change(nodes, nodes.node[i], nodes.kind[job], sign * nodes.share[i], now, start, end)
    if nodes.numbers[CAPPED]:
        draw(power_of(nodes), sign * nodes.draw[job], now, start, end)


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
