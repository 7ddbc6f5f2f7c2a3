"""Say so when a file that is written cannot hold the deadlines of its jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.workload import Workload

_TABLES = (".csv", ".parquet")


def note_lost_deadlines(path: Path, workload: Workload, format: str | None = None) -> None:
    """A warning on stderr; ``format`` is that of the file, if not told by its name."""
    from packwise.cli.terminal import note
    from packwise.workloads.swf_write import lost_deadlines

    table = path.name.lower().endswith(_TABLES) if format is None else format in ("csv", "parquet")
    for line in [] if table else lost_deadlines(workload):
        note(f"warning: {path}: {line}. Write a .csv or .parquet table to keep them.")
