"""What becomes free on the nodes and when, as running jobs end and outlive their estimates."""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.kernel import kernel_of_state
from packwise.engine.nodes.cells import give_back, hold
from packwise.engine.nodes.group import Nodes
from packwise.engine.nodes.places import note_release
from packwise.engine.pool.room import update_releases
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    CLOCK,
    CORE,
    CORRECTED,
    ENDED,
    JOBS,
    MACHINE,
    NEW,
    NODES,
    NOW,
    OVERRAN,
    Clock,
    Core,
    Jobs,
    Machine,
)


@kernel_of_state
def nodes_room(state):
    """Bring the nodes up to date with the arrivals, corrections and completions of this moment."""
    update_nodes(state)
    return 0


@kernel_of_state
def nodes_and_pool_room(state):
    """The same, and what is known of all nodes together, as of a pool."""
    c = group(state, CORE, Core).counters
    update_nodes(state)
    if c[CORRECTED] + c[ENDED] > 0:
        jobs = group(state, JOBS, Jobs)
        clock = group(state, CLOCK, Clock)
        machine = group(state, MACHINE, Machine)
        update_releases(jobs, clock, machine, c)
    return 0


@inlined
def update_nodes(state):
    c = group(state, CORE, Core).counters
    nodes = group(state, NODES, Nodes)
    now = c[NOW]
    for job in range(c[NEW], c[ARRIVED]):
        for r in range(nodes.rare.size - 1):
            nodes.asked[r] += nodes.needs[nodes.kind[job], r] > 0
    if c[CORRECTED] + c[ENDED] == 0:
        return
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    for i in range(c[CORRECTED]):
        job = clock.corrected[i]
        hold(nodes, job, now, now, clock.start[job] + jobs.estimate[job])
        c[OVERRAN] = 1
    for i in range(c[ENDED]):
        job = clock.ended[i]
        expected = clock.start[job] + jobs.estimate[job]
        note_release(nodes, job)
        if expected > now:
            give_back(nodes, job, now, now, expected)
