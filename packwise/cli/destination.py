"""Can a result be written there? Asked before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path

from packwise.model.errors import InputError, OutputError

SCHEDULES = (".swf", ".swf.gz", ".csv", ".parquet")
PICTURES = (".png", ".svg", ".pdf")


def check_destination(
    path: Path | None, suffixes: tuple[str, ...] = (), *, source: Path | None = None
) -> None:
    """Refuse a suffix that means no format, a missing folder, and the file that is being read."""
    if path is None:
        return
    if suffixes and not path.name.lower().endswith(suffixes):
        raise InputError(
            f"{path}: expected a name that ends in {', '.join(suffixes)}, found '{path.name}'."
        )
    if path.is_dir():
        raise OutputError(f"{path}: is a folder. Name a file in it.")
    if path.exists() and not path.is_file():
        raise OutputError(
            f"{path}: is not a regular file and cannot be replaced. Name another one."
        )
    if not path.parent.is_dir():
        raise OutputError(
            f"{path}: the folder {path.parent} does not exist. Make it first (mkdir -p), or choose "
            "another one."
        )
    if not os.access(path.parent, os.W_OK):
        raise OutputError(
            f"{path}: no permission to write to {path.parent}. Choose another folder."
        )
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise OutputError(f"{path}: is the file that is read. Choose another name for the result.")


def refuse_existing(path: Path, force: bool) -> None:
    """Refuse to replace a file unless told to."""
    if path.exists() and not force:
        raise OutputError(
            f"{path}: exists already. Choose another name, or replace it with --force."
        )
