"""packwise workload convert: other formats, parts of a workload, changes to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Force, Procs, TraceName
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.workloads.window import Window


@with_window
def convert(
    trace: TraceName,
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="The result: .swf, .swf.gz, .csv, .parquet, or .json (a workload for Batsim).",
            show_default=False,
        ),
    ],
    window: Window,
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise",
            help="Without names of users, accounts, jobs and nodes, numbered anew: to be shared.",
        ),
    ] = False,
    procs: Procs = None,
    force: Force = False,
) -> None:
    """Convert a workload to another format, cut a part out of it, or change it.

    It may be a log in SWF, what a site's own accounting wrote (sacct, jobcomp/filetxt, PBS, ...),
    or a table. A recorded schedule is kept, unless submit times or demands change. CSV and Parquet
    keep all that Packwise reads of a log, names too; what a format has no place for is said.

    Examples:
      $ packwise workload convert log.swf.gz log.parquet
      $ packwise workload convert sacct.txt site.parquet --time-zone Europe/Berlin
      $ packwise workload convert sacct.txt share.swf.gz --anonymise
      $ packwise workload convert jobs.csv log.swf --map "job=id,queued=submit,begin=start,end=end,cores=cpus"
      $ packwise workload convert log.swf week2.swf --from 7d --until 14d
      $ packwise workload convert log.swf busy.swf --scale-load 1.2 --drop-queue 0 --shake 1
      $ packwise workload convert log.swf due.csv --deadlines 'morning(share=30%)'
    """
    from packwise import __version__
    from packwise.cli.options.destination import (
        WORKLOADS,
        Output,
        check_destinations,
        refuse_existing,
    )
    from packwise.cli.options.machine import machine_words
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.terminal import stdout
    from packwise.workloads.anonymise import anonymise as without_names
    from packwise.workloads.schedule_files import write_schedule

    check_destinations(Output(output, WORKLOADS))
    refuse_existing(output, force)
    loaded = load_trace(trace, procs, window)
    schedule = loaded.recorded_schedule(window)
    note = [f"converted by Packwise {__version__} from {loaded.path.name}", *window.words()]
    if anonymise:
        loaded = loaded._replace(workload=without_names(loaded.workload))
        note = [f"converted by Packwise {__version__}, without names"]
    write_schedule(output, loaded.workload, loaded.cluster, schedule, note=note)
    note_losses(output, loaded.workload)
    console = stdout()
    for line in [*loaded.remarks(), *window.words()]:
        console.print(f"  {line}", style="dim", markup=False)
    kept = int(schedule.ran.sum())
    words = f"the recorded start of {kept:,}" if kept else "no recorded schedule"
    console.print(
        f"{len(loaded.workload):,} jobs on {machine_words(loaded.cluster)}, {words}\n"
        f"Wrote {output}",
        markup=False,
        soft_wrap=True,
    )
