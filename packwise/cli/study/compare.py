"""packwise study compare: ours beside published values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.arguments import Json
from packwise.cli.failures import INFEASIBLE
from packwise.cli.study.options import StoreFolder, StudyFile, TraceFolders, words

if TYPE_CHECKING:
    from rich.text import Text

    from packwise.experiments.tables.agreement import Verdict
    from packwise.experiments.tables.published import Kind

_RESULTS = "Results"
_COLOURS = {"agrees": "green", "differs": "red", "uncertain": "yellow"}


def compare(
    study: StudyFile,
    published: Annotated[
        Path,
        typer.Option(
            "--published",
            metavar="CSV",
            help="The published values: columns metric, policy, trace, estimate, and one of "
            "percent_change_vs_X, percent_of_X (X: a policy or an estimate) or value; 'certain' "
            "(yes, no) may mark figures that are hard to read.",
            show_default=False,
        ),
    ],
    all_cells: Annotated[
        bool, typer.Option("--all", help="List the cells that agree, too.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE",
            help="Write all cells as CSV; '-' is stdout.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            metavar="FILE",
            help="Write the comparison as a page; '-' is stdout.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    json: Json = False,
) -> None:
    """Compare the results of a study with a table that somebody published, cell by cell.

    A cell agrees if it is within the tolerance that the study sets. Policies are
    found by label, then by name (JustBF is list-reg); traces by label.
    Exit status 1 if a cell differs.

    Examples:
      $ packwise study compare study.toml --published table2.csv
      $ packwise study compare study.toml --published table2.csv --all
      $ packwise study compare study.toml --published table2.csv --markdown t2.md
    """
    from packwise.cli.study.stored import (
        STDOUT,
        check_outputs,
        say_missing,
        stored_results,
        write_text,
    )
    from packwise.cli.terminal import print_json, stdout
    from packwise.experiments.tables.agreement import Outcome
    from packwise.experiments.tables.agreement import compare as judge
    from packwise.experiments.tables.agreement_text import page, verdict_rows, verdicts_csv
    from packwise.experiments.tables.published import read_published

    check_outputs(csv, markdown, source=published, json=json)
    check_outputs(csv, markdown, source=study, json=json)
    table = read_published(published)
    results = stored_results(study, store, traces)
    verdicts = judge(results, table, results.study.tolerances)
    if csv is not None:
        write_text(csv, verdicts_csv(verdicts))
    if markdown is not None:
        write_text(markdown, page(results, table, verdicts))
    say_missing(results, words(study, store, traces))
    if json:
        found = [verdict.outcome for verdict in verdicts]
        counts = {outcome.value: found.count(outcome) for outcome in Outcome}
        facts = {"study": results.study.name, "published": str(published)}
        meaning = {"values": table.kind.value, "relative_to": table.reference}
        print_json({**facts, **meaning, "counts": counts, "cells": verdict_rows(verdicts)})
    elif STDOUT not in (csv, markdown):
        print_verdicts(verdicts, table.kind, all_cells=all_cells)
        for path in filter(None, (csv, markdown)):
            stdout().print(f"Wrote {path}", soft_wrap=True, markup=False)
    if any(verdict.outcome is Outcome.DIFFERS for verdict in verdicts):
        raise typer.Exit(INFEASIBLE)


def print_verdicts(verdicts: Sequence[Verdict], kind: Kind, *, all_cells: bool) -> None:
    """How many cells agree, and those that do not."""
    from packwise.cli.terminal import printable, stdout
    from packwise.experiments.tables.agreement import Outcome
    from packwise.experiments.tables.agreement_text import counted, left_out

    console = stdout()
    machines = any(verdict.point and verdict.point.machine for verdict in verdicts)
    _print_counts(verdicts, machines)
    hidden = {Outcome.NOT_IN_STUDY} if all_cells else {Outcome.NOT_IN_STUDY, Outcome.AGREES}
    listed = [verdict for verdict in verdicts if verdict.outcome not in hidden]
    if listed:
        console.print()
        _print_cells(listed, machines)
    console.print()
    console.print(counted(verdicts, kind), style="bold", markup=False, soft_wrap=True)
    if absent := left_out(verdicts):
        console.print(printable(absent), style="dim", markup=False, soft_wrap=True)


def _print_counts(verdicts: Sequence[Verdict], machines: bool) -> None:
    from packwise.cli.terminal import plain, stdout, table
    from packwise.experiments.tables.agreement import Outcome

    shown_outcomes = [o for o in Outcome if any(v.outcome is o for v in verdicts)]
    heads = [outcome.value for outcome in shown_outcomes]
    axes = ("metric", "estimate", "machine") if machines else ("metric", "estimate")
    shown = table(*axes, *heads, right=tuple(heads))
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for verdict in verdicts:
        key = verdict.published.metric, verdict.estimate, verdict.machine
        groups.setdefault(key[: len(axes)], []).append(verdict.outcome)
    for names, found in groups.items():
        if set(found) == {Outcome.NOT_IN_STUDY}:
            continue  # named below the tables
        counts = [_count(found.count(outcome), outcome.value) for outcome in shown_outcomes]
        shown.add_row(*map(plain, names), *counts)
    stdout().print(shown)


def _count(number: int, outcome: str) -> Text:
    from packwise.cli.terminal import plain

    return plain(f"{number:,}", _COLOURS.get(outcome, "dim")) if number else plain("0", "dim")


def _print_cells(verdicts: Sequence[Verdict], machines: bool) -> None:
    from packwise.cli.terminal import plain, stdout, table
    from packwise.experiments.tables.agreement_text import verdict_text

    right = ("ours", "published", "difference", "allowed")
    axes = ("metric", "estimate", "policy", "workload", *(("machine",) if machines else ()))
    shown = table(*axes, *right, "verdict", right=right)
    for verdict in verdicts:
        cell = verdict.published
        names = (cell.metric, verdict.estimate, cell.policy, verdict.workload, verdict.machine)
        numbers = (*verdict_text(verdict), f"{verdict.allowed:.3g}")
        colour = _COLOURS.get(verdict.outcome.value, "dim")
        words = (*names[: len(axes)], *numbers)
        shown.add_row(*map(plain, words), plain(verdict.outcome.value, colour))
    stdout().print(shown)
