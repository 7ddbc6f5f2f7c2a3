"""packwise workload: look at workloads, clean, make, change and download them."""

from __future__ import annotations

import typer

from packwise.cli.terminal.failures import Commands
from packwise.cli.workload.clean import clean
from packwise.cli.workload.convert import convert
from packwise.cli.workload.fetch import fetch
from packwise.cli.workload.generate import generate
from packwise.cli.workload.info import info

workload = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="""Look at workloads; clean, generate, convert and download them.

    Examples:
      $ packwise workload info log.swf.gz
      $ packwise workload fetch kth-sp2
      $ packwise workload generate synthetic.swf.gz --jobs 10000 --procs 256 --seed 1
    """,
)
workload.command()(info)
workload.command()(clean)
workload.command()(generate)
workload.command()(convert)
workload.command()(fetch)
