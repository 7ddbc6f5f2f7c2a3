"""Winners and losers by size of job: how the mean wait of each class of demand changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from packwise.metrics.group_changes import GroupChange
from packwise.readable import duration_unit
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.verdicts.waits import Waits


def size_class_chart(waits: Mapping[str, Waits], baseline: str) -> Chart:
    """The change of the mean wait in each class of demand, against the baseline."""
    groups = {label: one.groups["size"] for label, one in waits.items()}
    names = tuple(
        one.name.split()[0] for one in next(iter(groups.values()), [])
    )  # the same jobs, and so the same classes, under all policies
    moved = [one.change.after - one.change.before for some in groups.values() for one in some]
    unit, width = duration_unit(max(map(abs, moved), default=0.0))
    series = tuple(_changes(label, some, width) for label, some in groups.items())
    caption = (
        f"Mean wait of the jobs of each class, less that under {baseline}: below the zero line they "
        "wait less. Rings may be chance. Classes are ad hoc; use them to see where a difference comes from, "
        "not to rank policies."
    )
    return Chart(
        "size-classes",
        "Winners and losers by job size",
        caption,
        (
            Panel(
                Axis("processors per job", categories=names),
                Axis(f"change of the mean wait, {unit}", zero_line=True),
                series,
            ),
        ),
        empty="" if series else "There is no other policy to compare with.",
    )


def _changes(label: str, groups: Sequence[GroupChange], width: int) -> Series:
    change = [(one.change.after - one.change.before) / width for one in groups]
    notes = tuple(
        f"{one.change.jobs:,} jobs, {100 * one.area:.1f} % of the work"
        + ("" if one.change.sure else ", may be chance")
        for one in groups
    )
    place = np.arange(len(groups), dtype=np.float64)
    hollow = tuple(not one.change.sure for one in groups)
    return Series(label, place, np.array(change, np.float64), "dots", label, notes, hollow=hollow)
