"""A comparison on the terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packwise.cli.terminal import fits, in_blocks, meanwhile, stderr, stdout, table
from packwise.metrics.comparison import Comparison, Entry
from packwise.readable import duration_unit, number, percent

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from packwise.metrics.definition import Metric
    from packwise.model.run import Run

_LETTERS = 18
_COLOURS = {1: "green", 0: "", -1: "red"}


def print_comparison(comparison: Comparison, compared: str = "policy") -> None:
    """Policies by metrics, or metrics by policies where that is too wide; and a summary.

    ``compared`` is what the entries are.
    """
    console = stdout()
    shown = _by_entry(comparison, compared)
    longest = max(len(entry.label) for entry in comparison.entries)
    foldable = max(longest - _LETTERS, 0)
    if fits(shown, foldable):
        console.print(shown)
    else:
        for part in in_blocks(lambda some: _by_metric(comparison, some), comparison.entries):
            console.print(part)
    higher = ", ".join(metric.name for metric in comparison.metrics if metric.better == "higher")
    console.print(f"Lower is better{f' (higher: {higher})' if higher else ''}.", style="dim")
    words = comparison.words()
    if words:
        console.print()
        console.print(words, markup=False)


def print_so_far(comparison: Comparison) -> None:
    """The table of those that are known, on stderr, while the others are still to come."""
    console = stderr()
    shown = _by_entry(comparison, "so far")
    if console.is_terminal:
        console.print(shown)
        return
    with console.capture() as page:
        console.print(shown)
    for line in page.get().splitlines():
        meanwhile(line.rstrip())


def _by_entry(comparison: Comparison, compared: str) -> Table:
    """The value, below it the change; in bold the best, and what cannot be told from it. Values alone where
    verdicts are withheld.
    """
    heads = [_head(comparison, metric, "\n") for metric in comparison.metrics]
    shown = table(compared, *heads, right=tuple(heads))
    shown.columns[0].overflow = "fold"
    shown.columns[0].min_width = min(max(len(one.label) for one in comparison.entries), _LETTERS)
    for position, entry in enumerate(comparison.entries):
        cells = [_cell(comparison, entry, metric, "\n") for metric in comparison.metrics]
        shown.add_row(_name(comparison, position, "\n"), *cells)
    return shown


def _by_metric(comparison: Comparison, entries: Sequence[Entry]) -> Table:
    """Some entries, turned over: value and change side by side."""
    labels = [entry.label for entry in entries]
    shown = table("metric", *labels, right=tuple(labels))
    for metric in comparison.metrics:
        cells = [_cell(comparison, entry, metric, " ") for entry in entries]
        shown.add_row(_head(comparison, metric, " "), *cells)
    for column in shown.columns[1:]:
        column.no_wrap = False
        column.overflow = "fold"
    return shown


def _head(comparison: Comparison, metric: Metric, gap: str) -> str:
    unit = _scale(comparison, metric)[0]
    return f"{metric.name}{gap}({unit})" if unit else metric.name


def _name(comparison: Comparison, position: int, gap: str) -> Text:
    from rich.text import Text

    name = Text(comparison.entries[position].label)
    if position == comparison.baseline:
        name.append(f"{gap}baseline", style="dim")
    return name


def _cell(comparison: Comparison, entry: Entry, metric: Metric, gap: str) -> Text:
    from rich.text import Text

    bold = "bold " if entry in comparison.outstanding(metric) else ""
    cell = Text(number(entry.values[metric.name] / _scale(comparison, metric)[1]), bold.strip())
    if entry is not comparison.entries[comparison.baseline] and not comparison.withheld:
        colour = _COLOURS[comparison.verdict(entry, metric)]
        change = percent(comparison.change(entry, metric))
        cell.append(f"{gap}{change}", style=f"{bold}{colour}".strip())
    return cell


def _scale(comparison: Comparison, metric: Metric) -> tuple[str, int]:
    """The unit of a column: durations in the one that suits the baseline, or the first that has a value."""
    if metric.unit != "s":
        return metric.unit, 1
    base = comparison.entries[comparison.baseline]
    values = [entry.values[metric.name] for entry in (base, *comparison.entries)]
    return duration_unit(next(filter(isfinite, values), 0.0))


def write_comparison(comparison: Comparison, runs: list[Run], path: Path) -> None:
    """One row per run: facts, then each metric and its change in percent. Seconds stay seconds.

    A cell is empty where there is no number.
    """
    from packwise.files.output import atomic_output

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [metric.name for metric in comparison.metrics]
    writer.writerow(
        ["policy", "estimate", "jobs", "rejected", "engine_seconds", *names]
        + [f"{name}_change_percent" for name in names]
    )
    for entry, run in zip(comparison.entries, runs, strict=True):
        changes = [comparison.change(entry, metric) for metric in comparison.metrics]
        writer.writerow(
            [run.policy, run.estimate, int(run.schedule.ran.sum()), len(run.rejected)]
            + [f"{run.seconds:.4f}", *(_written(entry.values[name]) for name in names)]
            + ["" if change is None else f"{change:.4f}" for change in changes]
        )
    with atomic_output(path) as stream:
        stream.write(text.getvalue().encode())


def _written(value: float) -> str:
    return repr(value) if isfinite(value) else ""


def comparison_json(comparison: Comparison, runs: list[Run]) -> dict[str, Any]:
    """The same as one object."""
    return {
        "baseline": comparison.entries[comparison.baseline].label,
        "metrics": {
            one.name: {"unit": one.unit, "better": one.better, "title": one.title}
            for one in comparison.metrics
        },
        "runs": [
            _entry_json(comparison, entry, run)
            for entry, run in zip(comparison.entries, runs, strict=True)
        ],
        "summary": comparison.words(),
    }


def _entry_json(comparison: Comparison, entry: Entry, run: Run) -> dict[str, Any]:
    return {
        "policy": run.policy,
        "estimate": run.estimate,
        "jobs": int(run.schedule.ran.sum()),
        "rejected": len(run.rejected),
        "rounds": len(run.rounds),
        "seconds": run.seconds,
        "metrics": {one.name: entry.values[one.name] for one in comparison.metrics},
        "change_percent": {one.name: comparison.change(entry, one) for one in comparison.metrics},
    }
