"""packwise workload info: what a workload looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json, Procs, TraceName
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.workloads.describe import Description
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window

_BAR = 24
_WIDE = 110
_FEW = ("minimum", "median", "p90", "maximum", "mean")
_COLUMNS = ("minimum", "p10", "p25", "median", "p75", "p90", "p99", "maximum", "mean")


@with_window
def info(
    trace: TraceName,
    window: Window,
    procs: Procs = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw it, too: .png, .svg, .pdf.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Describe a workload: cleaning, load, distributions, arrivals by hour and weekday.

    Examples:
      $ packwise workload info log.swf.gz
      $ packwise workload info kth-sp2 --plot kth.png
      $ packwise workload info log.swf --from 30d --until 60d --json
      $ packwise workload info kth-sp2 --deadlines 'slack(share=20%)'
    """
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.trace import load_trace
    from packwise.cli.terminal import stdout
    from packwise.workloads.describe import describe

    check_destinations(Output(plot, PICTURES))
    loaded = load_trace(trace, procs, window)
    facts = describe(loaded.workload, loaded.cluster.procs)
    if plot is not None:
        from packwise.pictures.workload import plot_workload

        plot_workload(loaded.workload, loaded.cluster.procs, plot)
    if json:
        _print_json(loaded, facts)
        return
    _print(loaded, facts, window)
    if plot is not None:
        stdout().print(f"\nWrote {plot}", markup=False, soft_wrap=True)


def _print_json(loaded: Trace, facts: Description) -> None:
    from dataclasses import fields

    from packwise.cli.remarks.machine import machine_facts
    from packwise.cli.terminal import print_json

    answer: dict[str, Any] = {one.name: getattr(facts, one.name) for one in fields(facts)}
    for name, value in answer.items():
        if hasattr(value, "_asdict"):
            answer[name] = value._asdict()
        elif hasattr(value, "tolist"):
            answer[name] = value.tolist()
    answer["size_classes"] = [one._asdict() for one in facts.size_classes]
    answer["first_submit"] = facts.first_submit.isoformat() if facts.first_submit else None
    answer |= machine_facts(loaded.cluster)
    answer["cleaning"] = loaded.cleaning.facts() if loaded.cleaning else None
    print_json(answer)


def _print(loaded: Trace, facts: Description, window: Window) -> None:
    from packwise.cli.options.machine import machine_words
    from packwise.cli.terminal import stdout
    from packwise.cli.workload.clean import print_cleaning
    from packwise.readable import duration

    console = stdout()
    console.print(facts.name, style="bold", markup=False)
    since = f", first submission {facts.first_submit:%d %b %Y %H:%M}" if facts.first_submit else ""
    console.print(
        f"{facts.jobs:,} jobs of {facts.users:,} users over {duration(facts.span)}{since}\n"
        f"{machine_words(loaded.cluster)}, offered load {facts.load:.3f}; "
        f"{100 * facts.serial_share:.1f} % serial, {100 * facts.power_of_two_share:.1f} % parallel "
        "with a power of two",
        markup=False,
    )
    for line in [
        *_deadlines(facts),
        *window.words(),
        *dict.fromkeys([*loaded.notes, *loaded.machine_remarks(), *facts.notes]),
    ]:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    if loaded.cleaning is not None:
        print_cleaning(loaded.cleaning)
        console.print()
    _print_distributions(facts)
    _print_arrivals(facts)


def _deadlines(facts: Description) -> list[str]:
    """The deadlines, in words."""
    from packwise.readable import duration

    found = facts.deadlines
    if found is None or not found.jobs:
        return []
    slack = duration(found.median_slack)
    return [f"median slack: {slack} (from submission to deadline, less the limit)"]


def _print_distributions(facts: Description) -> None:
    from packwise.cli.terminal import stdout, table
    from packwise.readable import duration, number

    console = stdout()
    columns = _COLUMNS if console.width >= _WIDE else _FEW
    rows = table("per job", *columns, right=columns)
    kinds = (
        ("run time", facts.runtime, duration),
        ("limit", facts.limit, duration),
        ("gap to the next", facts.gap, duration),
        ("processors", facts.demand, _plain),
        ("processor-hours", facts.area, lambda value: number(value / 3600)),
        ("share of limit used", facts.accuracy, lambda value: f"{100 * value:.0f} %"),
    )
    for label, spread, write in kinds:
        rows.add_row(label, *(write(getattr(spread, column)) for column in columns))
    console.print(rows)
    console.print()
    sizes = table(
        "processors",
        "jobs",
        "% of jobs",
        "",
        "% of area",
        " ",
        right=("jobs", "% of jobs", "% of area"),
    )
    for one in facts.size_classes:
        jobs, area = 100 * one.job_share, 100 * one.area_share
        sizes.add_row(
            one.label, f"{one.jobs:,}", f"{jobs:.1f}", bar(jobs, 100), f"{area:.1f}", bar(area, 100)
        )
    console.print(sizes)


def _print_arrivals(facts: Description) -> None:
    from packwise.cli.terminal import stdout, table
    from packwise.workloads.describe import WEEKDAYS

    hours = table(
        "hour",
        "jobs",
        "",
        "  hour",
        "jobs ",
        " ",
        right=("jobs", "jobs "),
        title=f"\nSubmissions by hour ({facts.time_zone})",
    )
    top = int(facts.by_hour.max())
    for hour in range(12):
        cells = []
        for one in (hour, hour + 12):
            count = int(facts.by_hour[one])
            cells += [f"{'  ' if one > 11 else ''}{one:02d}", f"{count:,}", bar(count, top)]
        hours.add_row(*cells)
    days = table("day", "jobs", "", right=("jobs",), title="\nSubmissions by weekday")
    for day, count in zip(WEEKDAYS, facts.by_weekday.tolist(), strict=True):
        days.add_row(day, f"{count:,}", bar(count, int(facts.by_weekday.max())))
    console = stdout()
    console.print(hours)
    console.print(days)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def bar(value: float, most: float) -> str:
    """A bar of eighths of a character."""
    eighths = round(8 * _BAR * value / most) if most else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
