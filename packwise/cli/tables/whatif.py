"""What changes for whom, on the terminal and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.metrics.chance import Change
    from packwise.metrics.group_changes import GroupChange
    from packwise.whatif import Answer

_SHOWN = 25


def print_changes(kind: str, groups: list[GroupChange], *, plain: bool = False) -> None:
    """Mean waits of today and then, by group; what could be chance is dim. ``plain``: nothing of changes."""
    from packwise.cli.tables.metrics import short_name
    from packwise.cli.terminal import plain as text
    from packwise.cli.terminal import stdout, table
    from packwise.readable import duration, percent
    from packwise.whatif import between_words

    changes = () if plain else ("change", "had other days come")
    heads = ("jobs", "area %", "today", "what if", *changes)
    shown = table(kind, *heads, right=heads, title=f"Mean wait by {kind}")
    for one in groups[:_SHOWN]:
        change = one.change
        way = "dim" if not change.sure else "green" if change.after < change.before else "red"
        shown.add_row(
            short_name(one.name),
            f"{change.jobs:,}",
            f"{100 * one.area:.1f}",
            duration(change.before),
            duration(change.after),
            *(() if plain else (text(percent(change.percent), way), between_words(change))),
        )
    console = stdout()
    console.print(shown)
    if len(groups) > _SHOWN:
        console.print(f"{len(groups) - _SHOWN:,} more: --json has all of them", style="dim")


def whatif_json(answer: Answer) -> dict[str, Any]:
    """All groups of all kinds; nothing of changes where verdicts are withheld."""
    real = answer.really()
    told = _values if answer.withheld else _json
    return {
        "compared_jobs": len(answer.old),
        "mean_wait": told(answer.overall()),
        "recorded_mean_wait": None if real is None else real.before,
        "groups": {
            kind: [
                {"name": one.name, "area_share": one.area, **told(one.change)}
                for one in answer.by(kind)
            ]
            for kind in answer.kinds()
        },
        "words": answer.words(),
    }


def _values(change: Change) -> dict[str, Any]:
    return {"jobs": change.jobs, "today": change.before, "then": change.after}


def _json(change: Change) -> dict[str, Any]:
    return {
        **_values(change),
        "change_percent": change.percent,
        "low_percent": _finite(change.low),
        "high_percent": _finite(change.high),
        "sure": change.sure,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
