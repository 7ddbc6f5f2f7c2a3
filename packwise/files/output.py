"""Writing files so that a reader sees the whole file or none, and making folders for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from packwise.model.errors import OutputError


@contextmanager
def atomic_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file that appears under ``path`` only once it is complete and on disk.

    The bytes go to a temporary file beside it, are flushed to the disk, and then take the final
    name in one step. On any failure (a full disk, say) the temporary file is removed, what stood
    under ``path`` before stays as it was, and an OutputError says what went wrong.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "not an ordinary file"
        raise OutputError(f"{target}: cannot be written, it is {what}. Name a file to write to.")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise _refusal(target, error) from error
    with whole_or_nothing(handle, temporary, target) as stream:
        yield stream


@contextmanager
def whole_or_nothing(
    handle: int, temporary: str, target: Path, mode: int | None = None, place: int | None = None
) -> Iterator[IO[bytes]]:
    """A temporary file that was just made, to be written; it gets its name at the end, and is removed on any
    failure. ``mode``: by default as the umask has it; ``place``: a handle of the folder of both, if they are
    to be looked up in that rather than by their paths.
    """
    stream: IO[Any] = os.fdopen(handle, "wb")
    try:
        with stream:
            yield stream
            stream.flush()
            # By its handle: its name may lead to another file meanwhile. Not on Windows, which has no modes.
            if hasattr(os, "fchmod"):
                os.fchmod(stream.fileno(), 0o666 & ~_umask() if mode is None else mode)
            os.fsync(stream.fileno())
        final = target if place is None else target.name
        os.replace(temporary, final, src_dir_fd=place, dst_dir_fd=place)
        _sync(target.parent if place is None else place)
    except OSError as error:
        raise _refusal(target, error) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; an OutputError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{folder}: the folder could not be made ({error.strerror or error}). Choose another one."
        ) from error


def _sync(folder: Path | int) -> None:
    """The new name, too, should outlast a power cut. Some systems cannot promise that."""
    with suppress(OSError):
        handle = os.dup(folder) if isinstance(folder, int) else os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refusal(target: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{target}: could not be written ({error.strerror or error}). Nothing was left behind; "
        "free some space, or choose another folder."
    )
