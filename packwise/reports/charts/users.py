"""Winners and losers by user: whose mean wait changes most against the baseline, beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from packwise.metrics.group_changes import FEWEST_JOBS, GroupChange
from packwise.readable import duration, duration_unit
from packwise.reports.charts.chart import Axis, Chart, Choice, Panel, Series
from packwise.reports.verdicts.waits import Waits

MOST: Final = 10
_TITLE = "Winners and losers by user"


def user_choice(waits: Mapping[str, Waits], baseline: str) -> Choice:
    """One chart for each policy but the baseline."""
    caption = (
        f"The users whose mean wait is most below and most above that under {baseline}: up to "
        f"{MOST} of each. In brackets their number of jobs and their share of the work, which tell "
        f"how much weight a bar deserves. Users with fewer than {FEWEST_JOBS} jobs, and those whose change "
        "may be chance, are left out."
    )
    charts = {label: _chart(label, one, baseline, caption) for label, one in waits.items()}
    return Choice("users", _TITLE, caption, "Policy", charts)


def _chart(label: str, waits: Waits, baseline: str, caption: str) -> Chart:
    found = waits.groups.get("user", [])
    sure = [one for one in found if one.change.jobs >= FEWEST_JOBS and one.change.sure]
    ranked = sorted(sure, key=lambda one: (one.change.after - one.change.before, one.name))
    winners = [one for one in ranked if one.change.after < one.change.before][:MOST]
    losers = [one for one in ranked if one.change.after > one.change.before][-MOST:]
    shown = winners + losers
    empty = ""
    if not found:
        empty = "The log does not say whose jobs these are, or they are all of one user."
    elif not shown:
        empty = f"For no user is the change between {baseline} and {label} more than chance."
    moved = [one.change.after - one.change.before for one in shown]
    unit, width = duration_unit(max(map(abs, moved), default=0))
    series = Series(
        label,
        np.array(moved, np.float64) / width,
        np.arange(len(shown), dtype=np.float64),
        "bar",
        None,
        _notes(shown, label, baseline),
    )
    panel = Panel(
        Axis(f"change of the mean wait, {unit}", zero_line=True),
        Axis("", categories=tuple(map(_name, shown))),
        (series,),
    )
    return Chart("users", f"{_TITLE}: {label}", caption, (panel,), empty=empty)


def _notes(shown: Sequence[GroupChange], label: str, baseline: str) -> tuple[str, ...]:
    return tuple(
        f"{duration(one.change.before)} under {baseline}, {duration(one.change.after)} under {label}"
        for one in shown
    )


def _name(one: GroupChange) -> str:
    share = 100 * one.area
    work = f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"
    return f"{one.name} ({one.change.jobs:,} jobs, {work})"
