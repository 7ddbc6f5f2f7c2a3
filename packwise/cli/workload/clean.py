"""packwise workload clean: a log without the jobs that cannot be replayed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Force, Procs, TraceName
from packwise.cli.options.window import MissingLimit

if TYPE_CHECKING:
    from packwise.workloads.cleaning import CleaningReport
    from packwise.workloads.records.report import RecordsReport


def clean(
    trace: TraceName,
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT", help="The cleaned log: .swf or .swf.gz.", show_default=False
        ),
    ],
    procs: Procs = None,
    missing_limit: Annotated[
        MissingLimit,
        typer.Option(
            "--missing-limit", help="Jobs without requested time: drop, or use the run time."
        ),
    ] = MissingLimit.DROP,
    force: Force = False,
) -> None:
    """Clean a log by explicit rules, and count what each rule did.

    Jobs without run time, processors, requested time or submit time, and jobs wider than the
    machine are dropped; run times above the requested time are cut to it.

    Examples:
      $ packwise workload clean log.swf.gz clean.swf.gz
      $ packwise workload clean log.swf clean.swf --procs 128 --missing-limit runtime
    """
    from packwise import __version__
    from packwise.cli.options.destination import Output, check_destinations, refuse_existing
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.terminal import stdout
    from packwise.workloads.swf import write_swf
    from packwise.workloads.window import Window

    window = Window(missing_limit=missing_limit.value, impossible="count")
    check_destinations(Output(output, (".swf", ".swf.gz")))
    refuse_existing(output, force)
    loaded = load_trace(trace, procs, window)
    note = [f"cleaned by Packwise {__version__}", *loaded.remarks()]
    machine = loaded.cluster
    write_swf(output, loaded.workload, procs=machine.procs, sizing=machine.sizing, note=note)
    note_losses(output, loaded.workload)
    if loaded.cleaning is not None:
        print_cleaning(loaded.cleaning)
    stdout().print(f"Wrote {output}", markup=False, soft_wrap=True)


def print_cleaning(report: CleaningReport | RecordsReport) -> None:
    """Every rule and how many jobs it met."""
    from packwise.cli.terminal import stdout, table

    rows = table("cleaning", "jobs", right=("jobs",))
    for label, count in report.rows():
        style = None if count else "dim"
        rows.add_row(label, f"{count:,}", style=style)
    stdout().print(rows)
