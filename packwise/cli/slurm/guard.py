"""packwise slurm guard: the submit plugin that keeps the reservation of drive for Packwise."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from packwise.cli.slurm.options import ReservationName


def guard(
    reservation: ReservationName = "packwise",
    uid: Annotated[
        int | None,
        typer.Option(
            "--uid",
            min=0,
            help="The user id of the account that Packwise runs as. Yours if not told.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print a job_submit.lua that keeps users from naming the reservation of drive.

    Examples:
      $ packwise slurm guard --uid $(id -u packwise) > job_submit.lua
    """
    from packwise.adapters.slurm.guard import guard_text

    print(guard_text(reservation, os.getuid() if uid is None else uid), end="")
