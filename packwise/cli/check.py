"""packwise check: could a machine have run this schedule?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import ClusterName, Json, Procs, ScheduleName, UnitCores
from packwise.cli.options.window import ColumnMap, SacctColumns, TimeZone
from packwise.cli.terminal.failures import INFEASIBLE

if TYPE_CHECKING:
    from packwise.feasibility import Feasibility
    from packwise.workloads.schedule_files import ScheduleFile


def check(
    schedule: ScheduleName,
    procs: Procs = None,
    cluster: ClusterName = None,
    unit_cores: UnitCores = "1",
    tolerance: Annotated[
        str | None,
        typer.Option(
            "--tolerance",
            metavar="TIME",
            help="What a job may run past its limit or overlap with the next, such as 60s; by default 30s for "
            "what a site's accounting recorded, otherwise nothing.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Problems to show; all are counted.")
    ] = 20,
    time_zone: TimeZone = None,
    columns: SacctColumns = None,
    mapping: ColumnMap = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="cluster=NAME",
            help="Of records of several clusters, this one.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a schedule: could the machine have run it? If not: which job, when, by how much not.

    Exit status 0: feasible; 1: not; 2: the file could not be used.

    Examples:
      $ packwise check plan.csv --procs 100
      $ packwise check batsim/out_jobs.csv --procs 256 --limit 5
      $ packwise check log.swf.gz --json
      $ packwise check sacct.txt --procs 4096 --tolerance 60s
      $ packwise check plan.csv --cluster eurora
    """
    from packwise.cli.options.machine import chosen_cluster
    from packwise.cli.remarks.recorded import TOLERANCE
    from packwise.feasibility import check_schedule
    from packwise.readable import parse_duration
    from packwise.workloads.schedule_files import read_schedule
    from packwise.workloads.units import with_units

    slack = None if tolerance is None else parse_duration(tolerance, "--tolerance")
    nodes = chosen_cluster(cluster, procs)
    reading = {
        "time_zone": time_zone or "",
        "columns": columns or "",
        "mapping": tuple(mapping or ()),
    }
    file = read_schedule(
        schedule,
        procs=procs if nodes is None else nodes.procs,
        reading={**reading, "only": () if only is None else (only,)},
    )
    if nodes is None:
        _refuse_guess(file)
    else:
        file = file._replace(cluster=nodes, workload=with_units(file.workload, nodes, unit_cores))
    if slack is None:
        slack = TOLERANCE if file.report.format == "records" else 0
    refused = file.workload.id[~file.schedule.ran]
    verdict = check_schedule(
        file.workload,
        file.cluster,
        file.schedule,
        limit=limit,
        rejected=refused,
        tolerance=slack,
    )
    if json:
        _print_json(str(schedule), file, verdict, len(refused), slack)
    else:
        _print(str(schedule), file, verdict, len(refused), slack)
    if not verdict.ok:
        raise typer.Exit(INFEASIBLE)


def _refuse_guess(file: ScheduleFile) -> None:
    """A machine that is guessed from a schedule has room for it. Of a site's records there is more to check,
    and that the size is a guess is said.
    """
    from packwise.model.errors import InputError

    if file.cluster.sizing.guess and file.report.format != "records":
        raise InputError(
            "the schedule does not tell how large its machine is, and a guess from it would always have room. "
            "Tell it: --procs 128, or --cluster."
        )


def _print_json(
    path: str, file: ScheduleFile, verdict: Feasibility, refused: int, tolerance: int
) -> None:
    from packwise.cli.remarks.machine import machine_facts
    from packwise.cli.terminal import print_json

    answer: dict[str, Any] = {
        "schedule": path,
        "format": file.report.format,
        "procs": file.cluster.procs,
        **machine_facts(file.cluster),
        "jobs": len(file.workload),
        "rejected": refused,
        "tolerance": tolerance,
        "feasible": verdict.ok,
        "problems": verdict.total,
        "over_allocated_seconds": verdict.over_allocated_seconds,
        "peak_usage": verdict.peak_usage,
        "nodes_known": verdict.nodes_known,
        "notes": list(file.report.notes),
        "violations": [
            {
                "kind": str(one.kind),
                "job": one.job_id,
                "time": one.time,
                "amount": one.amount,
                "message": one.message,
            }
            for one in verdict.violations
        ],
    }
    print_json(answer)


def _print(
    path: str, file: ScheduleFile, verdict: Feasibility, refused: int, tolerance: int
) -> None:
    from rich.markup import escape

    from packwise.cli.options.machine import machine_words
    from packwise.cli.terminal import stdout

    console = stdout()
    word = "[bold green]feasible[/]" if verdict.ok else "[bold red]not feasible[/]"
    console.print(
        f"{escape(path)}: {word}; {len(file.workload):,} jobs on {machine_words(file.cluster)}, at most "
        f"{verdict.peak_usage:,} in use at once",
        soft_wrap=True,
    )
    if refused:
        console.print(f"  jobs that never ran, taken as rejected: {refused:,}", style="dim")
    if tolerance:
        console.print(
            f"  jobs may run past their limits, and more be in use, for {tolerance} s (--tolerance)",
            style="dim",
        )
    for line in file.report.notes:
        console.print(f"  {line}", style="dim", markup=False)
    if not verdict.nodes_known:
        console.print(
            "  the schedule does not tell its nodes: only what all of them have together was checked",
            style="dim",
        )
    if verdict.ok:
        return
    console.print()
    for one in verdict.violations:
        console.print(f"[red]{one.kind}[/]: {escape(one.message)}", soft_wrap=True)
    hidden = verdict.total - len(verdict.violations)
    more = f"{hidden:,} more" if hidden else ""
    over = verdict.over_allocated_seconds
    seconds = f"more processors used than there are during {over:,} s in all" if over else ""
    rest = "; ".join(part for part in (more, seconds) if part)
    console.print(f"{verdict.total:,} problem(s){f' ({rest})' if rest else ''}", soft_wrap=True)
