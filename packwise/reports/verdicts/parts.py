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

    A metric whose stored value is about other jobs than these stays without. A case with no values at all is
    untested.
    """
    base = case.runs[case.baseline]
    told = {
        run.label: {
            name: column
            for name, column in values.get(run.label, {}).items()
            if name in run.cells and isclose(column.mean(), run.cells[name].value, rel_tol=1e-6)
        }
        for run in case.runs
    }
    runs = tuple(_measured(run, base, told, confidence) for run in case.runs)
    return replace(case, runs=runs, untested=not any(values.values()))


def _measured(
    run: ReportRun, base: ReportRun, told: Mapping[str, Mapping[str, Floats]], confidence: float
) -> ReportRun:
    cells = dict(run.cells)
    for name, column in told[run.label].items():
        if run is not base and name in told[base.label]:
            cells[name] = _cell(
                cells[name], column - told[base.label][name], base.cells[name].value, confidence
            )
    parts = {name: tuple(column.tolist()) for name, column in told[run.label].items()}
    return replace(run, cells=cells, parts=parts)


def _cell(cell: Cell, apart: Floats, reference: float, confidence: float) -> Cell:
    if not reference or cell.change is None:
        return cell
    changes = 100.0 * apart / abs(reference)
    found = intervals(changes, np.zeros(len(changes), np.int64), 1, confidence)
    half = float(found.half_width[0])
    if not np.isfinite(half):
        return cell
    return replace(cell, change_half_width=half, significant=bool(abs(cell.change) > half))
