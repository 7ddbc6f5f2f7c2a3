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
            help="The result: .swf, .swf.gz, .csv or .parquet.",
            show_default=False,
        ),
    ],
    window: Window,
    procs: Procs = None,
    force: Force = False,
) -> None:
    """Convert a workload to another format, cut a part out of it, or change it.

    A recorded schedule is kept, unless submit times or demands change. CSV and Parquet keep all
    that Packwise reads of a log; what a format has no place for is said.

    Examples:
      $ packwise workload convert log.swf.gz log.parquet
      $ packwise workload convert log.swf week2.swf --from 7d --until 14d
      $ packwise workload convert log.swf busy.swf --scale-load 1.2 --drop-queue 0 --shake 1
      $ packwise workload convert log.swf due.csv --deadlines 'morning(share=30%)'
    """
    from packwise import __version__
    from packwise.cli.options.destination import (
        SCHEDULES,
        Output,
        check_destinations,
        refuse_existing,
    )
    from packwise.cli.options.trace import inputs, load_trace
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.terminal import stdout
    from packwise.workloads.schedule_files import write_schedule

    check_destinations(Output(output, SCHEDULES), sources=inputs(trace, window))
    refuse_existing(output, force)
    loaded = load_trace(trace, procs, window)
    schedule = loaded.recorded_schedule(window)
    note = [f"converted by Packwise {__version__} from {loaded.path.name}", *window.words()]
    write_schedule(output, loaded.workload, loaded.cluster, schedule, note=note)
    note_losses(output, loaded.workload)
    console = stdout()
    for line in [*loaded.remarks(), *window.words()]:
        console.print(f"  {line}", style="dim", markup=False)
    kept = int(schedule.ran.sum())
    words = f"the recorded start of {kept:,}" if kept else "no recorded schedule"
    console.print(
        f"{len(loaded.workload):,} jobs on {loaded.cluster.procs:,} processors, {words}\n"
        f"Wrote {output}",
        markup=False,
        soft_wrap=True,
    )
