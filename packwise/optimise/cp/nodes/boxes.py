"""PCP'21: the resources of a type are one array along the nodes, and a unit is a box of positions and time.

Galleguillos, Kiziltan and Soto, CP 2021, section 3: the number of variables does not depend on the nodes.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Instance
from packwise.optimise.cp.nodes.positions import taken_boxes
from packwise.optimise.cp.nodes.schedule import ScheduleModel
from packwise.optimise.cp.nodes.search import ByVariables

#: An array of when positions become free is read by every unit: with more of them boxes are less work.
MOST_POSITIONS = 2**15


def node_of(solver: Any, y: Any, size: Ints) -> Any:
    """The node of a position, where each node has ``size`` of them in a row.

    The paper reads it from an array with an entry for each position, which would be copied for every unit. Here
    each run of neighbouring nodes that have as much counts its own.
    """
    some = np.flatnonzero(size)
    breaks = np.flatnonzero((np.diff(some) > 1) | (np.diff(size[some]) != 0)) + 1
    runs = np.split(some, breaks)
    node = y // int(size[some[0]]) + int(some[0])
    if len(runs) == 1:
        return node
    node = solver.Min(node, int(runs[0][-1]) + 1)
    base = 0
    for before, run in pairwise(runs):
        base += int(size[before].sum())
        inside = solver.Max(y - base, 0) // int(size[run[0]])
        node = node + solver.Min(inside, len(run))
        if gap := int(run[0] - before[-1]) - 1:
            node = node + gap * solver.IsGreaterOrEqualCstVar(y, base)
    return node


class BoxesModel(ScheduleModel):
    """For each unit where its resources begin in the array of each type, the scarcest now first."""

    @classmethod
    def size_of(cls, instance: Instance) -> int:
        return len(instance) + int((instance.units * (instance.need > 0).sum(axis=1)).sum())

    def allocate(self) -> None:
        self._first = np.cumsum(self.instance.capacity, axis=0) - self.instance.capacity
        self._first_list = [column.tolist() for column in self._first.T]
        scarcest = np.argsort(self._free_now(), kind="stable").tolist()
        self._positions: list[dict[int, list[Any]]] = [
            {r: self._units(i, r) for r in scarcest if self.instance.need[i, r]}
            for i in range(len(self.instance))
        ]
        for i, positions in enumerate(self._positions):
            self._on_one_node(i, positions)
        for resource in range(len(self.instance.resources)):
            self._apart(resource)
        self.pair_by_energy()

    def _free_now(self) -> Ints:
        """How much of each resource is free now."""
        now = self.instance.taken.begin <= 0
        taken: Ints = self.instance.taken.amount[now].sum(axis=0)
        free: Ints = self.instance.capacity.sum(axis=0) - taken
        return free

    def _units(self, i: int, resource: int) -> list[Any]:
        """Where the units of a job begin, in their order: they are alike."""
        last = int(self.instance.capacity[:, resource].sum() - self.instance.need[i, resource])
        ys = [self.solver.IntVar(0, last) for _ in range(int(self.instance.units[i]))]
        for before, after in pairwise(ys):
            self.solver.Add(before < after)
        return ys

    def _on_one_node(self, i: int, positions: dict[int, list[Any]]) -> None:
        """All that a unit has is on one node, one of those on which the job may be."""
        solver = self.solver
        allowed = np.flatnonzero(self.instance.most[i])
        holes = len(allowed) < allowed[-1] - allowed[0] + 1
        for j in range(int(self.instance.units[i])):
            nodes = []
            for resource, ys in positions.items():
                node = self._node(ys[j], resource)
                if (need := int(self.instance.need[i, resource])) > 1:
                    solver.Add(node == self._node(ys[j] + (need - 1), resource))
                nodes.append(node)
            for one, other in pairwise(nodes):
                solver.Add(one == other)
            if holes:
                solver.Add(solver.MemberCt(nodes[0], allowed.tolist()))
            else:
                solver.Add(solver.BetweenCt(nodes[0], int(allowed[0]), int(allowed[-1])))

    def _node(self, y: Any, resource: int) -> Any:
        return node_of(self.solver, y, self.instance.capacity[:, resource])

    def _apart(self, resource: int) -> None:
        """No position is taken twice at a time.

        What is taken from now on needs no box of its own: on each node it lies at the low positions, what ends
        last lowest, so that whoever begins at a position waits until that is free.
        """
        solver, instance = self.solver, self.instance
        positions = int(instance.capacity[:, resource].sum())
        free_from = np.zeros(positions if positions <= MOST_POSITIONS else 0, np.int64)
        boxes: list[tuple[Any, Any, Any, Any]] = []
        for node, taken in taken_boxes(instance)[resource].items():
            base = int(self._first[node, resource])
            for begin, end, low, high in taken:
                if begin == 0 and free_from.size:
                    free_from[base + low : base + high] = end
                else:
                    box = (begin, base + low, end - begin, high - low)
                    boxes.append(tuple(solver.IntConst(value) for value in box))
        late = free_from.tolist() if free_from.any() else None
        for i, by_resource in enumerate(self._positions):
            length = solver.IntConst(int(instance.estimate[i]))
            height = solver.IntConst(int(instance.need[i, resource]))
            for y in by_resource.get(resource, []):
                boxes.append((self.starts[i], y, length, height))
                if late is not None:
                    solver.Add(self.starts[i] >= solver.Element(late, y))
        columns = [list(column) for column in zip(*boxes, strict=True)]
        solver.Add(solver.NonOverlappingBoxesConstraint(*columns))

    def search(self) -> Any:
        """Starts as in the scheduling model, and after each the positions of its job, at their lowest."""
        variables = [[y for ys in one.values() for y in ys] for one in self._positions]
        return self.interleaved(ByVariables(variables, lambda y: y.Min()))

    def decided_nodes(self, job: int) -> list[int]:
        resource, ys = next(iter(self._positions[job].items()))
        first = self._first_list[resource]
        return [bisect_right(first, y.Min()) - 1 for y in ys if y.Bound()]

    @property
    def wanted(self) -> list[Any]:
        return [*self.starts, *(y for one in self._positions for y in next(iter(one.values())))]

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        found = []
        place = len(self.starts)
        for positions in self._positions:
            resource, ys = next(iter(positions.items()))
            at = values[place : place + len(ys)]
            nodes = np.searchsorted(self._first[:, resource], at, side="right") - 1
            chosen, counts = np.unique(nodes, return_counts=True)
            found.append(dict(zip(chosen.tolist(), counts.tolist(), strict=True)))
            place += len(ys)
        return tuple(found)
