"""Positions of the units of a plan in the arrays of PCP'21: the lowest that are free, one job after the
other.
"""

from __future__ import annotations

from bisect import insort
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from packwise.model.errors import SolverFailed
from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance, Plan


class Box(NamedTuple):
    """Taken from when to when, and from which position on a node to which."""

    begin: int
    end: int
    low: int
    high: int


def slabs(times: Ints, heights: Ints, horizon: int) -> list[Box]:
    """Boxes that fill the area under steps: what is taken lies at the low positions of its node."""
    ends = [*times[1:].tolist(), max(horizon, int(times[-1]) + 1)]
    found = []
    levels = [0, *np.unique(heights[heights > 0]).tolist()]
    for low, high in pairwise(levels):
        begin = None
        for at, height in zip(times.tolist(), heights.tolist(), strict=True):
            if height >= high and begin is None:
                begin = at
            if height < high and begin is not None:
                found.append(Box(begin, at, low, high))
                begin = None
        if begin is not None:
            found.append(Box(begin, ends[-1], low, high))
    return found


def taken_boxes(instance: Instance) -> list[dict[int, list[Box]]]:
    """What is taken, by resource and node."""
    found: list[dict[int, list[Box]]] = [{} for _ in instance.resources]
    for node in np.unique(instance.taken.node).tolist():
        at, free = instance.free_over_time(node)
        for resource, here in enumerate(found):
            heights = instance.capacity[node, resource] - free[:, resource]
            here[node] = slabs(at, heights, instance.horizon)
    return found


class Placed(NamedTuple):
    """A plan whose units are in one piece, and by job and resource their positions on their nodes, in the order
    of the nodes.
    """

    plan: Plan
    position: list[dict[int, list[int]]]


def in_one_piece(instance: Instance, plan: Plan, taken: list[dict[int, list[Box]]]) -> Placed:
    """A plan such as this one in which every unit has neighbouring positions, the lowest that are free.

    ``taken``: by resource and node. A job for which what is free on its nodes is in pieces gets others, or
    starts later.
    """
    boxes = [{node: list(here) for node, here in by_node.items()} for by_node in taken]
    start, where = plan.start.copy(), [dict(nodes) for nodes in plan.where]
    position: list[dict[int, list[int]]] = [{} for _ in range(len(instance))]
    for i in np.lexsort([np.arange(len(instance)), plan.start]).tolist():
        nodes = [node for node in sorted(where[i]) for _ in range(where[i][node])]
        whole = len(nodes) == instance.units[i]
        whole &= all(instance.most[i, node] >= count for node, count in where[i].items())
        found = _place(instance, i, int(start[i]), nodes, boxes) if whole else None
        if found is None:
            start[i], nodes, found = _later(instance, i, int(start[i]), boxes)
            where[i] = {node: nodes.count(node) for node in sorted(set(nodes))}
        for (resource, size), lows in zip(instance.needs[i], found.values(), strict=True):
            end = int(start[i] + instance.estimate[i])
            for node, low in zip(nodes, lows, strict=True):
                box = Box(int(start[i]), end, low, low + size)
                boxes[resource].setdefault(node, []).append(box)
        position[i] = found
    return Placed(Plan(start, tuple(where)), position)


class _Room:
    """What is free on nodes while a job runs, unit by unit."""

    def __init__(
        self, instance: Instance, i: int, begin: int, boxes: list[dict[int, list[Box]]]
    ) -> None:
        self._instance = instance
        self._needs = instance.needs[i]
        self._begin, self._end = begin, begin + int(instance.estimate[i])
        self._boxes = boxes
        self._here: dict[tuple[int, int], list[Box]] = {}
        self.found: dict[int, list[int]] = {resource: [] for resource, _ in self._needs}

    def take(self, node: int) -> bool:
        """Place one more unit on a node, if it has room."""
        lows = []
        for resource, size in self._needs:
            key = resource, node
            if key not in self._here:
                there = self._boxes[resource].get(node, [])
                self._here[key] = sorted(
                    (box for box in there if box.begin < self._end and self._begin < box.end),
                    key=lambda box: box.low,
                )
            low = _lowest(self._here[key], size, int(self._instance.capacity[node, resource]))
            if low is None:
                return False
            lows.append(low)
        for (resource, size), low in zip(self._needs, lows, strict=True):
            insort(
                self._here[resource, node],
                Box(self._begin, self._end, low, low + size),
                key=lambda box: box.low,
            )
            self.found[resource].append(low)
        return True


def _place(
    instance: Instance, i: int, begin: int, nodes: list[int], boxes: list[dict[int, list[Box]]]
) -> dict[int, list[int]] | None:
    """The positions of a job's units on these nodes from then on, by resource; None if they have none."""
    room = _Room(instance, i, begin, boxes)
    return room.found if all(room.take(node) for node in nodes) else None


def _later(
    instance: Instance, i: int, begin: int, boxes: list[dict[int, list[Box]]]
) -> tuple[int, list[int], dict[int, list[int]]]:
    """The earliest start from then on at which a job's units have places, on the first nodes that have."""
    ends = {box.end for here in boxes for there in here.values() for box in there}
    allowed = np.flatnonzero(instance.most[i]).tolist()
    for at in sorted({begin} | {end for end in ends if end > begin}):
        room = _Room(instance, i, at, boxes)
        nodes: list[int] = []
        for node in allowed:
            while len(nodes) < instance.units[i] and room.take(node):
                nodes.append(node)
            if len(nodes) == instance.units[i]:
                return at, nodes, room.found
    raise SolverFailed("a job has no place on the nodes, however late.")


def _lowest(boxes: list[Box], size: int, capacity: int) -> int | None:
    """The lowest position from which on so many are free of all these boxes, which are sorted by theirs."""
    low = 0
    for box in boxes:
        if low + size <= box.low:
            break
        low = max(low, box.high)
    return low if low + size <= capacity else None
