"""What a command has read, so that none of its results takes the place of an input.

Whoever opens an input says so here (``note_input``), and whoever writes a result asks here
(``refuse_input``). Both are at the bottom: where files are opened, and where results get their names. So
no command has to know what it reads, nor what is read on the way by a file that includes others.

It is kept while a command runs. In a notebook or a script nothing is: who reads a file there and then
writes it under the same name has said so in two lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.errors import OutputError

AnyPath = str | os.PathLike[str]


class _Command:
    """Paths by their names at the time: what they mean is looked up when it is asked for."""

    def __init__(self) -> None:
        self.read: dict[Path, None] = {}
        self.results: dict[Path, None] = {}
        self.updated: set[Path] = set()


_running: _Command | None = None


@contextmanager
def inputs_kept() -> Iterator[None]:
    """Inside, what is read cannot be written. A command that runs within another shares its inputs."""
    global _running
    before, _running = _running, _running or _Command()
    try:
        yield
    finally:
        _running = before


def note_input(path: AnyPath) -> None:
    """A file is about to be read, or a folder with all that is in it.

    An OutputError where that is to be a result of this command: nobody has to wait for one that cannot be
    written.
    """
    if _running is None:
        return
    source = Path(path).absolute()
    if source in _running.read or source in _running.updated:
        return
    _running.read[source] = None
    for result in _running.results:
        if _holds(source, result):
            raise _refusal(result, source)


def note_result(path: Path) -> None:
    """A file, or a folder for files, is to be written later on; refused if it has been read."""
    refuse_input(path)
    if _running is not None:
        _running.results[path] = None


def allow_update(path: Path) -> None:
    """What is read by that name from now on may be replaced: a result that a command goes on with."""
    if _running is not None:
        _running.updated.add(path.absolute())


def refuse_input(path: Path) -> None:
    """An OutputError if this command has read that file, by whatever name or link."""
    if _running is None:
        return
    read = next((source for source in (*_running.read,) if _holds(source, path)), None)
    if (found := read or _module(path)) is not None:
        raise _refusal(path, found)


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths mean one file, however they are spelled and linked; it need not be there yet."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return _resolved(one) == _resolved(other)


def _holds(source: Path, path: Path) -> bool:
    """Whether a path is that of an input, or in a folder that is one."""
    if same_file(path, source):
        return True
    return source.is_dir() and _resolved(path).is_relative_to(_resolved(source))


def _module(path: Path) -> Path | None:
    """The module in that file, if it is loaded: what a user's policy imports is read by Python itself."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    if found.st_nlink == 1 and _resolved(path).suffix != ".py":
        return None  # nobody's other name
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        with suppress(OSError, ValueError):
            if isinstance(file, str) and os.path.samestat(os.stat(file), found):
                return Path(file)
    return None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # links that lead in a circle, or no path at all
        return path.absolute()


def _refusal(path: Path, source: Path) -> OutputError:
    from packwise.model.errors import OutputError  # not before: a command's help needs no NumPy

    what = "in the folder" if source.is_dir() else "the file"
    return OutputError(
        f"{path}: is {what} that is read ({source}). Choose another name for the result."
    )
