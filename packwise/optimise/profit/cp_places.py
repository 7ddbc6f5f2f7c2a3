"""Nodes in the constraint program: how many units of a job are on each, and that no node has too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.profit.cp_model import ProfitModel

#: Where jobs may go, by their place in the model: units on nodes that are given, or the nodes to choose from.
Given = dict[int, dict[int, int]]
Choice = dict[int, list[int]]


class NodeChoice:
    """The units of each job of a model on nodes."""

    def __init__(self, model: ProfitModel, given: Given, choice: Choice) -> None:
        self._model = model
        setting, running = model.problem.setting, model.problem.running
        wanted = setting.wanted
        assert wanted is not None
        self._units: list[dict[int, Any]] = []
        whole = setting.cluster.whole_nodes() > 0
        alone: list[list[tuple[Any, Any]]] = [[] for _ in range(setting.cluster.nodes)]
        on: list[list[tuple[Any, Any, Ints]]] = [[] for _ in range(setting.cluster.nodes)]
        capacity = setting.cluster.capacity()
        for i, job in enumerate(model.problem.picked[model.chosen].tolist()):
            needs = wanted.per_unit[wanted.kind[job]]
            units = int(wanted.units[job])
            here: dict[int, Any] = dict(given.get(i, {}))
            if i in choice:
                some = needs > 0
                for node in choice[i]:
                    fit = min(units, int((capacity[node][some] // needs[some]).min()))
                    here[node] = model.variable(0, fit, None)
                total = sum(here.values())
                model.cp.add(total == units * model.present[i])
            self._units.append(here)
            for node, count in here.items():
                on[node].append((model.intervals[i], count, needs))
                if whole[node]:
                    alone[node].append((model.intervals[i], self._seat(count)))
        begin = model.problem.span.begin
        for k, (job, end) in enumerate(
            zip(running.job.tolist(), running.end.tolist(), strict=True)
        ):
            interval = model.cp.new_fixed_size_interval_var(0, end - begin, "")
            needs = wanted.per_unit[wanted.kind[job]]
            for node, count in running.places.of(k).items():
                on[node].append((interval, count, needs))
                if whole[node]:
                    alone[node].append((interval, 1))
        for node, entries in enumerate(on):
            for r in range(capacity.shape[1]):
                asked = [entry for entry in entries if entry[2][r] > 0]
                if asked:
                    model.cp.add_cumulative(
                        [interval for interval, _, _ in asked],
                        [count * int(needs[r]) for _, count, needs in asked],
                        int(capacity[node, r]),
                    )

        for seats in filter(None, alone):
            model.cp.add_cumulative(
                [interval for interval, _ in seats], [seat for _, seat in seats], 1
            )

    def _seat(self, count: Any) -> Any:
        """Whether a job has any unit on a node."""
        if isinstance(count, int):
            return 1
        taken = self._model.literal(None)
        self._model.cp.add(count == 0).only_enforce_if(taken.negated())
        return taken

    def places(self, solution: Sequence[int], i: int) -> dict[int, int]:
        """Where a job is in a solution."""
        found = {
            node: count if isinstance(count, int) else int(solution[count.index])
            for node, count in self._units[i].items()
        }
        return {node: count for node, count in found.items() if count}


def drawn(nodes: Ints, own: list[int], count: int, random: np.random.Generator) -> list[int]:
    """Some nodes for a job to choose from, its own among them."""
    others = np.setdiff1d(nodes, own)
    few = random.choice(others, min(count, len(others)), replace=False)
    return sorted({*own, *few.tolist()})
