"""The numbers behind the figures about deadlines, as tables that need no script."""

from __future__ import annotations

from collections.abc import Sequence

from packwise.reports.deadlines.case import CaseDeadlines
from packwise.reports.deadlines.places import Place
from packwise.reports.deadlines.quantities import QUANTITIES, Quantity
from packwise.reports.heat.table import HeatCell, HeatTable, heat_column
from packwise.reports.readings import typeset

_LEFT_OUT = ", less those that wait under no policy"


def case_quantities(one: CaseDeadlines) -> HeatTable:
    """Policies by quantities, for one case."""
    case = one.case
    labels = [run.label for run in case.runs]
    columns = [_column(one, labels, q, case.baseline) for q in QUANTITIES]
    return HeatTable(
        title=f"Deadlines: {case.title}",
        columns=tuple(q.short for q in QUANTITIES),
        captions=tuple(q.title + (_LEFT_OUT if q.affected else "") for q in QUANTITIES),
        labels=tuple(labels),
        rows=tuple(zip(*columns, strict=True)),
        baselines=frozenset({case.baseline}),
        compared=case.compared,
    )


def _column(
    one: CaseDeadlines, labels: Sequence[str], quantity: Quantity, baseline: int
) -> list[HeatCell]:
    cells = [one.cell(label, quantity) for label in labels]
    samples = [one.sample(label, quantity) for label in labels]
    return heat_column(cells, samples, quantity.metric, baseline, one.confidence)


def quantity_table(found: Sequence[Place], quantity: Quantity) -> HeatTable:
    """Policies by cases, for one quantity."""
    labels = list(dict.fromkeys(label for place in found for label in place.labels))
    names, captions, columns, baselines = [], [], [], set()
    for place in found:
        for one in place.cases:
            case = one.case
            base = labels.index(case.runs[case.baseline].label)
            baselines.add(base)
            columns.append(_column(one, labels, quantity, base))
            names.append(typeset(place.named(case.share.percent if case.share else None)))
            captions.append(f"{one.driven:,} deadlines")
    return HeatTable(
        title=quantity.title,
        columns=tuple(names),
        captions=tuple(captions),
        labels=tuple(labels),
        rows=tuple(zip(*columns, strict=True)),
        baselines=frozenset(baselines),
        compared=found[0].cases[0].case.compared,
    )
