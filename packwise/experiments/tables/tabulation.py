"""The table of a metric over a study: changes against the baseline, or values, one cell per point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Sample, leading, outstanding
from packwise.experiments.tables.part import part_words
from packwise.experiments.tables.results import Point, StudyResults
from packwise.metrics.catalogue import METRICS
from packwise.metrics.comparison import NEGLIGIBLE
from packwise.metrics.definition import Metric
from packwise.metrics.own import is_own
from packwise.readable import duration_unit, number, percent

MISSING = "–"
ABOUT = "≈"
CHANCE = "†"
CHANCE_WORDS = (
    f"{CHANCE} marks what another run need not give again: it depends on the clock of the machine that "
    "ran it."
)


class Entry(NamedTuple):
    """What stands in a table: text, and what a renderer may stress.

    ``verdict`` is 1 for better than the baseline, -1 for worse, 0 if it cannot be told or matters
    little; ``clear`` is False for a change that the replicas do not tell from 0, ``reproducible`` for what
    another run need not give again.
    """

    text: str
    cell: Cell | None = None
    best: bool = False
    clear: bool = True
    verdict: int = 0
    reproducible: bool = True

    @property
    def marked(self) -> str:
        """The text, with marks where the change is not clear, or not reproducible."""
        text = self.text if self.clear else f"{ABOUT} {self.text}"
        return text if self.reproducible else f"{text} {CHANCE}"


@dataclass(frozen=True)
class Row:
    """A policy's entries, one for each column of the block."""

    policy: str
    baseline: bool
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Block:
    """Policies by ``columns``: the labels of one axis, with the other axes fixed (``title``)."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class StudyTable:
    """A metric over the whole study."""

    metric: Metric
    title: str
    blocks: tuple[Block, ...]
    legend: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(len(block.columns) * len(block.rows) for block in self.blocks)


def tabulate(results: StudyResults, metric: Metric, *, values: bool = False) -> StudyTable:
    """Rows are policies. Columns are workloads, or estimates or machines if there is one workload.

    What is left makes a block each. Cells are changes in per cent, the baseline's are values; with
    ``values`` all are.
    """
    across, fixed = _axes(results)
    grouped: dict[tuple[str, ...], dict[str, dict[str, tuple[Point, Cell | None]]]] = {}
    for point, cell in zip(results.points, results.cells(metric.name), strict=True):
        block = grouped.setdefault(tuple([point[i] for i in fixed]), {})
        block.setdefault(point.policy, {})[point[across]] = point, cell
    layout = _Layout(results, metric, values)
    blocks = []
    for labels, by_policy in grouped.items():
        columns = tuple(dict.fromkeys(label for row in by_policy.values() for label in row))
        filled = {c: layout.column([row.get(c) for row in by_policy.values()]) for c in columns}
        rows = tuple(
            Row(
                policy,
                all(point in results.baselines for point, _ in found.values()),
                tuple(filled[c][i] for c in columns),
            )
            for i, (policy, found) in enumerate(by_policy.items())
        )
        blocks.append(Block(" / ".join(filter(None, labels)), columns, rows))
    baseline = results.study.baseline
    what = metric.title if values else f"change against {baseline}"
    return StudyTable(metric, f"{metric.name}: {what}", tuple(blocks), layout.legend())


def rows(results: StudyResults, metrics: list[Metric]) -> Iterator[dict[str, Any]]:
    """The same in long form: one row per point and metric, values in the metric's unit."""
    for metric in metrics:
        for point, cell in zip(results.points, results.cells(metric.name), strict=True):
            yield {
                "workload": point.workload,
                "machine": point.machine,
                "estimate": point.estimate,
                "policy": point.policy,
                "metric": metric.name,
                "unit": metric.unit,
                "value": cell and cell.value,
                "half_width": cell and cell.half_width,
                "change_percent": cell and cell.change,
                "change_half_width": cell and cell.change_half_width,
                "significant": cell and cell.significant,
                "replicas": cell.replicas if cell else 0,
                "pairs": cell.pairs if cell else 0,
                "reproducible": cell and results.reproducible(point),
            }


def lacking(results: StudyResults, metric: Metric) -> int:
    """How many results lack a metric that a run would add if asked; those of the user's own were measured."""
    return len(results.unmeasured(metric.name)) if _on_demand(metric) else 0


def _on_demand(metric: Metric) -> bool:
    return not is_own(metric.name) and (metric.costly or metric.name not in METRICS)


def _axes(results: StudyResults) -> tuple[int, tuple[int, ...]]:
    """Which of a point's labels makes the columns, and which make blocks."""
    order = (Point._fields.index(axis) for axis in ("workload", "estimate", "machine"))
    several = [i for i in order if len({point[i] for point in results.points}) > 1]
    across = several[0] if several else 0
    return across, tuple(i for i in (0, 1, 3) if i != across)


