"""packwise workload fetch: logs of the Parallel Workloads Archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Json

if TYPE_CHECKING:
    from packwise.workloads.archive import Progress


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="A log of the archive, such as kth-sp2.", show_default=False
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the logs.")] = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="DIR", help="Keep it in this folder instead.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Download a log of the Parallel Workloads Archive, once; its name then works as a TRACE.

    Prints the path. Please acknowledge the people named in the log's header.

    Examples:
      $ packwise workload fetch --list
      $ packwise workload fetch kth-sp2
      $ packwise replay kth-sp2 --policy easy
    """
    from packwise.model.errors import InputError

    if list_all:
        _list(json)
        return
    if name is None:
        raise InputError("expected the name of a log; `packwise workload fetch --list` shows them.")
    from packwise.cli.terminal import print_json
    from packwise.workloads import archive

    log = archive.find(name)
    with _download_bar(log.file_name) as progress:
        path = archive.fetch(name, cache=cache, progress=progress)
    if json:
        print_json({"name": name, "path": str(path), "system": log.system, "procs": log.procs})
    else:
        print(path)


@contextmanager
def _download_bar(label: str) -> Iterator[Progress | None]:
    """A bar on stderr; nothing where there is no terminal."""
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_interactive:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda received, total: bar.update(task, completed=received, total=total)


def _list(json: bool) -> None:
    from packwise.cli.terminal import print_json, stdout, table
    from packwise.workloads.catalogue import CATALOGUE

    if json:
        print_json({name: log._asdict() for name, log in CATALOGUE.items()})
        return
    rows = table("name", "system", "processors", "jobs", "period", right=("processors", "jobs"))
    for name, log in CATALOGUE.items():
        jobs = "" if log.jobs is None else f"{log.jobs:,}"
        rows.add_row(name, log.system, f"{log.procs:,}", jobs, log.period)
    console = stdout()
    console.print(rows)
    console.print("\nDownload one with: packwise workload fetch NAME", style="dim")
