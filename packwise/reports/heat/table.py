"""The table of policies and metrics: what each cell says and how warm it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Sample, leading, outstanding
from packwise.metrics.catalogue import metric
from packwise.metrics.comparison import NEGLIGIBLE
from packwise.metrics.definition import Metric
from packwise.reports.material import Case, Material
from packwise.reports.readings import reading, readings, signed, typical_size

#: Shades of better and of worse; the full shade stands for a change of 100 percent or more.
STEPS: Final = 6
Colour = tuple[float, float, float]
#: (paper, better, worse) by theme. Green and red differ in lightness too.
_THEMES: Final[dict[str, tuple[Colour, Colour, Colour]]] = {
    "light": ((1.0, 1.0, 1.0), (0.03, 0.47, 0.38), (0.76, 0.24, 0.12)),
    "dark": ((0.105, 0.125, 0.15), (0.13, 0.66, 0.53), (0.90, 0.38, 0.24)),
}
_DARK_INK, _LIGHT_INK = "#16191e", "#ffffff"


@dataclass(frozen=True)
class HeatCell:
    """``step`` from -STEPS (much worse) to STEPS (much better); ``noise``: not significant."""

    value: str
    change: str
    step: int = 0
    noise: bool = False
    best: bool = False

    @property
    def classes(self) -> str:
        """What the page's style sheet calls such a cell."""
        names = [shade_name(self.step)] if self.step else []
        names += ["noise"] if self.noise else []
        return " ".join([*names, "best"] if self.best else names)


@dataclass(frozen=True)
class HeatTable:
    """Rows are what is ``compared``; ``baselines`` are those the others are compared with."""

    title: str
    columns: tuple[str, ...]
    captions: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[tuple[HeatCell, ...], ...]
    baselines: frozenset[int]
    compared: str = "policy"

    @property
    def has_noise(self) -> bool:
        return any(cell.noise for row in self.rows for cell in row)


def heat_step(change: float | None, better: str) -> int:
    """How warm a change in percent is: 0 for negligible ones, positive for better."""
    if change is None or math.isnan(change) or abs(change) < NEGLIGIBLE:
        return 0
    strength = min(abs(change) / 100, 1.0) ** 0.7
    step: int = max(1, math.ceil(strength * STEPS - 1e-9))
    return step if (change < 0) == (better == "lower") else -step


def shade_name(step: int) -> str:
    """What the page's style sheet calls a shade."""
    return f"better{step}" if step > 0 else f"worse{-step}"


def heat_colours(step: int, theme: str = "light") -> tuple[str, str]:
    """Fill and readable ink of a step, as '#rrggbb'."""
    paper, better, worse = _THEMES[theme]
    strength = 0.0 if step == 0 else 0.10 + 0.90 * (abs(step) - 0.5) / (STEPS - 0.5)
    target = better if step > 0 else worse
    fill = tuple(p + strength * (t - p) for p, t in zip(paper, target, strict=True))
    shade = _luminance(fill)
    light_contrast, dark_contrast = 1.05 / (shade + 0.05), (shade + 0.05) / 0.05
    dark_ink = _DARK_INK if abs(step) < STEPS - 2 else "#000000"  # middle shades need all contrast
    return _hex(fill), _LIGHT_INK if light_contrast > dark_contrast else dark_ink


def case_table(case: Case, metrics: tuple[str, ...], confidence: float = 0.95) -> HeatTable:
    """Policies, or what else is compared, by metrics of one case."""
    chosen = [metric(name) for name in metrics]
    columns = [
        heat_column(
            [run.cells.get(one.name) for run in case.runs],
            [run.sample(one.name) for run in case.runs],
            one,
            case.baseline,
            confidence,
            case.scale(one.name),
            marked=case.may_lead(one.name),
            plain=case.withheld,
        )
        for one in chosen
    ]
    return HeatTable(
        title=" ".join(filter(None, (case.title, case.guess))),
        columns=tuple(one.name for one in chosen),
        captions=tuple(one.title for one in chosen),
        labels=tuple(run.label for run in case.runs),
        rows=tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in case.runs),
        baselines=frozenset({case.baseline}),
        compared=case.compared,
    )


def overview_table(material: Material, name: str) -> HeatTable:
    """Policies, or what else is compared, by cases, for one metric."""
    one = metric(name)
    labels = list(dict.fromkeys(run.label for case in material.cases for run in case.runs))
    columns = []
    for case in material.cases:
        runs = {run.label: run for run in case.runs}
        found = [runs.get(label) for label in labels]
        cells = [None if run is None else run.cells.get(one.name) for run in found]
        samples = [run.sample(one.name) if run else () for run in found]
        base = labels.index(case.runs[case.baseline].label)
        scale = case.scale(one.name)
        marked = case.may_lead(one.name)
        columns.append(
            heat_column(
                cells,
                samples,
                one,
                base,
                material.confidence,
                scale,
                marked=marked,
                plain=case.withheld,
            )
        )
    compared = {case.runs[case.baseline].label for case in material.cases if case.runs}
    return HeatTable(
        title=f"{one.name}: {one.title.lower()}",
        columns=tuple(case.title for case in material.cases),
        captions=tuple(
            f"{case.jobs:,} jobs{', no verdict' * case.withheld}" for case in material.cases
        ),
        labels=tuple(labels),
        rows=tuple(zip(*columns, strict=True)),
        baselines=frozenset(labels.index(label) for label in compared),
        compared=material.cases[0].compared if material.cases else "policy",
    )


def heat_column(
    cells: Sequence[Cell | None],
    samples: Sequence[Sample],
    one: Metric,
    baseline: int,
    confidence: float,
    scale: Sample | None = None,
    *,
    marked: bool = True,
    plain: bool = False,
) -> list[HeatCell]:
    """One metric under all that is compared; durations in one unit. The best, and what ties, is marked.

    ``scale`` is what differences are measured with, the baseline's sample if nothing is given. Not ``marked``:
    nobody is called the best, for want of a test. ``plain``: nothing is told of changes.
    """
    scale = samples[baseline] if scale is None else scale
    typical = typical_size(
        cell.value for cell in cells if cell is not None and math.isfinite(cell.value)
    )
    made = []
    leads = leading(cells, samples, scale, one, confidence, readings)
    marks = outstanding(leads, cells)
    for k, (cell, stands_out) in enumerate(zip(cells, marks, strict=True)):
        best = stands_out and marked
        if cell is None or not math.isfinite(cell.value):
            made.append(HeatCell("", ""))
            continue
        margin = cell.half_width if cell.replicas > 1 else None
        text = reading(cell.value, one, margin, typical)
        made.append(HeatCell(text, "") if plain else _cell(cell, one, text, best, k == baseline))
    return made


def _cell(cell: Cell, one: Metric, text: str, best: bool, baseline: bool) -> HeatCell:
    if baseline and not cell.change:
        return HeatCell(text, "", best=best)
    noise = cell.significant is False
    change = signed(cell.change)
    return HeatCell(
        value=text,
        change=f"≈ {change}" if noise and cell.change is not None else change,
        step=0 if noise else heat_step(cell.change, one.better),
        noise=noise,
        best=best,
    )


def _luminance(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _hex(colour: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
