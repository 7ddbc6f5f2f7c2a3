"""The nodes of a round that is asked for with a view."""

from __future__ import annotations

import numpy as np

from packwise.compiled import compiled
from packwise.engine.memory import Group, State
from packwise.engine.nodes.cap import draw, fill_cap, power_of
from packwise.engine.nodes.cells import block, change
from packwise.engine.nodes.group import Nodes
from packwise.engine.nodes.replay import entries_of, fill_nodes, room_for_nodes
from packwise.engine.slots import group
from packwise.engine.state import NODES
from packwise.model.demands import Demands, kinds_of
from packwise.model.outlook import LATEST, free_in_the_end
from packwise.model.view import View
from packwise.model.workload import Ints


@compiled
def hold_until(state, now, node, kind, units, end):
    """Let units of these kinds be on these nodes, each from now until its end."""
    nodes = group(state, NODES, Nodes)
    for i in range(node.size):
        change(nodes, node[i], kind[i], units[i], now, now, end[i])


@compiled
def block_until(state, now, node, end):
    """Let nothing be placed on these nodes, on each from now until its end."""
    nodes = group(state, NODES, Nodes)
    for i in range(node.size):
        block(nodes, node[i], now, end[i])


@compiled
def draw_until(state, now, amount, end):
    """Let so much power be drawn, each amount from now until its end."""
    nodes = group(state, NODES, Nodes)
    for i in range(amount.size):
        draw(power_of(nodes), amount[i], now, now, end[i])


def room_on_nodes(view: View, order: Ints) -> Group:
    """Room for the nodes of a view and these waiting jobs."""
    assert view.nodes is not None
    wanted = _wanted(view, order)
    entries = entries_of(wanted.units[: len(order)], len(view.nodes.capacity))
    places = np.append(entries, len(view.nodes.held.node))
    nodes, resources = view.nodes.capacity.shape
    return room_for_nodes(
        nodes,
        resources,
        wanted._replace(units=wanted.units[: len(order)]),
        places,
        int((view.nodes.out > 0).sum()),
        view.cap,
        len(view.running),
    )


def show_nodes(state: State, view: View, order: Ints) -> None:
    """Fill the nodes: what is free once nobody runs, and what the running jobs hold until they end."""
    nodes = view.nodes
    assert nodes is not None
    wanted = _wanted(view, order)
    waiting = len(order)
    own = wanted._replace(units=wanted.units[:waiting], kind=wanted.kind[:waiting])
    free = free_in_the_end(view, nodes)
    machine = state[NODES]
    fill_nodes(machine, nodes.capacity, nodes.whole, own, nodes.placement, free)
    machine.asked[:-1] = (nodes.per_unit > 0).sum(axis=0)
    held = nodes.held
    ends = np.clip(view.expected_end.astype(np.int64), view.now + 1, LATEST)
    hold_until(
        state.address,
        view.now,
        held.node,
        wanted.kind[waiting:][held.job],
        held.units,
        ends[held.job],
    )
    out = np.flatnonzero(nodes.out > view.now)
    block_until(state.address, view.now, out, np.minimum(nodes.out[out], LATEST))
    if view.cap is not None:
        fill_cap(machine, view.cap)
        machine.draw[:] = view.cap.draw[order]
        draw_until(state.address, view.now, view.cap.draw[view.running], ends)


def _wanted(view: View, order: Ints) -> Demands:
    """What the waiting jobs of an order and the running ones need, in that order."""
    nodes = view.nodes
    assert nodes is not None
    jobs = np.concatenate([order, view.running])
    return kinds_of(nodes.units[jobs], nodes.per_unit[jobs], nodes.where[jobs], nodes.open)
