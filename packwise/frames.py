"""Workloads, schedules, runs and comparisons as tables for Polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.model.errors import InputError
from packwise.model.run import Run
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import DESCRIBING, MAYBE, NO_DEADLINE, REQUIRED, UNKNOWN, Workload
from packwise.side_by_side import SideBySide

if TYPE_CHECKING:
    import polars as pl


def frame(thing: object) -> pl.DataFrame:
    """The table of one of them."""
    match thing:
        case Workload():
            return _workload(thing)
        case Schedule():
            return _schedule(thing)
        case Run():
            return _run(thing)
        case SideBySide():
            return _side_by_side(thing)
        case _:
            raise InputError(f"there is no table of {type(thing).__name__}.")


def _workload(jobs: Workload) -> pl.DataFrame:
    """Columns that are unknown in all jobs are left out; NO_DEADLINE is empty."""
    import polars as pl

    columns: dict[str, Any] = {name: getattr(jobs, name) for name in REQUIRED}
    for name in (*DESCRIBING, *jobs.extra):
        numbers = jobs.numbers(name)
        column = jobs.extra[name] if numbers is None else numbers
        if name in DESCRIBING and (column == UNKNOWN).all():
            continue
        columns[name] = column.tolist() if column.dtype.kind in "UO" else column
        if numbers is not None and name in jobs.names:
            words = np.array([*(word or None for word in jobs.names[name]), None], object)
            columns[f"{name}_name"] = words[numbers].tolist()
    columns |= {name: getattr(jobs, name) for name, _ in MAYBE if getattr(jobs, name) is not None}
    columns |= {f"unit_{name}": column for name, column in jobs.per_unit.items()}
    found = pl.DataFrame(columns)
    return _without(found, ["deadline"] if jobs.deadline is not None else [], NO_DEADLINE)


def _schedule(schedule: Schedule) -> pl.DataFrame:
    import polars as pl

    told = {
        "start": schedule.start,
        "end": schedule.end,
        "estimate": schedule.estimate,
        "promised": schedule.promised,
        "booting": schedule.booting,
    }
    found = pl.DataFrame({name: column for name, column in told.items() if column is not None})
    return _without(found, [n for n in ("start", "end", "promised") if n in found.columns], NEVER)


def _without(table: pl.DataFrame, columns: list[str], nothing: int) -> pl.DataFrame:
    """Empty cells where there is nothing."""
    import polars as pl

    told = [pl.when(pl.col(name) != nothing).then(pl.col(name)).alias(name) for name in columns]
    return table.with_columns(told)


def _run(run: Run) -> pl.DataFrame:
    jobs, found = _workload(run.workload), _schedule(run.schedule)
    waits = (found["start"] - jobs["submit"]).alias("wait")
    recorded = [name for name in jobs.columns if name in (*found.columns, "wait")]
    return jobs.drop(recorded).with_columns(waits, *found)


def _side_by_side(found: SideBySide) -> pl.DataFrame:
    import polars as pl

    rows = []
    for entry, run in zip(found.comparison.entries, found.runs, strict=True):
        row: dict[str, Any] = {"run": entry.label, "policy": run.policy, "estimate": run.estimate}
        row |= entry.values
        for one in found.comparison.metrics:
            row[f"{one.name}_change_percent"] = found.comparison.change(entry, one)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
