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

    from packwise.adapters.slurm.journal import KINDS, read_journal
    from packwise.cli.slurm.going import folder_of
    from packwise.cli.terminal import print_json, printable
    from packwise.model.errors import UnknownName

    wanted = set(filter(None, (kind or "").split(",")))
    for one in sorted(wanted - set(KINDS)):
        raise UnknownName("kind of entry", one, KINDS)
    folder = folder_of(state, cluster)
    entries = deque(
        (
            entry
            for entry in read_journal(folder)
            if (not wanted or entry.get("kind") in wanted) and (job is None or _names(entry, job))
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


def _names(entry: dict[str, object], job: str) -> bool:
    """Whether an entry names a job: in its lists, or as a word of its text."""
    import re

    listed = [*_list(entry.get("start")), *_list(entry.get("order"))]
    found = re.search(rf"(?<![\w]){re.escape(job)}(?![\w])", str(entry.get("text", "")))
    return job in listed or found is not None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
