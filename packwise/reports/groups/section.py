"""Tables of mean waits by partition, account, user and size, under each policy of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from packwise.metrics.chance import Change
from packwise.metrics.group_changes import GroupChange, noticed
from packwise.reports.heat.table import HeatCell, HeatTable, heat_step
from packwise.reports.material import Case
from packwise.reports.readings import durations, signed
from packwise.reports.verdicts.waits import Waits

#: Groups that a table shows; the others are put together.
MOST: Final = 12


def group_tables(case: Case, waits: Mapping[str, Waits]) -> list[tuple[str, HeatTable]]:
    """A heading and a table for each kind of group; those with the largest share of the work come first."""
    if not waits:
        return []
    kinds = next(iter(waits.values())).groups
    return [
        (
            f"By {kind}",
            _table(case, kind, {label: one.groups[kind] for label, one in waits.items()}),
        )
        for kind in kinds
    ]


def _table(case: Case, kind: str, groups: Mapping[str, Sequence[GroupChange]]) -> HeatTable:
    baseline = case.runs[case.baseline].label
    shown = {label: _shortened(some, kind) for label, some in groups.items()}
    first = next(iter(shown.values()))
    sizes = kind == "size"
    rows = []
    for k, one in enumerate(first):
        changes = [some[k].change for some in shown.values()]
        before, *after = durations([one.change.before, *(each.after for each in changes)])
        told = zip(changes, after, strict=True)
        cells = [
            HeatCell(wait, "") if case.withheld else _cell(change, wait, tested=not case.untested)
            for change, wait in told
        ]
        area = 100 * one.area
        work = HeatCell(f"{area:.1f} %" if area >= 0.1 or not area else "< 0.1 %", "")
        rows.append((HeatCell(before, ""), *cells, HeatCell(f"{one.change.jobs:,}", ""), work))
    return HeatTable(
        title=f"Mean wait by {kind}",
        columns=(baseline, *shown, "jobs", "work"),
        captions=("mean wait", *("mean wait" for _ in shown), "", "share of all work"),
        labels=tuple(one.name.split()[0] if sizes else one.name for one in first),
        rows=tuple(rows),
        baselines=frozenset(),
        compared="processors" if sizes else kind,
    )


def _shortened(groups: Sequence[GroupChange], kind: str) -> list[GroupChange]:
    """The first of them, and the others as one; sizes are all told."""
    if kind == "size" or len(groups) <= MOST + 1:
        return list(groups)
    rest = groups[MOST:]
    jobs = sum(one.change.jobs for one in rest)
    before, after = (
        sum(one.change.jobs * getattr(one.change, side) for one in rest) / jobs
        for side in ("before", "after")
    )
    change = Change(jobs, before, after, 0.0, 0.0, sure=False)
    others = GroupChange(f"{len(rest):,} others", sum(one.area for one in rest), change)
    return [*groups[:MOST], others]


def _cell(change: Change, wait: str, *, tested: bool) -> HeatCell:
    sure = tested and change.sure and noticed(change)
    told = signed(change.percent)
    return HeatCell(
        wait,
        told if sure or not noticed(change) else f"≈ {told}",
        step=heat_step(change.percent, "lower") if sure else 0,
        noise=not sure,
    )
