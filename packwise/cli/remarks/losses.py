"""Say so when a file that is written cannot hold all that is known of its jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.workload import Workload


def note_losses(path: Path, workload: Workload, format: str | None = None) -> None:
    """A warning on stderr; ``format`` is that of the file, if not told by its name."""
    from packwise.cli.terminal import note
    from packwise.workloads.losses import losses
    from packwise.workloads.schedule_files import format_of

    written = format or format_of(path)
    hint = "" if written in ("csv", "parquet") else " Write a .csv or .parquet table to keep them."
    for line in losses(workload, written):
        note(f"warning: {path}: {line}.{hint}")
