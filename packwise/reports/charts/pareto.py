"""Policies as points over two metrics, and which of them no other beats in both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Table, beaten
from packwise.metrics.catalogue import metric
from packwise.metrics.definition import Metric
from packwise.readable import duration_unit
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.material import Case
from packwise.reports.prose import listed
from packwise.reports.readings import SHARES, readings

TITLE = "What one metric costs in another"
CAPTION = "Each point is a policy, by two metrics."
#: An axis is at least this part of its values long: less than that is nothing to look at.
_LEAST_SPAN = 0.1
_LOG_FROM = 10.0
_TOO_FEW = "There are too few jobs to tell a trade-off from chance."


@dataclass(frozen=True, eq=False)
class Pareto:
    """``values[k][i]`` is metric i under policy k, in the unit of ``axes[i]``; NaN if unknown.

    ``errors`` are how far the differences from the baseline may be chance. ``fronts`` maps (i, j) with i < j to
    the policies on the line of trade-offs, in order of metric i, none if there is no trade-off beyond the
    noise; ``words`` says the same.
    """

    metrics: tuple[str, ...]
    axes: tuple[Axis, ...]
    labels: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    errors: tuple[tuple[float, ...], ...]
    fronts: dict[tuple[int, int], tuple[int, ...]]
    words: dict[tuple[int, int], str]
    start: tuple[int, int]

    def chart(self) -> Chart:
        """The pair of metrics that a reader sees first."""
        i, j = self.start
        front = self.fronts.get((i, j), ())
        path = Series(
            "best trade-offs",
            np.array([self.values[k][i] for k in front], np.float64),
            np.array([self.values[k][j] for k in front], np.float64),
            dashed=True,
        )
        points = tuple(
            Series(
                label,
                np.array([self.values[k][i]]),
                np.array([self.values[k][j]]),
                "point",
                label,
                error=(np.array([self.errors[k][i]]), np.array([self.errors[k][j]])),
            )
            for k, label in enumerate(self.labels)
        )
        panel = Panel(self.axes[i], self.axes[j], (path, *points))
        empty = "" if len(self.metrics) > 1 else "A trade-off needs two metrics."
        caption = f"{CAPTION} {self.words.get((i, j), '')}".rstrip()
        return Chart("pareto", TITLE, caption, (panel,), empty=empty)


def pareto(case: Case, names: tuple[str, ...], confidence: float = 0.95) -> Pareto:
    """Of all pairs of metrics."""
    chosen = [metric(name) for name in names]
    axes, values, errors = [], [], []
    for one in chosen:
        cells = [run.cells.get(one.name) for run in case.runs]
        raw = [cell.value if cell else math.nan for cell in cells]
        margins = [_margin(cell, raw[case.baseline]) for cell in cells]
        axis, factor = _axis(one, [value for value in raw if math.isfinite(value)])
        axes.append(axis)
        values.append([value * factor for value in raw])
        errors.append([margin * factor for margin in margins])
    lost = [_beaten(case, one, confidence) for one in chosen]
    bars = _bars(case) if any(any(row) for row in errors) else ""
    labels = tuple(run.label for run in case.runs)
    fronts, words = {}, {}
    for i, j in combinations(range(len(chosen)), 2):
        known = [
            math.isfinite(a) and math.isfinite(b) for a, b in zip(values[i], values[j], strict=True)
        ]
        best = [k for k in unbeaten(lost[i], lost[j]) if known[k]]
        by_value = front(values[i], values[j], chosen[i].better, chosen[j].better)
        real = not case.untested and bool((lost[i] & lost[j].T)[np.ix_(best, best)].any())
        fronts[i, j] = tuple(k for k in by_value if k in best) if real else ()
        said = _words([labels[k] for k in best], real)
        said = "" if case.withheld else _TOO_FEW if case.untested else said
        words[i, j] = " ".join(filter(None, (bars, said, case.guess)))
    return Pareto(
        metrics=tuple(one.name for one in chosen),
        axes=tuple(axes),
        labels=labels,
        values=tuple(zip(*values, strict=True)) if values else tuple(() for _ in case.runs),
        errors=tuple(zip(*errors, strict=True)) if errors else tuple(() for _ in case.runs),
        fronts=fronts,
        words=words,
        start=_start([one.name for one in chosen]),
    )


def unbeaten(lost_x: Table, lost_y: Table) -> list[int]:
    """Those that nobody beats for certain by one metric without being beaten by them in the other.

    ``lost``: [i, j] tells whether j is better than i for certain.
    """
    worse = (lost_x | lost_y) & ~(lost_x | lost_y).T
    return [int(k) for k in np.flatnonzero(~worse.any(axis=1))]


def _bars(case: Case) -> str:
    if case.replicas > 1:
        return "Bars are confidence intervals over the replicas."
    return f"Bars tell how far its distance from {case.runs[case.baseline].label} may be off by chance."


def _words(best: list[str], real: bool) -> str:
    if not best:
        return ""
    if real:
        return (
            "Points on the dashed line are the best trade-offs: for each, another one is better in one of the "
            "two metrics, and none is better in both."
        )
    if len(best) == 1:
        return f"There is no trade-off here: nobody beats {best[0]} in either."
    return f"There is no trade-off beyond the noise here: nobody beats {listed(best)}."


def _beaten(case: Case, one: Metric, confidence: float) -> Table:
    """[i, j]: whether j is better than i for certain; nobody is where there is no test."""
    if not case.may_lead(one.name):
        return np.zeros((len(case.runs), len(case.runs)), bool)
    cells = [run.cells.get(one.name) for run in case.runs]
    samples = [run.sample(one.name) for run in case.runs]
    return beaten(cells, samples, case.scale(one.name), one, confidence, readings)


def _margin(cell: Cell | None, reference: float) -> float:
    """Half of what a value may be off by chance: over replicas, or of its difference from the baseline."""
    if cell is None:
        return 0.0
    if cell.half_width is not None:
        return cell.half_width
    return abs(reference) * (cell.change_half_width or 0.0) / 100.0


def front(
    x: list[float], y: list[float], x_better: str = "lower", y_better: str = "lower"
) -> tuple[int, ...]:
    """The positions that none other beats in both, from the best x on; equal points all count."""
    x_sign, y_sign = (1 if better == "lower" else -1 for better in (x_better, y_better))
    points = [
        (x_sign * a, y_sign * b, k)
        for k, (a, b) in enumerate(zip(x, y, strict=True))
        if math.isfinite(a) and math.isfinite(b)
    ]
    kept: list[int] = []
    lowest, place = math.inf, (math.nan, math.nan)
    for a, b, k in sorted(points):
        if b < lowest or (a, b) == place:
            kept.append(k)
            lowest, place = b, (a, b)
    return tuple(kept)


def _axis(one: Metric, known: list[float]) -> tuple[Axis, float]:
    """An axis in the unit that suits the largest value, and the factor into that unit."""
    unit, factor = one.unit, 1.0
    if one.name in SHARES:
        unit, factor = "%", 100.0
    elif one.unit == "s" and known:
        unit, width = duration_unit(max(known, key=abs))
        factor = 1.0 / width
    wide = bool(known) and min(known) > 0 and max(known) > _LOG_FROM * min(known)
    better = f"{one.better} is better"
    title = f"{one.name}, {unit} ({better})" if unit else f"{one.name} ({better})"
    return Axis(title, "log" if wide else "linear", _range([factor * one for one in known])), factor


def _range(values: list[float]) -> tuple[float, float] | None:
    """Where values are nearly the same, an axis that shows them so; else None."""
    if not values:
        return None
    low, high = min(values), max(values)
    least = _LEAST_SPAN * max(abs(low), abs(high))
    if high - low >= least or not least:
        return None
    middle = (low + high) / 2
    return middle - least / 2, middle + least / 2


def _start(names: list[str]) -> tuple[int, int]:
    """A metric of jobs against one of work and fairness says most; else the first two."""
    for x, y in (("BSLD", "P2SF"), ("BSLD", "AWF"), ("AF", "P2SF"), ("AF", "AWF")):
        if x in names and y in names:
            i, j = names.index(x), names.index(y)
            return (i, j) if i < j else (j, i)
    return (0, min(1, len(names) - 1))
