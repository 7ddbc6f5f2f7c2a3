"""packwise energy: what a schedule's energy costs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import ClusterName, Json, MaybeScheduleName, Procs, ShiftTo

if TYPE_CHECKING:
    from packwise.cli.options.energy import ChosenEnergy
    from packwise.metrics.energy.account import EnergyAccount
    from packwise.workloads.schedule_files import ScheduleFile

_RESULTS = "Results"


class EnergyGrouping(StrEnum):
    """What an account is split by."""

    DAY = "day"
    USER = "user"
    PARTITION = "partition"


def energy(
    schedule: MaybeScheduleName = None,
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME",
            help="A scenario that comes with Packwise, or a file (site.toml).",
        ),
    ] = "market",
    shift_to: ShiftTo = None,
    procs: Procs = None,
    cluster: ClusterName = None,
    by: Annotated[
        EnergyGrouping | None,
        typer.Option("--by", help="Add a table by day, user or partition.", show_default=False),
    ] = None,
    json: Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw power over time above price, carbon and temperature: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    movable: Annotated[
        Path | None,
        typer.Option(
            "--movable",
            help="Draw who could have been moved to cheaper or greener hours: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--list", help="List the scenarios that come with Packwise.")
    ] = False,
    show: Annotated[
        str | None,
        typer.Option(
            "--show",
            metavar="NAME",
            help="Print a scenario's file, as a beginning for one of your own.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """What the energy of a schedule costs, emits and needs at most; who could have been moved.

    Examples:
      $ packwise energy --list
      $ packwise energy plan.csv --scenario summer-air
      $ packwise energy log.swf.gz --scenario market --by day --plot energy.png
      $ packwise energy plan.csv --scenario site.toml --shift-to 2024-01-01 --by user
      $ packwise energy --show market > site.toml
    """
    from packwise.model.errors import InputError

    if list_all:
        _list(json)
    elif show is not None:
        _show(show)
    elif schedule is not None:
        _account(schedule, scenario, shift_to, procs, cluster, by, json, plot, movable)
    else:
        raise InputError(
            "expected a schedule, such as `packwise energy plan.csv --scenario market`; --list and --show NAME "
            "work without one."
        )


def _account(
    path: Path,
    scenario: str,
    shift_to: str | None,
    procs: int | None,
    cluster: str | None,
    by: EnergyGrouping | None,
    json: bool,
    plot: Path | None,
    movable: Path | None,
) -> None:
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.terminal import print_json, stdout
    from packwise.metrics.energy.account import account

    chosen = chosen_energy(scenario, shift_to)
    assert chosen is not None
    check_destinations(Output(plot, PICTURES), Output(movable, PICTURES))
    file = _read(path, procs, cluster)
    file = file._replace(cluster=chosen.on(file.workload, file.cluster))
    found = account(file.workload, file.cluster, file.schedule)
    rows = None if by is None else _rows(found, by)
    if plot is not None:
        from packwise.pictures.energy import plot_energy

        plot_energy(found, plot)
    if movable is not None:
        from packwise.pictures.movable import plot_movable

        plot_movable(found, movable)
    if json:
        print_json(_answer(path, file, chosen, found, rows))
        return
    _print(path, file, chosen, found, rows)
    console = stdout()
    for picture in filter(None, (plot, movable)):
        console.print(f"Wrote {picture}", soft_wrap=True, markup=False)


def _read(path: Path, procs: int | None, cluster: str | None) -> ScheduleFile:
    from packwise.cli.options.machine import chosen_cluster
    from packwise.workloads.schedule_files import read_schedule

    nodes = chosen_cluster(cluster, procs)
    file = read_schedule(path, procs=procs if nodes is None else nodes.procs)
    return file if nodes is None else file._replace(cluster=nodes)


def _rows(found: EnergyAccount, by: EnergyGrouping) -> list[dict[str, Any]]:
    from packwise.metrics.energy.breakdown import by_day, by_partition, by_user

    make = {
        EnergyGrouping.DAY: by_day,
        EnergyGrouping.USER: by_user,
        EnergyGrouping.PARTITION: by_partition,
    }[by]
    return make(found)


def _answer(
    path: Path,
    file: ScheduleFile,
    chosen: ChosenEnergy,
    found: EnergyAccount,
    rows: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    from packwise.cli.tables.energy import energy_values

    clock = found.clock
    answer: dict[str, Any] = {
        "schedule": str(path),
        "workload": file.workload.name,
        "procs": file.cluster.procs,
        "jobs": len(found.outcome),
        "scenario": chosen.scenario.name,
        "currency": chosen.scenario.currency,
        "from": clock.words(int(found.edges[0])),
        "until": clock.words(int(found.edges[-1])),
        "notes": [*chosen.words(file.workload), *chosen.notes, *file.report.notes],
        "metrics": energy_values(found),
    }
    return answer if rows is None else {**answer, "breakdown": rows}


def _print(
    path: Path,
    file: ScheduleFile,
    chosen: ChosenEnergy,
    found: EnergyAccount,
    rows: list[dict[str, Any]] | None,
) -> None:
    from packwise.cli.options.machine import machine_words
    from packwise.cli.tables.energy import (
        could_save_words,
        jobs_words,
        print_energy,
        print_energy_rows,
    )
    from packwise.cli.terminal import stdout

    console = stdout()
    title = f"{path}: {jobs_words(len(found.outcome))} on {machine_words(file.cluster)}"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    clock = found.clock
    span = f"{clock.words(int(found.edges[0]))} to {clock.words(int(found.edges[-1]))}"
    for line in (*chosen.words(file.workload), *chosen.notes, span, *file.report.notes):
        console.print(f"  {line}", style="dim", markup=False, soft_wrap=True)
    console.print()
    print_energy(found)
    for line in could_save_words(found):
        console.print(line, markup=False, soft_wrap=True)
    if rows is not None:
        print_energy_rows(rows, chosen.scenario.currency)


def _list(json: bool) -> None:
    from packwise.cli.terminal import print_json, stdout
    from packwise.energy.finding import PRESETS, find_energy

    found = {name: find_energy(name).about for name in PRESETS}
    if json:
        print_json({name: {"about": about} for name, about in found.items()})
        return
    console = stdout()
    for name, about in found.items():
        console.print(name, style="bold")
        console.print(" ".join(about.split()), markup=False)
        console.print()
    console.print(
        "A file of your own begins with one of these: packwise energy --show market > site.toml",
        style="dim",
        markup=False,
    )


def _show(name: str) -> None:
    from packwise.energy.finding import find_scenario, scenario_path
    from packwise.files.content import file_content

    find_scenario(name)
    print(file_content(scenario_path(name)).decode(), end="")