class _Layout:
    """Turns cells to text, and remembers what has to be explained."""

    def __init__(self, results: StudyResults, metric: Metric, values: bool) -> None:
        self._results, self._metric, self._values = results, metric, values
        self._planned, self._baselines = results.planned, results.baselines
        self._missing = self._unclear = self._fewer = self._plain = self._spread = False
        self._chance = self._best = False

    def column(self, found: list[tuple[Point, Cell | None] | None]) -> list[Entry]:
        """The entries of a column, one per row; None where the study has no such point."""
        unit, width = self._scale(found)
        entries = [self._entry(one, unit, width) for one in found]
        samples = [self._sample(one) for one in found]
        base = [k for k, one in enumerate(found) if one is not None and one[0] in self._baselines]
        cells = [entry.cell for entry in entries]
        leads = leading(
            cells,
            samples,
            samples[base[0]] if len(base) == 1 else (),
            self._metric,
            self._results.study.confidence,
            lambda values, _: [number(v / width) if self._values else repr(v) for v in values],
        )
        best = [
            top and not (one is not None and self._results.withheld(one[0]))
            for top, one in zip(outstanding(leads, cells), found, strict=True)
        ]
        self._best |= any(best)
        return [entry._replace(best=top) for entry, top in zip(entries, best, strict=True)]

    def _sample(self, one: tuple[Point, Cell | None] | None) -> Sample:
        return () if one is None else self._results.sample(one[0], self._metric.name)

    def _scale(self, found: list[tuple[Point, Cell | None] | None]) -> tuple[str, int]:
        """The unit of a column: durations in the one that suits the baseline, or the first."""
        if self._metric.unit != "s":
            return self._metric.unit, 1
        known = [(one[0], one[1]) for one in found if one is not None and one[1] is not None]
        base = [cell for point, cell in known if point in self._baselines]
        values = [cell.value for cell in base or [cell for _, cell in known]]
        return duration_unit(values[0] if values else 0.0)

    def _entry(self, one: tuple[Point, Cell | None] | None, unit: str, width: int) -> Entry:
        if one is None:
            return Entry("")
        point, cell = one
        if cell is None:
            self._missing = True
            return Entry(MISSING)
        planned = self._planned[point]
        withheld = self._results.withheld(point)
        if self._values or withheld or cell.change is None or point in self._baselines:
            self._plain |= not self._values and (withheld or cell.change is None)
            self._spread |= cell.half_width is not None
            text = _with_unit(cell.value / width, _scaled(cell.half_width, width), unit)
            sure = self._sure(point, change=False)
            return Entry(self._counted(text, cell.replicas, planned), cell, reproducible=sure)
        self._spread |= cell.change_half_width is not None
        clear = cell.significant is not False
        self._unclear |= not clear
        text = self._counted(_change(cell.change, cell.change_half_width), cell.pairs, planned)
        verdict = 0
        if clear and abs(cell.change) >= NEGLIGIBLE:
            verdict = 1 if (cell.change < 0) == (self._metric.better == "lower") else -1
        sure = self._sure(point, change=True)
        return Entry(text, cell, clear=clear, verdict=verdict, reproducible=sure)

    def _sure(self, point: Point, *, change: bool) -> bool:
        sure = self._results.reproducible(point, change=change)
        self._chance |= not sure
        return sure

    def _counted(self, text: str, count: int, planned: int) -> str:
        if count == planned:
            return text
        self._fewer = True
        return f"{text} (n={count})"

    def legend(self) -> tuple[str, ...]:
        """What the marks mean, as far as they occur."""
        study = self._results.study
        best = "; bold: the best of a column, and what cannot be told from it" if self._best else ""
        lines = [f"{self._metric.better.capitalize()} is better{best}.", *self._measured()]
        if self._spread:
            paired = "" if self._values else ", changes paired with the baseline's"
            lines.append(
                f"± is half the width of the {100 * study.confidence:g} % confidence interval over "
                f"{self._results.replicas} replicas{paired}."
            )
        if self._unclear:
            lines.append(f"{ABOUT} marks changes that the replicas do not tell from 0.")
        if self._fewer:
            lines.append("n counts the replicas where some have no result yet.")
        if self._plain:
            doubted = ", or the machine is in doubt" if self._results.doubts else ""
            lines.append(f"Values stand where the baseline is 0 or has no result{doubted}.")
        if self._chance:
            lines.append(CHANCE_WORDS)
        if self._missing:
            lines.append(f"{MISSING} marks what has no result.")
        return (*lines, *self._results.machine_words())

    def _measured(self) -> list[str]:
        """Which jobs a study that leaves some out is about."""
        study = self._results.study
        if not study.of_a_part:
            return []
        if self._metric.of_all_jobs:
            return ["About all jobs: the metric describes the machine, or each job among all."]
        return list(filter(None, [part_words(study, self._results.filtered)]))


def _change(change: float, half_width: float | None) -> str:
    if half_width is None or (half_width < 0.05 and abs(change) < 0.05):
        return percent(change)
    digits = 1 if half_width < 10 else 0
    shown = f"{change:+,.{digits}f}" if round(change, digits) else "0"
    return f"{shown} ±{half_width:,.{digits}f} %"


def _with_unit(value: float, half_width: float | None, unit: str) -> str:
    """The half-width with as many decimals as the value."""
    shown = number(value)
    if half_width is not None:
        decimals = len(shown.partition(".")[2])
        spread = number(half_width) if "e" in shown else f"{half_width:,.{decimals}f}"
        shown = f"{shown} ±{spread}"
    return f"{shown} {unit}".rstrip()


def _scaled(half_width: float | None, width: int) -> float | None:
    return None if half_width is None else half_width / width
