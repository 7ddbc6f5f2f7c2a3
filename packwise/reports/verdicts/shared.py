"""Metrics measured anew, where stored ones are about other jobs than the figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from packwise.experiments.tables.cells import Cell
from packwise.metrics.comparison import change_percent
from packwise.reports.material import Case


def with_values(case: Case, values: Mapping[str, Mapping[str, float]]) -> Case:
    """The case with these values of metrics, by label, in the place of the stored ones."""
    base = values[case.runs[case.baseline].label]
    runs = []
    for run in case.runs:
        told = values[run.label]
        cells = {
            name: Cell(value, None, change_percent(value, base[name]), None, None, 1)
            for name, value in told.items()
        }
        runs.append(replace(run, cells={**run.cells, **cells}))
    return replace(case, runs=tuple(runs))
