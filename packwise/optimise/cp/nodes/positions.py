"""What is taken of the nodes, as boxes of positions and time."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance


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
