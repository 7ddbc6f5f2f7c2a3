"""Serial insertion on nodes: a job gets nodes from the earliest time on at which it fits."""

from __future__ import annotations

from packwise.compiled import apart
from packwise.engine.nodes.cells import hold
from packwise.engine.nodes.earliest import earliest
from packwise.engine.nodes.group import RULE
from packwise.engine.nodes.places import choose, settle


@apart
def insert(nodes, job, now, duration, stamp):
    """Put a job on nodes from the earliest time on. Returns it.

    ``stamp`` is a number of the occasion, during which room only shrinks: who asks for no less than another who
    was placed starts no earlier.
    """
    kind = nodes.kind[job]
    units = nodes.units[job]
    since = now
    if (
        nodes.placed_in[kind] == stamp
        and units >= nodes.placed_units[kind]
        and duration >= nodes.placed_for[kind]
        and nodes.draw[job] >= nodes.placed_draw[kind]
    ):
        since = nodes.placed_at[kind]
    begin = earliest(nodes, job, now, since, duration)
    nodes.placed_in[kind] = stamp
    nodes.placed_units[kind] = units
    nodes.placed_for[kind] = duration
    nodes.placed_draw[kind] = nodes.draw[job]
    nodes.placed_at[kind] = begin
    settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], begin > now))
    hold(nodes, job, now, begin, begin + duration)
    return begin
