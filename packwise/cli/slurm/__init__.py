"""packwise slurm: a live Slurm cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.slurm.advise import advise
from packwise.cli.slurm.journal import journal
from packwise.cli.slurm.leftovers import drive
from packwise.cli.slurm.reset import reset
from packwise.cli.slurm.serve import serve
from packwise.cli.slurm.shadow import shadow
from packwise.cli.slurm.steer import steer
from packwise.cli.slurm.unit import unit
from packwise.cli.slurm.when import when
from packwise.cli.terminal.failures import Commands

slurm = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="""Explain, advise or steer a live Slurm cluster; and give it back.

    Advise reads. Steer writes site factors. Neither holds a job: whatever becomes of
    Packwise, Slurm goes on by itself.

    Examples:
      $ packwise slurm when 1234
      $ packwise slurm advise
      $ packwise slurm steer --policy packwise --band 1000 --dry-run
      $ packwise slurm serve
      $ packwise slurm reset
    """,
)


@slurm.callback()
def site(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="A packwise.toml with the site's options. By default $PACKWISE_CONFIG, ./packwise.toml or "
            "/etc/packwise/packwise.toml, if there is one.",
            show_default=False,
        ),
    ] = None,
) -> None:
    from packwise.cli.slurm.site_file import defaults, options_of, site_file

    path = site_file(config)
    if path is None:
        return
    options = {one.__name__: options_of(one) for one in _OF_SITES}
    context.default_map = defaults(path, options, of_drive=context.invoked_subcommand == "reset")


_OF_SITES = (when, advise, steer, reset, serve, journal, shadow)
for _command in (*_OF_SITES, unit):
    slurm.command()(_command)
slurm.command(
    hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)(drive)
