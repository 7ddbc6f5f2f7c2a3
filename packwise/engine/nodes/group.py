"""The arrays of a machine of nodes: what each has and when it is free, what jobs need, and where they are.

What is free on a node from now on is a chain of *cells*: a cell is what is free from its time until that of the
next one; the last lasts for ever. Running jobs hold what they have until they are expected to end. A job that
is planned for later holds what it is to have in the same chains.

Beside the resources there is a column of *seats*: one on a node that a job has to itself, more than anybody
needs on a shared one. A job takes one seat on each of its nodes, however many units it has there.

Under a power cap there is one chain more: what jobs may still draw (``cap``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packwise.engine.memory import Group, Size

if TYPE_CHECKING:
    from packwise.model.workload import Ints

    IntRows = Ints

# Numbers about the nodes
RELEASED = 0  # how often something has become free on a node
CELLS = 1  # cells used so far
SPARE = 2  # the first cell that is in use no more, or -1; the others follow
RULE = 3  # the rule of placement
CHANGED = 4  # nodes on which something has become free that was planned to be taken
STAMP = 5  # of the last occasion on which jobs were inserted for trial: they are counted downwards
CAPPED = 6  # whether there is a power cap
CAP = 7  # the first cell of the power that jobs may still draw
NUMBERS = 8

#: The last so many nodes on which something has become free are remembered.
RING = 1024

#: Seats on a node that jobs share.
SEATS = 2**40


class Nodes(NamedTuple):
    """By node: ``capacity``, and ``head``, its first cell. By cell: ``time``, what is ``free``, and the
    ``next`` one, or -1. By kind of unit: what it ``needs``, ``where`` it may run (a row of ``open``, which has
    1 for each such node, and these are ``listed`` from ``begin`` to ``end``), and that no more than ``room``
    units fitted when the number RELEASED was what was ``seen``; besides what was found of it in a round
    (``..._in``): that so many units could not start for so long, and when so many were placed. By job:
    ``kind``, ``units``, what they ``draw`` (under a power cap, which ``rises`` at times), and where its nodes
    are: ``held`` entries of ``node`` and ``share`` (units on it) from ``first`` on (``old_...``: where they
    were before a trial). ``rare``: for each resource, the nodes that have none of it; ``asked``: the jobs so
    far whose units need it. ``released`` is a ring of nodes on which something became free. The others are
    working space, by node.
    """

    capacity: IntRows
    head: Ints
    time: Ints
    next: Ints
    free: IntRows
    needs: IntRows
    where: Ints
    open: IntRows
    listed: Ints
    begin: Ints
    end: Ints
    room: Ints
    seen: Ints
    failed_units: Ints
    failed_for: Ints
    failed_in: Ints
    failed_draw: Ints
    placed_units: Ints
    placed_for: Ints
    placed_at: Ints
    placed_in: Ints
    placed_draw: Ints
    kind: Ints
    units: Ints
    first: Ints
    held: Ints
    node: Ints
    share: Ints
    old_held: Ints
    old_node: Ints
    old_share: Ints
    rare: Ints
    asked: Ints
    released: Ints
    fit: Ints
    chosen: Ints
    chosen_units: Ints
    heap_key: Ints
    heap_node: Ints
    cursor: Ints
    changed: Ints
    mark: Ints
    draw: Ints
    rises: Ints
    numbers: Ints


class Cells(NamedTuple):
    """What a chain consists of. (To hand on few arrays is quicker to compile than all of them.)"""

    time: Ints
    next: Ints
    free: IntRows
    rare: Ints
    numbers: Ints


def new_nodes(
    nodes: int,
    columns: int,
    kinds: int,
    parts: int,
    jobs: int,
    entries: int,
    cells: int,
    rises: int = 0,
) -> Group:
    """Room for so many nodes, resources with seats, kinds of units, sets of nodes that are open to some, jobs,
    places of jobs, and cells; and for so many times at which a power cap rises.
    """
    by_node = (nodes,) * 8
    sizes: tuple[Size, ...] = (
        *((nodes, columns), nodes),
        *(cells, cells, (cells, columns)),
        *((kinds, columns), kinds, (parts, nodes), parts * nodes, parts, parts, *(kinds,) * 11),
        *(jobs, jobs, jobs, jobs, entries, entries, jobs, entries, entries),
        *(columns, columns, RING),
        *by_node,
        *(jobs, rises, NUMBERS),
    )
    return Group(Nodes, sizes)


NO_NODES = new_nodes(0, 0, 0, 0, 0, 0, 0)
