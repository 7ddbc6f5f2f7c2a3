"""Colours and dashes of policies: the same in every chart of a report, on light and on dark paper.

The hues are Okabe and Ito's, which all eyes can tell apart, slightly shifted to be readable as thin
lines on each background. The baseline is drawn in ink.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from packwise.reports.material import Material

_INK: Final = ("#1f242c", "#f1f3f6")
_COLOURS: Final = (
    ("#0072b2", "#5cb3ec"),
    ("#d98200", "#f2b134"),
    ("#009e73", "#3fcb9e"),
    ("#bf5b93", "#eb9dc8"),
    ("#c8501a", "#ff8f5a"),
    ("#3a9bd5", "#a5daf7"),
    ("#7a5195", "#bd9be0"),
)
DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross")


@dataclass(frozen=True)
class Style:
    """How one policy is drawn. ``dash`` and ``symbol`` are names as Plotly has them."""

    label: str
    light: str
    dark: str
    dash: str
    symbol: str


def policy_styles(material: Material) -> tuple[Style, ...]:
    """One style for each label of the report, in order of first appearance."""
    labels = list(
        dict.fromkeys(
            [run.label for case in material.cases for run in case.runs]
            + [label for sweep in material.sweeps for label in sweep.lines]
        )
    )
    first = material.cases[0] if material.cases else None
    baseline = first.runs[first.baseline].label if first and first.runs else None
    return styles(labels, baseline)


def styles(labels: Iterable[str], baseline: str | None) -> tuple[Style, ...]:
    """Ink for the baseline; the others take the colours in turn, then again with other dashes."""
    made = []
    turn = 0
    for label in labels:
        if label == baseline:
            made.append(Style(label, *_INK, DASHES[0], SYMBOLS[0]))
            continue
        lap = turn // len(_COLOURS) % len(DASHES)
        made.append(Style(label, *_COLOURS[turn % len(_COLOURS)], DASHES[lap], SYMBOLS[lap]))
        turn += 1
    return tuple(made)
