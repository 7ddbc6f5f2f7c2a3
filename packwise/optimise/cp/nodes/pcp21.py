"""PCP'21: the resources of a type are one array along the nodes, and a unit is a box of positions and time.

Galleguillos, Kiziltan and Soto, CP 2021, section 3: the number of variables does not depend on the nodes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.nodes.instance import Instance, Plan
from packwise.optimise.cp.nodes.positions import Box, in_one_piece, taken_boxes
from packwise.optimise.cp.nodes.scheduling import SchedulingModel, in_twin_order, twins


class Row(NamedTuple):
    """The array of a resource: where the part of each node begins, and how long it is.

    ``step``: how much further the next node begins, if it is as much for all of them that have any; else 0.
    """

    first: Ints
    size: Ints
    step: int

    @classmethod
    def of(cls, size: Ints) -> Row:
        some = np.flatnonzero(size)
        alike = some.size > 0 and (size[some] == size[some[0]]).all()
        together = alike and int(some[-1] - some[0]) == some.size - 1
        return cls(np.cumsum(size) - size, size, int(size[some[0]]) if together else 0)


class Pcp21Model(SchedulingModel):
    """For each unit its node, and where its resources begin in the array of each type.

    The paper has an element constraint that tells the node of a position. Here the node is the variable, and
    an element constraint (or a line, where all nodes have as much) tells where its positions are: arrays as
    long as there are nodes instead of resources. What is taken lies at the low positions of its node, so that
    what is free is never in pieces.
    """

    def __init__(self, instance: Instance, reference: Plan, *, hinted: bool) -> None:
        self._rows = [Row.of(size) for size in instance.capacity.T]
        self._taken = taken_boxes(instance)
        plan, position = in_one_piece(instance, instance.inner(reference), self._taken)
        source = in_twin_order(plan.start, twins(instance)).tolist()
        self._position = [position[i] for i in source]
        where: tuple[dict[int, int], ...] = tuple(dict(plan.where[i]) for i in source)
        names = self.renamed(where)
        named = [{names.get(n, n): count for n, count in nodes.items()} for nodes in where]
        self._hinted_nodes = [
            [names.get(n, n) for n in sorted(nodes) for _ in range(nodes[n])] for nodes in where
        ]
        super().__init__(
            instance, instance.outer(Plan(plan.start[source], tuple(named))), hinted=hinted
        )

    def renamed(self, where: tuple[dict[int, int], ...]) -> dict[int, int]:
        """Other numbers that nodes may be given in a plan, if nodes are alike."""
        return {}

    @classmethod
    def size(cls, instance: Instance) -> int:
        # A position, and where nodes differ, where those of its node begin and how many they are.
        each = np.array([1 if Row.of(size).step else 3 for size in instance.capacity.T], np.int64)
        of_unit = 1 + (instance.need > 0) @ each
        return len(instance) + int((instance.units * of_unit).sum())

    def allocate(self) -> None:
        instance = self.instance
        boxes = [self._fixed_boxes(resource, taken) for resource, taken in enumerate(self._taken)]
        self._node: list[list[Any]] = []
        self._positions: list[dict[int, list[Any]]] = []
        for i in range(len(instance)):
            # In the order of their positions, which is that of their nodes.
            hinted = self._hinted_nodes[i]
            nodes = self._units(i, sorted(hinted))
            positions: dict[int, list[Any]] = {}
            for resource, size in instance.needs[i]:
                first = self._rows[resource].first
                lows = zip(hinted, self._position[i][resource], strict=True)
                at = sorted(int(first[node]) + low for node, low in lows)
                ys = [
                    self._start(i, node, resource, low) for node, low in zip(nodes, at, strict=True)
                ]
                for before, after in pairwise(ys):
                    self.cp.add(before + size <= after)
                times, places = boxes[resource]
                times.extend([self.intervals[i]] * len(ys))
                places.extend(self.cp.new_fixed_size_interval_var(y, size, "") for y in ys)
                positions[resource] = ys
            self._node.append(nodes)
            self._positions.append(positions)
        for times, places in boxes:
            self.cp.add_no_overlap_2d(times, places)

    def _units(self, i: int, hinted: list[int]) -> list[Any]:
        """The node of each unit of a job, in their order."""
        allowed = np.flatnonzero(self.instance.most[i])
        ends = np.flatnonzero(np.diff(allowed) > 1)
        low = allowed[np.concatenate([[0], ends + 1])]
        high = allowed[np.append(ends, len(allowed) - 1)]
        bounds = np.stack([low, high], axis=1).reshape(-1).tolist()
        return [self.of_domain(bounds, node) for node in hinted]

    def _start(self, i: int, node: Any, resource: int, hinted: int) -> Any:
        """Where the resources of a unit begin: all of them on its node."""
        row, need = self._rows[resource], int(self.instance.need[i, resource])
        allowed = np.flatnonzero(self.instance.most[i])
        first, last = row.first[allowed], row.first[allowed] + row.size[allowed] - need
        y = self.variable(int(first.min()), int(last.max()), hinted)
        if row.step:
            base = int(row.first[allowed[0]]) - row.step * int(allowed[0])
            self.cp.add_linear_constraint(y - row.step * node, base, base + row.step - need)
            return y
        there = int(np.searchsorted(row.first, hinted, side="right")) - 1
        begin = self.variable(0, int(row.first[-1]), int(row.first[there]))
        room = self.variable(0, int(row.size.max()), int(row.size[there]))
        self.cp.add_element(node, row.first.tolist(), begin)
        self.cp.add_element(node, row.size.tolist(), room)
        self.cp.add(begin <= y)
        self.cp.add(y + need <= begin + room)
        return y

    def _fixed_boxes(
        self, resource: int, taken: dict[int, list[Box]]
    ) -> tuple[list[Any], list[Any]]:
        times: list[Any] = []
        places: list[Any] = []
        for node, boxes in taken.items():
            base = int(self._rows[resource].first[node])
            for begin, end, low, high in boxes:
                times.append(self.cp.new_fixed_size_interval_var(begin, end - begin, ""))
                places.append(self.cp.new_fixed_size_interval_var(base + low, high - low, ""))
        return times, places

    def branch(self) -> None:
        """A job's start, and then its positions, the scarcest resource first, at the lowest position; jobs by
        priority. CP-SAT goes through variables in a fixed order where starts and positions take turns, so 'the
        job that can start first' is left to its hint.
        """
        cp = cp_sat()
        order = np.argsort(self._free_now(), kind="stable").tolist()
        chosen: list[Any] = []
        for i, start in enumerate(self.starts):
            ys = [y for resource in order for y in self._positions[i].get(resource, [])]
            chosen += [start, *ys]
        self.cp.add_decision_strategy(chosen, cp.CHOOSE_FIRST, cp.SELECT_MIN_VALUE)

    def _free_now(self) -> Ints:
        """How much of each resource is free now."""
        now = self.instance.taken.begin <= 0
        free: Ints = self.instance.capacity.sum(axis=0) - self.instance.taken.amount[now].sum(
            axis=0
        )
        return free

    @property
    def wanted(self) -> list[Any]:
        return [*self.starts, *(node for nodes in self._node for node in nodes)]

    def where(self, values: Ints) -> tuple[dict[int, int], ...]:
        found = []
        place = len(self.starts)
        for nodes in self._node:
            chosen, counts = np.unique(values[place : place + len(nodes)], return_counts=True)
            found.append(dict(zip(chosen.tolist(), counts.tolist(), strict=True)))
            place += len(nodes)
        return tuple(found)
