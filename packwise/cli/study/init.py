"""packwise study init: an example to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options.arguments import Force


def init(
    output: Annotated[
        Path, typer.Argument(metavar="[OUTPUT]", help="The study file to write: .toml.")
    ] = Path("study.toml"),
    force: Force = False,
) -> None:
    """Write a commented example of a study, which runs as it is.

    Examples:
      $ packwise study init
      $ packwise study run study.toml --dry-run
    """
    from packwise.cli.options.destination import Output, check_destinations, refuse_existing
    from packwise.cli.terminal import stdout
    from packwise.experiments.study_file import example_study
    from packwise.files.output import atomic_output

    check_destinations(Output(output, (".toml",)))
    refuse_existing(output, force)
    with atomic_output(output) as file:
        file.write(example_study().encode())
    stdout().print(
        f"Wrote {output}\nEdit it, then: packwise study run {output}", markup=False, soft_wrap=True
    )
