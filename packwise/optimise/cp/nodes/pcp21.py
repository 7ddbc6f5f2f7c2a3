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


class Run(NamedTuple):
    """Neighbouring nodes that have as much of everything: from the first to the last."""

    first: int
    last: int


def runs_of(capacity: Ints) -> list[Run]:
    """The runs of a cluster, in order."""
    starts = np.flatnonzero((np.diff(capacity, axis=0) != 0).any(axis=1)) + 1
    bounds = [0, *starts.tolist(), len(capacity)]
    return [Run(first, end - 1) for first, end in pairwise(bounds)]


class Row(NamedTuple):
    """The array of a resource: where the part of each node begins, and how long it is."""

    first: Ints
    size: Ints

    @classmethod
    def of(cls, size: Ints) -> Row:
        return cls(np.cumsum(size) - size, size)

    def is_even(self, runs: list[Run]) -> bool:
        """Whether these runs have as much, and what is between them, too: then positions go on as nodes do."""
        part = self.size[runs[0].first : runs[-1].last + 1]
        return bool((part == part[0]).all())


class Arrays(NamedTuple):
    """The cluster as arrays: runs of nodes that are alike, and a row for each resource."""

    runs: list[Run]
    rows: list[Row]

    @classmethod
    def of(cls, capacity: Ints) -> Arrays:
        return cls(runs_of(capacity), [Row.of(size) for size in capacity.T])

    def runs_for(self, instance: Instance, i: int) -> list[Run]:
        """Those on which a job may be."""
        return [run for run in self.runs if instance.most[i, run.first : run.last + 1].any()]

    def told_apart(self, instance: Instance, i: int) -> list[Run]:
        """Those of which a model has to tell on which a unit is; none, if positions go on as nodes do."""
        runs = self.runs_for(instance, i)
        if all(self.rows[resource].is_even(runs) for resource, _ in instance.needs[i]):
            return []
        return runs


class Pcp21Model(SchedulingModel):
    """For each unit its node, and where its resources begin in the array of each type.

    The paper has an element constraint that tells the node of a position. Here the node is the variable, and
    where its positions begin is a line for each run of nodes that are alike, which for two or three sorts of
    nodes are far smaller than arrays. What is taken lies at the low positions of its node, so that what is
    free is never in pieces.
    """

    def __init__(self, instance: Instance, reference: Plan, *, hinted: bool) -> None:
        self._arrays = Arrays.of(instance.capacity)
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
        arrays = Arrays.of(instance.capacity)
        return len(instance) + sum(
            int(instance.units[i])
            * (1 + len(instance.needs[i]) + len(arrays.told_apart(instance, i)))
            for i in range(len(instance))
        )

    def allocate(self) -> None:
        instance = self.instance
        boxes = [self._fixed_boxes(resource, taken) for resource, taken in enumerate(self._taken)]
        self._node: list[list[Any]] = []
        self._positions: list[dict[int, list[Any]]] = []
        for i in range(len(instance)):
            # In the order of their positions, which is that of their nodes.
            hinted = self._hinted_nodes[i]
            nodes = self._units(i, sorted(hinted))
            told = self._arrays.told_apart(instance, i)
            runs = [
                self._run(node, told, at) for node, at in zip(nodes, sorted(hinted), strict=True)
            ]
            positions: dict[int, list[Any]] = {}
            for resource, size in instance.needs[i]:
                first = self._arrays.rows[resource].first
                lows = zip(hinted, self._position[i][resource], strict=True)
                at = sorted(int(first[node]) + low for node, low in lows)
                ys = [
                    self._start(i, node, run, resource, low)
                    for node, run, low in zip(nodes, runs, at, strict=True)
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

    def _run(self, node: Any, runs: list[Run], hinted: int) -> list[tuple[Run, Any]]:
        """For each of these runs whether a unit is there."""
        found = [(run, self.literal(run.first <= hinted <= run.last)) for run in runs]
        if found:
            self.cp.add_exactly_one(literal for _, literal in found)
        for run, literal in found:
            self.cp.add_linear_constraint(node, run.first, run.last).only_enforce_if(literal)
        return found

    def _start(
        self, i: int, node: Any, told: list[tuple[Run, Any]], resource: int, hinted: int
    ) -> Any:
        """Where the resources of a unit begin: all of them on its node."""
        row, need = self._arrays.rows[resource], int(self.instance.need[i, resource])
        allowed = np.flatnonzero(self.instance.most[i])
        first, last = row.first[allowed], row.first[allowed] + row.size[allowed] - need
        y = self.variable(int(first.min()), int(last.max()), hinted)
        runs = self._arrays.runs_for(self.instance, i)
        lines = [(runs[0], None)] if row.is_even(runs) else told
        for run, literal in lines:
            step = int(row.size[run.first])
            base = int(row.first[run.first]) - step * run.first
            line = self.cp.add_linear_constraint(y - step * node, base, base + step - need)
            if literal is not None:
                line.only_enforce_if(literal)
        return y

    def _fixed_boxes(
        self, resource: int, taken: dict[int, list[Box]]
    ) -> tuple[list[Any], list[Any]]:
        times: list[Any] = []
        places: list[Any] = []
        for node, boxes in taken.items():
            base = int(self._arrays.rows[resource].first[node])
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
