"""The paper's constraint program for CP-SAT: a start for each job, and a node for each unit.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', section 5. How long a job runs in a segment is
the difference of how long it has run by its end and by its beginning; PUE is looked up by the mean power of a
segment. A job that is left for tomorrow starts at the end of the day, and holds nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.cp.hinted import HintedModel
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.problem import Problem

#: PUE is told in so many parts of one.
_PARTS = 1000
#: The sum of all terms of the objective is no larger.
_LARGEST = 10**16
#: Models with more pairs of a job and an edge of time, or of a job and a node, are not built.
MOST_PAIRS = 200_000


def pairs_of(problem: Problem, jobs: Ints, nodes_each: int) -> int:
    """How large the model of these jobs is."""
    edges = problem.rates.edges
    later = len(edges) - np.searchsorted(edges, problem.jobs.release[jobs], "right")
    return int(later.sum()) + len(jobs) * nodes_each


class ProfitModel(HintedModel):
    """The model of some jobs of a problem; others are left for tomorrow. Times are from its beginning on."""

    def __init__(self, problem: Problem, chosen: Ints, hint: Ints | None) -> None:
        super().__init__(hinted=hint is not None)
        self.problem = problem
        self.chosen = chosen
        self._begin = problem.span.begin
        self._end = problem.span.end - self._begin
        release = (problem.jobs.release[chosen] - self._begin).tolist()
        hinted: list[int | None] = [None] * len(chosen)
        if hint is not None:
            told = np.where(hint[chosen] == LATER, self._end, hint[chosen] - self._begin)
            hinted = list(map(int, told))
        closed = problem.span.closed
        self.starts = [
            self.variable(low, self._end, at) for low, at in zip(release, hinted, strict=True)
        ]
        self.present: list[Any] = []
        self.intervals: list[Any] = []
        for start, size, at in zip(
            self.starts, problem.jobs.duration[chosen].tolist(), hinted, strict=True
        ):
            if not closed:
                self.present.append(True)
                self.intervals.append(self.cp.new_fixed_size_interval_var(start, size, ""))
                continue
            there = self.literal(None if at is None else at < self._end)
            self.cp.add(start < self._end).only_enforce_if(there)
            self.cp.add(start == self._end).only_enforce_if(there.negated())
            self.present.append(there)
            self.intervals.append(
                self.cp.new_optional_fixed_size_interval_var(start, size, there, "")
            )
        self._hold_cores()
        self._objective(hinted)

    def _hold_cores(self) -> None:
        """All cores together, which those that run already hold until they end."""
        problem = self.problem
        held = [
            (self.cp.new_fixed_size_interval_var(0, size, ""), demand)
            for size, demand in zip(
                (problem.running.end - self._begin).tolist(),
                problem.running.demand.tolist(),
                strict=True,
            )
        ]
        self.cp.add_cumulative(
            [*self.intervals, *(interval for interval, _ in held)],
            [*problem.jobs.demand[self.chosen].tolist(), *(demand for _, demand in held)],
            problem.setting.cluster.procs,
        )

    def _objective(self, hinted: list[int | None]) -> None:
        """Revenue less the cost of energy and of waiting, in whole numbers."""
        problem, rates = self.problem, self.problem.rates
        jobs, chosen = problem.jobs, self.chosen
        edges = (rates.edges - self._begin).tolist()
        watts = jobs.watts[chosen]
        steps = [self._run_by(edges, i, hinted[i]) for i in range(len(chosen))]
        unit = self._unit()
        terms: list[Any] = []
        weights: list[int] = []
        # What has run by the last edge: it earns on a day, and else need not be paid for after it.
        gain = rates.gain[0] * jobs.demand[chosen] + rates.price[-1] * rates.pue[-1, 0] * watts
        terms += [step[-1] for step in steps]
        weights += np.round(-gain / unit).astype(np.int64).tolist()
        worth = np.round(jobs.worth[chosen] / unit).astype(np.int64)
        terms += self.starts
        weights += worth.tolist()
        segment = np.searchsorted(rates.begins, rates.edges[:-1], "right") - 1
        for s in range(len(rates.begins) - 1):
            cells = np.flatnonzero(segment == s).tolist()
            flat = bool((rates.pue[s] == rates.pue[s, 0]).all())
            if flat:
                for k in cells:
                    rate = rates.price[k] * rates.pue[s, 0] / unit
                    each = np.round(rate * watts).astype(np.int64).tolist()
                    terms += [step[k + 1] - step[k] for step in steps]
                    weights += each
            else:
                terms.append(self._cooled(s, cells, steps, watts, unit))
                weights.append(1)
        self.cp.minimize(cp_sat().LinearExpr.weighted_sum(terms, weights))

    def _unit(self) -> float:
        """What one of the objective's whole numbers stands for."""
        problem, rates = self.problem, self.problem.rates
        jobs, chosen = problem.jobs, self.chosen
        dearest = float(np.abs(rates.price).max(initial=0.0) * rates.pue.max())
        length = jobs.duration[chosen].astype(float)
        earned = float((rates.gain[0] * jobs.demand[chosen] * length).sum())
        paid = float((dearest * jobs.watts[chosen] * length).sum() + dearest * rates.base.sum())
        waited = float((jobs.worth[chosen] * self._end).sum())
        return max(earned + paid + waited, 1e-9) / _LARGEST

    def _run_by(self, edges: list[int], i: int, hinted: int | None) -> list[Any]:
        """How long a job has run by each edge."""
        problem = self.problem
        duration = int(problem.jobs.duration[self.chosen[i]])
        first = int(problem.jobs.release[self.chosen[i]]) - self._begin
        found: list[Any] = []
        for edge in edges:
            if edge <= first:
                found.append(0)
                continue
            told = None if hinted is None else min(max(edge - hinted, 0), duration)
            run = self.variable(0, min(duration, edge - first), told)
            late = None if hinted is None else max(edge - hinted, 0)
            since = self.variable(0, edge - first, late)
            self.cp.add_max_equality(since, [0, edge - self.starts[i]])
            self.cp.add_min_equality(run, [since, duration])
            found.append(run)
        return found

    def _cooled(
        self, s: int, cells: list[int], steps: list[list[Any]], watts: Any, unit: float
    ) -> Any:
        """What the energy of a segment costs, its PUE looked up by its mean power. The price is one in all of
        it: that of its first cell. Energy is in kilojoules.
        """
        rates = self.problem.rates
        begin, end = cells[0], cells[-1] + 1
        length = int(rates.begins[s + 1] - rates.begins[s])
        whole = np.maximum(np.round(watts), 0).astype(np.int64).tolist()
        runs = [step[end] - step[begin] for step in steps]
        longest = np.minimum(self.problem.jobs.duration[self.chosen], length)
        most = int((longest * np.array(whole, np.int64)).sum())
        base = int(rates.known[s])
        joules = self.cp.new_int_var(base, base + most, "")
        self.cp.add(joules == base + cp_sat().LinearExpr.weighted_sum(runs, whole))
        step_watts = max(1, round(float(rates.rounding[0])))
        level = self.cp.new_int_var(0, (base + most) // (step_watts * length) + 1, "")
        self.cp.add_division_equality(level, joules + step_watts * length // 2, step_watts * length)
        powers = np.arange((base + most) // (step_watts * length) + 2) * float(step_watts)
        table = np.round(np.interp(powers, rates.powers, rates.pue[s]) * _PARTS).astype(np.int64)
        pue = self.cp.new_int_var(int(table.min()), int(table.max()), "")
        self.cp.add_element(level, table.tolist(), pue)
        kilo = self.cp.new_int_var(0, (base + most) // 1000 + 1, "")
        self.cp.add_division_equality(kilo, joules, 1000)
        product = self.cp.new_int_var(0, ((base + most) // 1000 + 1) * int(table.max()), "")
        self.cp.add_multiplication_equality(product, [kilo, pue])
        return product * round(float(rates.price[begin]) * 1000 / _PARTS / unit)
