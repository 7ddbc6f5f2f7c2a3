"""packwise check: could a machine have run this schedule?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json, Procs, ScheduleName
from packwise.cli.terminal.failures import INFEASIBLE

if TYPE_CHECKING:
    from packwise.feasibility import Feasibility
    from packwise.workloads.schedule_files import ScheduleFile


def check(
    schedule: ScheduleName,
    procs: Procs = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Problems to show; all are counted.")
    ] = 20,
    json: Json = False,
) -> None:
    """Check a schedule: could the machine have run it? If not: which job, when, by how much not.

    Exit status 0: feasible; 1: not; 2: the file could not be used.

    Examples:
      $ packwise check plan.csv --procs 100
      $ packwise check batsim/out_jobs.csv --procs 256 --limit 5
      $ packwise check log.swf.gz --json
    """
    from packwise.cli.terminal.compile_notice import announce_compilation
    from packwise.feasibility import check_schedule
    from packwise.workloads.schedule_files import read_schedule

    announce_compilation()
    file = read_schedule(schedule, procs=procs)
    refused = file.workload.id[~file.schedule.ran]
    verdict = check_schedule(
        file.workload, file.cluster, file.schedule, limit=limit, rejected=refused
    )
    if json:
        _print_json(str(schedule), file, verdict, len(refused))
    else:
        _print(str(schedule), file, verdict, len(refused))
    if not verdict.ok:
        raise typer.Exit(INFEASIBLE)


def _print_json(path: str, file: ScheduleFile, verdict: Feasibility, refused: int) -> None:
    from packwise.cli.terminal import print_json

    answer: dict[str, Any] = {
        "schedule": path,
        "format": file.report.format,
        "procs": file.cluster.procs,
        "jobs": len(file.workload),
        "rejected": refused,
        "feasible": verdict.ok,
        "problems": verdict.total,
        "over_allocated_seconds": verdict.over_allocated_seconds,
        "peak_usage": verdict.peak_usage,
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


def _print(path: str, file: ScheduleFile, verdict: Feasibility, refused: int) -> None:
    from rich.markup import escape

    from packwise.cli.terminal import stdout

    console = stdout()
    word = "[bold green]feasible[/]" if verdict.ok else "[bold red]not feasible[/]"
    console.print(
        f"{escape(path)}: {word}; {len(file.workload):,} jobs on {file.cluster.procs:,} "
        f"processors, at most {verdict.peak_usage:,} in use at once",
        soft_wrap=True,
    )
    if refused:
        console.print(f"  jobs that never ran, taken as rejected: {refused:,}", style="dim")
    for line in file.report.notes:
        console.print(f"  {line}", style="dim", markup=False)
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
