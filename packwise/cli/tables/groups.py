"""Several runs by class: who waits how long under which policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.cli.options.arguments import Grouping
    from packwise.metrics.comparison import Comparison
    from packwise.metrics.outcome import Mask
    from packwise.model.run import Run

_SHOWN = 25
#: Waits below this many seconds are not compared.
_LEAST = 60


def groups_json(
    by: Grouping, comparison: Comparison, runs: list[Run], only: Sequence[Mask] | None = None
) -> dict[str, Any]:
    """The breakdown of each run, by its label; ``only`` has the jobs of each to look at."""
    from packwise.cli.tables.metrics import breakdown

    found = {}
    masks: Sequence[Mask | None] = only or [None] * len(runs)
    for one, run, mask in zip(comparison.entries, runs, masks, strict=True):
        found[one.label] = breakdown(by, run.workload, run.cluster, run.schedule, mask)
    return found


def print_groups(
    by: Grouping, comparison: Comparison, runs: list[Run], only: Sequence[Mask] | None = None
) -> None:
    """Mean waits by class, and how they change against the baseline."""
    from packwise.cli.tables.metrics import short_name
    from packwise.cli.terminal import stdout, table
    from packwise.readable import NONE, duration, percent

    found = groups_json(by, comparison, runs, only)
    labels = list(found)
    base = found[labels[comparison.baseline]]
    key = next(iter(base[0]))
    waits = {label: {row[key]: row["mean_wait"] for row in rows} for label, rows in found.items()}
    heads = ("jobs", "area %", *labels)
    shown = table(key, *heads, right=heads, title=f"Mean wait by {key}")
    for row in base[:_SHOWN]:
        cells = []
        for label in labels:
            wait = waits[label].get(row[key])
            before = row["mean_wait"]
            words = NONE if wait is None else duration(wait)
            if label != labels[comparison.baseline] and not comparison.withheld:
                # Who hardly waited has no change worth a number.
                known = wait is not None and before >= _LEAST
                words += f" {percent(100 * (wait / before - 1)) if known else '':>8}"
            cells.append(words)
        shown.add_row(
            short_name(row[key]), f"{row['jobs']:,}", f"{100 * row['area_share']:.1f}", *cells
        )
    console = stdout()
    console.print()
    console.print(shown)
    if len(base) > _SHOWN:
        console.print(f"{len(base) - _SHOWN:,} more: --json has all of them", style="dim")
