"""Nodes for a schedule that was made without looking at them, where they do not matter."""

from __future__ import annotations

from packwise.compiled import compiled
from packwise.engine.memory import State
from packwise.engine.nodes.cells import hold
from packwise.engine.nodes.group import RULE, Nodes
from packwise.engine.nodes.places import choose, fits_now, settle
from packwise.engine.nodes.replay import OnNodes, allocation_of, fill_machine, new_machine
from packwise.engine.slots import group
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.workload import Ints


@compiled
def place_in_turn(state, begun, start, end):
    """Put jobs on nodes in the order in which they were started. Returns the first one that has no place, or
    -1.
    """
    nodes = group(state, 0, Nodes)
    for job in begun:
        now = start[job]
        if not fits_now(nodes, job, now, now + 1):
            return job
        settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
        hold(nodes, job, now, now, end[job])
    return -1


def place(cluster: Cluster, nodes: OnNodes, begun: Ints, start: Ints, end: Ints) -> Allocation:
    """The nodes of jobs that were started in this order, each where the rule of placement says."""
    state = State([new_machine(cluster, nodes)])
    fill_machine(state[0], cluster, nodes)
    missing = place_in_turn(state.address, begun, start, end)
    assert missing < 0, f"job number {missing} has no place, though the nodes do not matter"
    return allocation_of(state[0], start)
