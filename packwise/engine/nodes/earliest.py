"""The earliest time at which a job fits on the nodes, given who runs and who is planned."""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.heap import heap_pop, heap_push
from packwise.engine.nodes.cap import power_from, power_of
from packwise.engine.nodes.cells import begin_at, units_in
from packwise.engine.nodes.group import CAPPED
from packwise.engine.state import NO_TIME


@apart
def earliest(nodes, job, now, since, duration):
    """The first time from ``since`` on at which all units of a job have a place for so long; NO_TIME if there
    is none. How many of its units each node could have then goes to ``nodes.fit``.
    """
    row = nodes.where[nodes.kind[job]]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        nodes.cursor[node] = begin_at(nodes, node, now)
    powered = since
    start = NO_TIME
    while powered < NO_TIME and powered != start:
        start = earliest_from_cursors(nodes, job, powered, duration)
        powered = start
        if nodes.numbers[CAPPED] and start < NO_TIME:
            powered = power_from(power_of(nodes), nodes.draw[job], now, start, duration)
    return powered


@inlined
def earliest_from_cursors(nodes, job, since, duration):
    """The same, where ``nodes.cursor`` is a cell of each node that begins no later than ``since``.

    As the start moves on, what fits on a node changes only where a cell leaves the time that the job would
    need, or comes into it. So from each such moment to the next only its node is looked at again.
    """
    kind = nodes.kind[job]
    units = nodes.units[job]
    size = 0
    total = 0
    row = nodes.where[kind]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        later = look(nodes, node, kind, units, since, duration)
        total += nodes.fit[node]
        if later < NO_TIME:
            heap_push(nodes.heap_key, nodes.heap_node, size, later, node)
            size += 1
    start = since
    while total < units and size > 0:
        start = nodes.heap_key[0]
        while size > 0 and nodes.heap_key[0] == start:
            node = nodes.heap_node[0]
            heap_pop(nodes.heap_key, nodes.heap_node, size)
            size -= 1
            total -= nodes.fit[node]
            later = look(nodes, node, kind, units, start, duration)
            total += nodes.fit[node]
            if later < NO_TIME:
                heap_push(nodes.heap_key, nodes.heap_node, size, later, node)
                size += 1
    return start if total >= units else NO_TIME


@inlined
def look(nodes, node, kind, most, start, duration):
    """Count in ``nodes.fit`` how many units, up to ``most``, a node has room for from ``start`` on. Returns
    when that may next be another number, as the start moves on; ``nodes.cursor`` is a cell not after the start.
    """
    cell = nodes.cursor[node]
    later = nodes.next[cell]
    while later >= 0 and nodes.time[later] <= start:
        cell = later
        later = nodes.next[cell]
    nodes.cursor[node] = cell
    change = nodes.time[later] if later >= 0 else NO_TIME
    end = start + duration
    units = units_in(nodes, cell, kind, most)
    while units > 0 and later >= 0 and nodes.time[later] < end:
        cell = later
        later = nodes.next[cell]
        units = units_in(nodes, cell, kind, units)
    nodes.fit[node] = units
    if units == 0:  # until the start is behind the cell that has no room
        return nodes.time[later] if later >= 0 else NO_TIME
    if later >= 0:
        change = min(change, nodes.time[later] - duration + 1)
    return change
