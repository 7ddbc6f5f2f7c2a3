"""The numbers of a report as CSV, to be saved from the page."""

from __future__ import annotations

import csv
from base64 import b64encode
from collections.abc import Iterable, Sequence
from io import StringIO
from math import isfinite
from typing import Any, NamedTuple

from packwise.metrics.catalogue import metric
from packwise.metrics.chance import Change
from packwise.reports.figures import Figures
from packwise.reports.material import Case, Material

_METRICS = (
    "case", "policy", "baseline", "metric", "unit", "value", "half_width", "change_percent",
    "change_half_width_percent", "significant", "replicas",
)  # fmt: skip
_WAITS = (
    "case", "policy", "baseline", "kind", "group", "jobs", "work_share", "mean_wait_baseline_s",
    "mean_wait_s", "change_percent", "low_percent", "high_percent", "sure",
)  # fmt: skip


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Download(NamedTuple):
    """A link: its words, the name of the file, and the file itself as an address."""

    words: str
    name: str
    address: str


def downloads(material: Material, figures: Figures) -> list[Download]:
    """The metrics of all runs, and the mean waits of all groups."""
    cases = [one.case for one in figures.cases]
    waits = [row for one in figures.cases for row in _waits(one.case, one.waits)]
    metrics = [row for case in cases for row in _metrics(case, material.metrics)]
    return [
        Download("metrics", "metrics.csv", _address(_METRICS, metrics)),
        Download("waits by group", "waits.csv", _address(_WAITS, waits)),
    ]


def _metrics(case: Case, names: Iterable[str]) -> list[tuple[Any, ...]]:
    baseline = case.runs[case.baseline].label
    chosen = [metric(name) for name in names]
    return [
        (
            case.title, run.label, baseline, one.name, one.unit, _number(cell.value),
            _number(cell.half_width), _number(cell.change), _number(cell.change_half_width),
            "" if cell.significant is None else cell.significant, cell.replicas,
        )
        for run in case.runs
        for one in chosen
        if (cell := run.cells.get(one.name)) is not None
    ]  # fmt: skip


def _waits(case: Case, waits: Any) -> list[tuple[Any, ...]]:
    baseline = case.runs[case.baseline].label
    return [
        (
            case.title, label, baseline, kind, one.name, one.change.jobs, _number(one.area),
            _number(one.change.before), _number(one.change.after),
            *(("",) * 4 if case.withheld else _sureness(one.change)),
        )
        for label, found in waits.items()
        for kind, groups in found.groups.items()
        for one in groups
    ]  # fmt: skip


def _sureness(change: Change) -> tuple[Any, ...]:
    return _number(change.percent), _number(change.low), _number(change.high), change.sure


def _number(value: float | None) -> str:
    return "" if value is None or not isfinite(value) else f"{value:.10g}"


def _address(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_guarded(cell) for cell in row] for row in rows)
    content = stream.getvalue().encode("utf-8", "replace")
    return "data:text/csv;charset=utf-8;base64," + b64encode(content).decode("ascii")


def _guarded(cell: Any) -> Any:
    """A name that a spreadsheet would take for a formula gets an apostrophe; numbers are as they are."""
    risky = isinstance(cell, str) and cell[:1] in _FORMULA and not _is_number(cell)
    return f"'{cell}" if risky else cell


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
