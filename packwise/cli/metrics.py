"""packwise metrics: measure any schedule, or explain what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options.arguments import (
    By,
    Density,
    Fairness,
    Json,
    MaybeScheduleName,
    MetricNames,
    Procs,
    TrimName,
)


def metrics(
    schedule: MaybeScheduleName = None,
    procs: Procs = None,
    metrics: MetricNames = None,
    fairness: Fairness = False,
    trim: TrimName = None,
    by: By = None,
    density: Density = False,
    json: Json = False,
    describe: Annotated[
        str | None,
        typer.Option(
            "--describe",
            metavar="NAME",
            help="Explain one metric: formula, unit, paper, and how to read it.",
            show_default=False,
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List all metrics.")] = False,
) -> None:
    """Measure a schedule, whoever made it; or explain a metric.

    Examples:
      $ packwise metrics plan.csv --procs 100
      $ packwise metrics log.swf.gz --metrics BSLD,P2SF,wait_p95 --by size
      $ packwise metrics plan.csv --procs 100 --trim last
      $ packwise metrics --describe AWF
      $ packwise metrics --list
    """
    from packwise.model.errors import InputError

    if list_all:
        _list(json)
    elif describe is not None:
        _describe(describe, json)
    elif schedule is not None:
        _measure(schedule, procs, metrics, fairness, trim, by, density, json)
    else:
        raise InputError(
            "expected a schedule to measure, such as `packwise metrics plan.csv --procs 100`; "
            "--list and --describe NAME work without one."
        )


def _measure(
    path: Path,
    procs: int | None,
    chosen: str | None,
    fairness: bool,
    trim: str | None,
    by: By,
    density: bool,
    json: bool,
) -> None:
    from packwise.cli.options.machine import machine_words
    from packwise.cli.remarks.machine import machine_facts
    from packwise.cli.tables.density import density_json, print_density
    from packwise.cli.tables.metrics import (
        breakdown,
        check_measurable,
        measure,
        print_breakdown,
        print_metrics,
        wanted_metrics,
    )
    from packwise.cli.terminal import note, print_json, stdout
    from packwise.cli.terminal.progress import busy
    from packwise.feasibility import check_schedule
    from packwise.metrics.series import utilization_density
    from packwise.metrics.trimming import Trim
    from packwise.side_by_side import trim_remark
    from packwise.workloads.schedule_files import read_schedule

    wanted = wanted_metrics(chosen)
    trimmed = None if trim is None else Trim.of(trim)
    with busy(f"reading {path.name}"):
        file = read_schedule(path, procs=procs)
    check_measurable(file.workload, file.cluster, wanted, by)
    parts = (file.workload, file.cluster, file.schedule)
    with busy("checking"):
        peak = check_schedule(*parts).peak_usage
    if peak > file.cluster.procs:
        note(
            f"warning: this schedule uses up to {peak:,} processors at a time, of a machine that has "
            f"{file.cluster.procs:,}: `packwise check` says where. Is --procs right?"
        )
    with busy("measuring"):
        only = None if trimmed is None else trimmed.kept(file.workload, file.schedule)
        values = measure(*parts, wanted, fairness=fairness, only=only)
        classes = breakdown(by, *parts, only) if by else None
        spread = utilization_density(*parts) if density else None
    ran = int(file.schedule.ran.sum())
    if json:
        answer = {
            "schedule": str(path),
            "format": file.report.format,
            "workload": file.workload.name,
            "procs": file.cluster.procs,
            **machine_facts(file.cluster),
            "jobs": ran,
            "trim": None if trimmed is None else str(trimmed),
            "left_out": 0 if only is None else int((~only).sum()),
            "notes": list(file.report.notes),
            "metrics": values,
        }
        if classes is not None:
            answer["breakdown"] = classes
        if spread is not None:
            answer["utilization_density"] = density_json(spread)
        print_json(answer)
        return
    console = stdout()
    title = f"{path}: {ran:,} jobs on {machine_words(file.cluster)}"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    for line in file.report.notes:
        console.print(f"  {line}", style="dim", markup=False)
    if trimmed is not None and only is not None:
        words = f"{trim_remark(trimmed, [only])}; metrics of the machine are about all"
        console.print(f"  {words}", style="dim", markup=False)
    console.print()
    print_metrics(values, chosen)
    if classes is not None:
        print_breakdown(classes)
    if spread is not None:
        print_density({"time": spread})


def _list(json: bool) -> None:
    from packwise.cli.terminal import print_json, stdout, table
    from packwise.metrics.catalogue import METRICS

    if json:
        facts = {
            m.name: {"title": m.title, "unit": m.unit, "better": m.better} for m in METRICS.values()
        }
        print_json(facts)
        return
    rows = table("metric", "unit", "better", "what it is", "formula")
    for one in METRICS.values():
        rows.add_row(one.name, one.unit, one.better, one.title, one.formula)
    console = stdout()
    console.print(rows)
    console.print(
        "\nD run time, Q wait, F = Q + D response, r processors, b start, c end, s submission, d "
        "deadline, L limit, n jobs.\nSome take a number: P1.5SF, BSLD(60), lp_norm(3), wait_p95, BSLD_p75.\n"
        "More on one of them: packwise metrics --describe NAME",
        style="dim",
        markup=False,
    )


def _describe(name: str, json: bool) -> None:
    from packwise.cli.terminal import print_json, stdout
    from packwise.metrics.catalogue import chosen_metric

    one = chosen_metric(name)
    facts = {
        "name": one.name,
        "title": one.title,
        "formula": one.formula,
        "unit": one.unit_words,
        "better": one.better,
        "paper": one.paper,
        "meaning": one.meaning,
    }
    if json:
        print_json(facts)
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for key in ("formula", "unit", "better", "meaning", "paper"):
        grid.add_row(key, facts[key])
    console = stdout()
    console.print(f"{one.name}: {one.title}", style="bold", markup=False)
    console.print(grid, markup=False)
