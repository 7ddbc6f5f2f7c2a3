"""packwise slurm journal: what was seen, decided, sent and answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.slurm.options import ClusterOfJournal, StateFolder


def journal(
    last: Annotated[
        int,
        typer.Option("--last", "-n", metavar="N", min=1, help="So many entries, the last ones."),
    ] = 50,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KINDS",
            help="Only these, separated by commas: begin, see, decide, send, answer, note, trouble, end.",
            show_default=False,
        ),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="ID", help="Only what names this job.", show_default=False),
    ] = None,
    state: StateFolder = None,
    cluster: ClusterOfJournal = None,
    json: Json = False,
) -> None:
    """Show what was seen, decided, sent and answered.

    Examples:
      $ packwise slurm journal
      $ packwise slurm journal --kind send,trouble -n 200
      $ packwise slurm journal --job 1234
    """
    from collections import deque

    from packwise.adapters.slurm.journal import KINDS, of_job, read_journal
    from packwise.cli.slurm.folders import written_folder
    from packwise.cli.terminal import print_json, printable
    from packwise.model.errors import UnknownName

    wanted = set(filter(None, (kind or "").split(",")))
    for one in sorted(wanted - set(KINDS)):
        raise UnknownName("kind of entry", one, KINDS)
    folder = written_folder(state, cluster)
    found = read_journal(folder)
    entries = deque(
        (
            entry
            for entry in (found if job is None else of_job(found, job))
            if not wanted or entry.get("kind") in wanted
        ),
        maxlen=last,
    )
    if json:
        print_json(list(entries))
        return
    for entry in entries:
        at = datetime.fromtimestamp(float(entry["time"]))
        text = printable(str(entry.get("text", "")), lines=True).replace("\n", "\n" + " " * 29)
        print(f"{at:%Y-%m-%d %H:%M:%S}  {entry.get('kind', ''):7} {text}")
    if not entries:
        print("no such entries")
