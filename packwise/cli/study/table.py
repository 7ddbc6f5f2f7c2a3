"""packwise study table: the results of a study as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.study.options import (
    StoreFolder,
    StudyFile,
    TraceFolders,
    open_study,
    words,
)

if TYPE_CHECKING:
    from rich.text import Text

    from packwise.experiments.study import Study
    from packwise.experiments.tables.results import StudyResults
    from packwise.experiments.tables.tabulation import Block, Entry, StudyTable
    from packwise.metrics.definition import Metric

_RESULTS = "Results"
_COLOURS = {1: "green", 0: "", -1: "red"}
#: Entries on a terminal; more are for files.
_SHOWN = 2000


def table(
    study: StudyFile,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAMES",
            help="Metrics separated by commas, a table each; by default those of the study.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="WHAT",
            help="Compare with another policy than the study says, or with another estimate or "
            "machine: estimate=requested, machine=LABEL, policy=easy,estimate=exact.",
            show_default=False,
        ),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Show values instead of changes in per cent.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE",
            help="Write values and changes as CSV, one row per point and metric; '-' is stdout.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(
            "--latex",
            metavar="FILE",
            help="Write the tables for LaTeX with booktabs; '-' is stdout.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            metavar="FILE",
            help="Write the tables as Markdown; '-' is stdout.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    json: Json = False,
) -> None:
    """Show the results of a study: changes against the baseline, policies by workloads.

    With replicas each change is taken replica by replica and comes with its
    confidence interval; ≈ marks those that could as well be 0. An unfinished study
    is shown as far as it is.

    Examples:
      $ packwise study table study.toml --metric BSLD,AWF
      $ packwise study table study.toml --baseline estimate=requested
      $ packwise study table study.toml --values --csv all.csv --latex t.tex
      $ packwise study table study.toml -m P2SF --markdown -
    """
    from packwise.cli.study.stored import (
        STDOUT,
        check_outputs,
        results_of,
        say_left_out,
        say_missing,
        say_unfiltered,
        write_text,
    )
    from packwise.cli.terminal import print_json, stdout
    from packwise.experiments.names import Names
    from packwise.experiments.tables.tabulation import tabulate
    from packwise.experiments.tables.text import csv_text, latex_text, markdown_text

    outputs = (csv, latex, markdown)
    check_outputs(*outputs, json=json)
    opened = open_study(study, store, traces)
    wanted = _wanted(metric, opened)
    results = results_of(opened, words(study, store, traces), [one.name for one in wanted])
    if baseline is not None:
        results = results.against(Names(results.study).baseline(baseline))
    metrics = _measured(wanted, results, study)
    say_missing(results, words(study, store, traces))
    say_left_out(results)
    say_unfiltered(results)
    tables = [tabulate(results, one, values=values) for one in metrics]
    if csv is not None:
        write_text(csv, csv_text(results, metrics))
    if latex is not None:
        write_text(latex, latex_text(tables))
    if markdown is not None:
        write_text(markdown, markdown_text(tables))
    if json:
        print_json(_json(results, metrics))
    elif STDOUT not in outputs:
        print_tables(tables)
        for path in filter(None, outputs):
            stdout().print(f"Wrote {path}", soft_wrap=True, markup=False)


def _wanted(names: str | None, study: Study) -> list[Metric]:
    from packwise.cli.tables.metrics import wanted_metrics
    from packwise.metrics.catalogue import METRICS, metric

    if names is None:
        return [metric(name) for name in study.metrics]
    return wanted_metrics(names) or [one for one in METRICS.values() if not one.costly]


def _measured(metrics: list[Metric], results: StudyResults, file: Path) -> list[Metric]:
    """The metrics that have values; of the others, how to get them."""
    from packwise.cli.terminal import note
    from packwise.experiments.tables.tabulation import lacking
    from packwise.model.errors import InputError

    remarks, found = [], []
    for one in metrics:
        if any(results.cells(one.name)):
            found.append(one)
        if number := lacking(results, one):
            remarks.append(
                f"{one.name} is not measured for {number:,} results: packwise study run {file} "
                f"--metrics '{one.name}' measures it without another replay."
            )
    if not found:
        names = ", ".join(one.name for one in metrics)
        why = _why_none(metrics)
        raise InputError(
            " ".join(remarks) or f"no result of the study has a value for {names}.{why}"
        )
    for remark in remarks:
        note(remark)
    return found


def _why_none(metrics: list[Metric]) -> str:
    """What metrics without any value may need."""
    if all(one.of_deadlines for one in metrics):
        return (
            " They need workloads whose jobs have deadlines, and jobs of the class they are about."
        )
    if all(one.of_promises for one in metrics):
        return " They need policies that promise starts, such as conservative backfilling."
    if all(one.of_energy for one in metrics):
        return ' They need a [[machine]] with energy = "...", a scenario of what power costs.'
    return ""


def _json(results: StudyResults, metrics: list[Metric]) -> dict[str, Any]:
    from packwise.experiments.tables.part import filter_rows, trim_facts
    from packwise.experiments.tables.tabulation import rows

    study = results.study
    return {
        "study": study.name,
        "baseline": {
            axis: label
            for axis in ("policy", "estimate", "machine")
            if (label := getattr(study.baseline, axis)) is not None
        },
        "confidence": study.confidence,
        "scenarios": len(study.scenarios),
        "missing": int((~results.there).sum()),
        "drop_unaffected": study.drop_unaffected,
        "left_out": filter_rows(results.filtered),
        **trim_facts(study),
        "metrics": {
            one.name: {"unit": one.unit, "better": one.better, "title": one.title}
            for one in metrics
        },
        "cells": list(rows(results, metrics)),
    }


def print_tables(tables: list[StudyTable]) -> None:
    """On the terminal, as many entries as one may want to read there."""
    from packwise.cli.terminal import printable, stdout

    console = stdout()
    left, shown = _SHOWN, 0
    for one in tables:
        if left <= 0:
            break
        console.print(printable(one.title), style="bold", markup=False)
        for block in one.blocks:
            if left <= 0:
                break
            if block.title:
                console.print(f"\n{printable(block.title)}", markup=False)
            most = max(left // max(len(block.columns), 1), 1)
            _print_block(block, most)
            shown += len(block.columns) * min(len(block.rows), most)
            left -= len(block.columns) * len(block.rows)
        for line in one.legend:
            console.print(line, style="dim", markup=False)
        console.print()
    total = sum(one.size for one in tables)
    if shown < total:
        console.print(f"The first {shown:,} of {total:,} cells; --csv FILE has all.", style="dim")


def _print_block(block: Block, most: int) -> None:
    """One table, or several with the columns divided among them where the terminal is narrow."""
    from packwise.cli.terminal import plain, printable, stdout
    from packwise.cli.terminal import table as empty_table

    rows = block.rows[:most]
    names = [printable(row.policy) + " (baseline)" * row.baseline for row in rows]
    console = stdout()
    first = min(max(map(len, ["policy", *names])), max(console.width // 2, 12))
    for start, end in _portions(block, most, console.width - first):
        columns = block.columns[start:end]
        shown = empty_table("policy", *columns)
        for column in shown.columns[1:]:
            column.justify, column.no_wrap = "right", True
        shown.columns[0].overflow = "fold"
        for name, row in zip(names, rows, strict=True):
            shown.add_row(plain(name), *(_styled(entry) for entry in row.entries[start:end]))
        console.print(shown)


def _portions(block: Block, most: int, room: int) -> list[tuple[int, int]]:
    """Columns from and to, so that each portion is at most as wide as there is room."""
    from packwise.cli.terminal import printable

    bounds, used = [0], 0
    for i, name in enumerate(block.columns):
        texts = [row.entries[i].marked for row in block.rows[:most]]
        width = 2 + max(map(len, [printable(name), *texts]))
        if used and used + width > room:
            bounds.append(i)
            used = 0
        used += width
    return list(zip(bounds, [*bounds[1:], len(block.columns)], strict=True))


def _styled(entry: Entry) -> Text:
    from packwise.cli.terminal import plain

    words = ["bold"] if entry.best else []
    words += [_COLOURS[entry.verdict]] if entry.clear else ["dim"]
    return plain(entry.marked, " ".join(filter(None, words)))
