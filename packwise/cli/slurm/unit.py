"""packwise slurm unit: the systemd unit of a mode."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer


def unit(
    mode: Annotated[
        str, typer.Argument(metavar="MODE", help="advise or steer.", show_default=False)
    ],
    options: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTIONS]", help="Of that command, after --.", show_default=False),
    ] = None,
    user: Annotated[str, typer.Option("--user", help="The account that it runs as.")] = "packwise",
) -> None:
    """Print a systemd unit that runs a mode, and gives everything back when it ends.

    Examples:
      $ packwise slurm unit advise > packwise-advise.service
      $ packwise slurm unit steer -- --band 500 > packwise-steer.service
    """
    from packwise.adapters.slurm.unit import unit_text
    from packwise.cli.slurm.leftovers import refuse_drive

    refuse_drive(mode)
    found = shutil.which("packwise") or str(Path(sys.executable).parent / "packwise")
    program = os.path.abspath(found)
    print(
        unit_text(mode, user, program, tuple(options or ()), os.environ.get("SLURM_CONF", "")),
        end="",
    )
