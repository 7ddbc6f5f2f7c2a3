"""Policies as points over two metrics, and which of them no other beats in both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from packwise.metrics.catalogue import metric
from packwise.metrics.definition import Metric
from packwise.readable import duration_unit
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.material import Case
from packwise.reports.readings import SHARES

TITLE = "What one metric costs in another"
CAPTION = (
    "Each point is a policy. Points on the dashed line are the best trade-offs: no policy here is "
    "better in both metrics."
)
_LOG_FROM = 10.0


@dataclass(frozen=True, eq=False)
class Pareto:
    """``values[k][i]`` is metric i under policy k, in the unit of ``axes[i]``; NaN if unknown.

    ``fronts`` maps (i, j) with i < j to the policies on the front, in order of metric i.
    """

    metrics: tuple[str, ...]
    axes: tuple[Axis, ...]
    labels: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    errors: tuple[tuple[float, ...], ...]
    fronts: dict[tuple[int, int], tuple[int, ...]]
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
        return Chart("pareto", TITLE, CAPTION, (panel,), empty=empty)


def pareto(case: Case, names: tuple[str, ...]) -> Pareto:
    chosen = [metric(name) for name in names]
    axes, values, errors = [], [], []
    for one in chosen:
        cells = [run.cells.get(one.name) for run in case.runs]
        raw = [cell.value if cell else math.nan for cell in cells]
        margins = [(cell.half_width or 0.0) if cell else 0.0 for cell in cells]
        axis, factor = _axis(one, [value for value in raw if math.isfinite(value)])
        axes.append(axis)
        values.append([value * factor for value in raw])
        errors.append([margin * factor for margin in margins])
    fronts = {
        (i, j): front(values[i], values[j], chosen[i].better, chosen[j].better)
        for j in range(len(chosen))
        for i in range(j)
    }
    return Pareto(
        metrics=tuple(one.name for one in chosen),
        axes=tuple(axes),
        labels=tuple(run.label for run in case.runs),
        values=tuple(zip(*values, strict=True)) if values else tuple(() for _ in case.runs),
        errors=tuple(zip(*errors, strict=True)) if errors else tuple(() for _ in case.runs),
        fronts=fronts,
        start=_start([one.name for one in chosen]),
    )


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
    return Axis(title, "log" if wide else "linear"), factor


def _start(names: list[str]) -> tuple[int, int]:
    """A metric of jobs against one of work and fairness says most; else the first two."""
    for x, y in (("BSLD", "P2SF"), ("BSLD", "AWF"), ("AF", "P2SF"), ("AF", "AWF")):
        if x in names and y in names:
            i, j = names.index(x), names.index(y)
            return (i, j) if i < j else (j, i)
    return (0, min(1, len(names) - 1))
