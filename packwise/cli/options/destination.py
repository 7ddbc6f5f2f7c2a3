"""Can results be written there? Asked before the work, not after it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from packwise.model.errors import InputError, OutputError

SCHEDULES = (".swf", ".swf.gz", ".csv", ".parquet")
WORKLOADS = (*SCHEDULES, ".json")
PICTURES = (".png", ".svg", ".pdf")


class Output(NamedTuple):
    """A file that a command is to write, if it has a path; ``suffixes`` are what its name may end in."""

    path: Path | None
    suffixes: tuple[str, ...] = ()
    folder: bool = False


def check_destinations(*outputs: Output, sources: Iterable[Path] = ()) -> None:
    """Refuse what cannot be written, what is read by the same command, and one file for two results.

    A source may be a folder, in which nothing is to be written.
    """
    read = list(sources)
    taken: list[Path] = []
    for path, suffixes, folder in outputs:
        if path is None:
            continue
        if folder:
            _check_folder(path)
        else:
            _check_file(path, suffixes)
        for source in read:
            if _same(path, source) or (source.is_dir() and _inside(path, source)):
                what = "in the folder" if source.is_dir() else "the file"
                raise OutputError(
                    f"{path}: is {what} that is read ({source}). Choose another name for the result."
                )
        for other in taken:
            if _same(path, other):
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


def _same(one: Path, other: Path) -> bool:
    """Whether two paths mean one file, however they are spelled and linked; it need not be there yet."""
    try:
        return one.samefile(other)
    except OSError:
        return _resolved(one) == _resolved(other)


def _inside(path: Path, folder: Path) -> bool:
    return _resolved(path).is_relative_to(_resolved(folder))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        return path.absolute()
