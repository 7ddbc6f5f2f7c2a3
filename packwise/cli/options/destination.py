"""Can results be written there? Asked before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from packwise.files.inputs import note_result, same_file
from packwise.model.errors import InputError, OutputError

SCHEDULES = (".swf", ".swf.gz", ".csv", ".parquet")
WORKLOADS = (*SCHEDULES, ".json")
PICTURES = (".png", ".svg", ".pdf")


class Output(NamedTuple):
    """A file that a command is to write, if it has a path; ``suffixes`` are what its name may end in."""

    path: Path | None
    suffixes: tuple[str, ...] = ()
    folder: bool = False


def check_destinations(*outputs: Output) -> None:
    """Refuse what cannot be written, what this command reads, and one file for two results.

    What it has read so far is refused here, and what it reads from now on as soon as it is opened.
    """
    taken: list[Path] = []
    for path, suffixes, folder in outputs:
        if path is None:
            continue
        if folder:
            _check_folder(path)
        else:
            _check_file(path, suffixes)
        note_result(path)
        for other in taken:
            if same_file(path, other):
                raise OutputError(
                    f"{path}: is named for two results ({other} and {path}). Give each a file of its own."
                )
        taken.append(path)


def refuse_existing(path: Path, force: bool) -> None:
    """Refuse to replace a file unless told to."""
    if path.exists() and not force:
        raise OutputError(
            f"{path}: exists already. Choose another name, or replace it with --force."
        )


def _check_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path}: expected a folder, found a file. Choose another name.")


def _check_file(path: Path, suffixes: tuple[str, ...]) -> None:
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
