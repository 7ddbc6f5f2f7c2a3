"""The earliest time at which a job fits on the nodes, given who runs and who is planned."""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.heap import heap_pop, heap_push
from packwise.engine.nodes.cells import begin_at, units_between
from packwise.engine.state import NO_TIME


@apart
def earliest(nodes, job, now, since, duration):
    """The first time from ``since`` on at which all units of a job have a place for so long. How many of its
    units each node could have then goes to ``nodes.fit``.

    As the start moves on, what fits on a node changes only where a cell leaves the time that the job would
    need, or comes into it. So from each such moment to the next only its node is looked at again.
    """
    kind = nodes.kind[job]
    units = nodes.units[job]
    size = 0
    total = 0
    for node in range(nodes.head.size):
        nodes.fit[node] = 0
        if not nodes.open[nodes.where[kind], node]:
            continue
        cell = begin_at(nodes, node, now)
        nodes.fit[node] = units_between(nodes, cell, kind, units, since, since + duration)
        total += nodes.fit[node]
        later = next_change(nodes, cell, since, duration)
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
            cell = nodes.head[node]
            fit = units_between(nodes, cell, kind, units, start, start + duration)
            total += fit - nodes.fit[node]
            nodes.fit[node] = fit
            later = next_change(nodes, cell, start, duration)
            if later < NO_TIME:
                heap_push(nodes.heap_key, nodes.heap_node, size, later, node)
                size += 1
    return start if total >= units else NO_TIME


@inlined
def next_change(nodes, cell, start, duration):
    """When the cells between a start and its end are next others than they are, as the start moves on."""
    change = NO_TIME
    while nodes.next[cell] >= 0:
        cell = nodes.next[cell]
        time = nodes.time[cell]
        if time > start:
            change = min(change, time)
        if time >= start + duration:
            return min(change, time - duration + 1)
    return change
