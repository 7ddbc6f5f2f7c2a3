"""A case of single runs that knows which of its differences rest on a few parts of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isclose

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.statistics import intervals
from packwise.model.workload import Floats
from packwise.reports.material import Case, ReportRun


def with_parts(case: Case, values: Mapping[str, Mapping[str, Floats]], confidence: float) -> Case:
    """The case with intervals of its changes. ``values``: by label and metric what ``values_by_parts`` tells.

    A metric stays without if some run has no such values, or if a stored value is about other jobs.
    """
    base = case.runs[case.baseline]
    told = [name for name in values[base.label] if _comparable(case, values, name)]
    runs = tuple(_measured(run, base, values, told, confidence) for run in case.runs)
    return replace(case, runs=runs)


def untested(case: Case) -> Case:
    """The case where nothing can be told from chance: no change means anything."""
    runs = [
        replace(
            run, cells={name: replace(cell, significant=False) for name, cell in run.cells.items()}
        )
        for run in case.runs
    ]
    return replace(case, runs=tuple(runs), untested=True)


def unjudged(case: Case) -> Case:
    """The case where the machine is in doubt: values, and nothing of what changes."""
    runs = []
    for run in case.runs:
        cells = {
            name: replace(cell, change=None, change_half_width=None, significant=None)
            for name, cell in run.cells.items()
        }
        runs.append(replace(run, cells=cells))
    return replace(case, runs=tuple(runs))


def _comparable(case: Case, values: Mapping[str, Mapping[str, Floats]], name: str) -> bool:
    columns = [values[run.label].get(name) for run in case.runs]
    lengths = {None if column is None else len(column) for column in columns}
    return len(lengths) == 1 and all(
        column is not None
        and name in run.cells
        and isclose(float(column.mean()), run.cells[name].value, rel_tol=1e-6, abs_tol=1e-9)
        for run, column in zip(case.runs, columns, strict=True)
    )


def _measured(
    run: ReportRun,
    base: ReportRun,
    values: Mapping[str, Mapping[str, Floats]],
    told: list[str],
    confidence: float,
) -> ReportRun:
    cells = dict(run.cells)
    for name in told:
        if run is not base:
            apart = values[run.label][name] - values[base.label][name]
            cells[name] = _cell(cells[name], apart, base.cells[name].value, confidence)
    parts = {name: tuple(values[run.label][name].tolist()) for name in told}
    return replace(run, cells=cells, parts=parts)


def _cell(cell: Cell, apart: Floats, reference: float, confidence: float) -> Cell:
    """In per cent of the baseline's value; where that is nothing, the difference itself is looked at."""
    changes = 100.0 * apart / abs(reference) if reference else apart
    found = intervals(changes, np.zeros(len(changes), np.int64), 1, confidence)
    half = float(found.half_width[0])
    if not np.isfinite(half):
        return cell
    sure = bool(abs(float(found.mean[0])) > half)
    return replace(cell, change_half_width=half if reference else None, significant=sure)
