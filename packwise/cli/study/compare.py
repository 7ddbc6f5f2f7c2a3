"""packwise study compare: ours beside published values, and beside what a paper claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.study.options import StoreFolder, StudyFile, TraceFolders, open_study, words
from packwise.cli.terminal.failures import INFEASIBLE

if TYPE_CHECKING:
    from rich.text import Text

    from packwise.experiments.tables.agreement import Verdict
    from packwise.experiments.tables.claims import ClaimVerdict
    from packwise.experiments.tables.published import Kind, Published
    from packwise.experiments.tables.results import StudyResults

_RESULTS = "Results"
_COLOURS = {
    "agrees": "green",
    "differs": "red",
    "differs, explained": "yellow",
    "uncertain": "yellow",
}


def compare(
    study: StudyFile,
    published: Annotated[
        Path | None,
        typer.Option(
            "--published",
            metavar="CSV",
            help="The published values: columns metric, policy, trace, estimate, and one of "
            "percent_change_vs_X, percent_of_X (X: a policy or an estimate) or value; 'certain' "
            "(yes, no) may mark figures that are hard to read.",
            show_default=False,
        ),
    ] = None,
    all_cells: Annotated[
        bool, typer.Option("--all", help="List the cells and places that agree, too.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE",
            help="Write all cells as CSV, or the claims where no table is given; '-' is stdout.",
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
    """Compare the results of a study with what somebody published.

    A table is compared cell by cell; a cell agrees if it rounds to what was printed, or is
    within the tolerance, if the study sets one. Policies are found by label, then by name (JustBF is
    list-reg); traces by label. What a paper says in words stands in the study
    itself, as claims, and is checked with or without a table.
    Exit status 1 if a cell differs or a claim does not hold.

    Examples:
      $ packwise study compare study.toml --published table2.csv
      $ packwise study compare study.toml --published table2.csv --all
      $ packwise study compare study.toml --published table2.csv --markdown t2.md
      $ packwise study compare studies/deadline-backfilling.toml --traces ~/logs
    """
    from packwise.cli.study.claims import print_claims
    from packwise.cli.study.stored import (
        STDOUT,
        check_outputs,
        results_of,
        say_chance,
        say_machines,
        say_missing,
        say_unfiltered,
        write_text,
    )
    from packwise.cli.terminal import print_json, stdout
    from packwise.experiments.tables.agreement import Outcome
    from packwise.experiments.tables.agreement import compare as judge
    from packwise.experiments.tables.claim_checks import Held
    from packwise.experiments.tables.claims import judge_claims
    from packwise.experiments.tables.published import read_published
    from packwise.model.errors import InputError

    check_outputs(csv, markdown, json=json)
    opened = open_study(study, store, traces)
    table = None if published is None else read_published(published)
    if table is None and not opened.claims:
        raise InputError(
            f"{study}: there is nothing to compare the results with. Give a table of published values "
            "(--published table.csv), or write what a paper says into the study, as [[claim]] tables."
        )
    results = results_of(opened, words(study, store, traces))
    verdicts = judge(results, table, opened.published) if table else []
    claims = judge_claims(results)
    if csv is not None:
        write_text(csv, _csv(verdicts if table else None, claims))
    if markdown is not None:
        write_text(markdown, _page(results, table, verdicts, claims))
    say_missing(results, words(study, store, traces))
    say_unfiltered(results)
    say_chance(results)
    say_machines(results)
    if json:
        print_json(_json(results, table, verdicts, claims))
    elif STDOUT not in (csv, markdown):
        if table is not None:
            print_verdicts(verdicts, table.kind, all_cells=all_cells)
        if table is not None and claims:
            stdout().print()
        if claims:
            print_claims(results, claims, all_places=all_cells)
        for path in filter(None, (csv, markdown)):
            stdout().print(f"Wrote {path}", soft_wrap=True, markup=False)
    differs = any(verdict.outcome is Outcome.DIFFERS for verdict in verdicts)
    if differs or any(claim.held is Held.FAILS for claim in claims):
        raise typer.Exit(INFEASIBLE)


def _csv(verdicts: Sequence[Verdict] | None, claims: Sequence[ClaimVerdict]) -> str:
    from packwise.experiments.tables.agreement_text import verdicts_csv
    from packwise.experiments.tables.claims_text import claims_csv

    return claims_csv(claims) if verdicts is None else verdicts_csv(verdicts)


def _page(
    results: StudyResults,
    table: Published | None,
    verdicts: Sequence[Verdict],
    claims: Sequence[ClaimVerdict],
) -> str:
    from packwise.experiments.tables.agreement_text import page
    from packwise.experiments.tables.claims_text import claims_page, claims_section

    if table is None:
        return claims_page(results, claims)
    text = page(results, table, verdicts)
    return f"{text}\n{claims_section(results, claims)}\n" if claims else text


def _json(
    results: StudyResults,
    table: Published | None,
    verdicts: Sequence[Verdict],
    claims: Sequence[ClaimVerdict],
) -> dict[str, Any]:
    from packwise.experiments.tables.agreement import Outcome
    from packwise.experiments.tables.agreement_text import verdict_rows
    from packwise.experiments.tables.claim_checks import Held
    from packwise.experiments.tables.claims_text import claim_rows
    from packwise.experiments.tables.part import filter_rows, trim_facts

    answer: dict[str, Any] = {"study": results.study.name}
    if table is not None:
        found = [verdict.outcome for verdict in verdicts]
        answer |= {
            "published": table.path,
            "values": table.kind.value,
            "relative_to": table.reference,
            "counts": {outcome.value: found.count(outcome) for outcome in Outcome},
            "cells": verdict_rows(verdicts),
        }
    if claims:
        held = [verdict.held for verdict in claims]
        answer["claim_counts"] = {one.value: held.count(one) for one in Held}
        answer["claims"] = claim_rows(claims)
    answer["not_reproducible"] = [point._asdict() for point in sorted(results.unreproducible)]
    if results.study.drop_unaffected:
        answer["left_out"] = filter_rows(results.filtered)
    return answer | trim_facts(results.study)


def print_verdicts(verdicts: Sequence[Verdict], kind: Kind, *, all_cells: bool) -> None:
    """How many cells agree, and those that do not."""
    from packwise.cli.terminal import printable, stdout
    from packwise.experiments.tables.agreement import Outcome
    from packwise.experiments.tables.agreement_text import counted, explained, left_out

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
    for line in explained(verdicts):
        console.print(printable(line), style="dim", markup=False, soft_wrap=True)
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
        allowed = "as printed" if verdict.allowed is None else f"{verdict.allowed:.3g}"
        numbers = (*verdict_text(verdict), allowed)
        colour = _COLOURS.get(verdict.outcome.value, "dim")
        words = (*names[: len(axes)], *numbers)
        shown.add_row(*map(plain, words), plain(verdict.outcome.value, colour))
    stdout().print(shown)
