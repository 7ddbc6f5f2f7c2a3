"""packwise study: grids of experiments from one file."""

from __future__ import annotations

import typer

from packwise.cli.study.compare import compare
from packwise.cli.study.init import init
from packwise.cli.study.listing import list_scenarios
from packwise.cli.study.run import run
from packwise.cli.study.sql import sql
from packwise.cli.study.table import table
from packwise.cli.terminal.failures import Commands

study = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="""Run grids of experiments from one file; table, query and compare the results.

    Examples:
      $ packwise study init study.toml
      $ packwise study run study.toml
      $ packwise study table study.toml --metric AWF
      $ packwise report study.toml --output report.html
    """,
)
study.command()(init)
study.command()(run)
study.command(name="list")(list_scenarios)
study.command()(table)
study.command()(compare)
study.command()(sql)
