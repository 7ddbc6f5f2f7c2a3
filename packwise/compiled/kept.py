"""Where compiled code is kept: one file for each function and set of types, named by what it was made of."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from packwise.compiled.makings import digest_of
from packwise.files.own_folders import cache_folder
from packwise.model.errors import InputError

#: Set for whatever numba compiles: then this folder alone counts.
_FOLDER = "NUMBA_CACHE_DIR"
#: As many versions of a function stay; older ones are removed when one is added.
_VERSIONS = 8
_DAY = 86_400


class Kept:
    """The compiled code of a function on disk, for one machine and one version of each library (``maker``)."""

    def __init__(self, function: Callable[..., Any], maker: Callable[[], str]) -> None:
        self._function = function
        self._maker = maker

    @cached_property
    def _name(self) -> str:
        return f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"

    @cached_property
    def _stem(self) -> str:
        made_of = hashlib.sha256((digest_of(self._function) + self._maker()).encode()).hexdigest()
        return f"{self._name}-{made_of[:24]}"

    def _file(self, signature: str) -> str:
        return f"{self._stem}-{hashlib.sha256(signature.encode()).hexdigest()[:8]}.kernel"

    @property
    def is_there(self) -> bool:
        """Whether there is code for some types of arguments."""
        return bool(self._found(f"{self._stem}-*.kernel"))

    def read(self, signature: str) -> Any:
        """What was kept for a signature; None where there is nothing, or nothing that can be read."""
        for path in self._found(self._file(signature)):
            with suppress(Exception):  # a damaged file may raise anything
                kept = pickle.loads(path.read_bytes())
                _touch(path)
                return kept
        return None

    def write(self, signature: str, code: bytes) -> None:
        """Keep code wherever that is possible. Where it is nowhere, each process compiles."""
        for folder in self._folders():
            with suppress(OSError):
                _write(folder / self._file(signature), code)
                _remove_old(folder, f"{self._name}-*.kernel")

    def _found(self, pattern: str) -> list[Path]:
        """The files of the first folder that has some. They are put into the first folder of all, so that
        others who share an installation find what this account had from another.
        """
        first, *others = self._folders()
        if found := list(first.glob(pattern)):
            return found
        found = next(filter(None, (list(folder.glob(pattern)) for folder in others)), [])
        for path in found:
            with suppress(OSError):
                _write(first / path.name, path.read_bytes())
        return found

    def _folders(self) -> Iterator[Path]:
        """Where code is: beside its source, for all who share an installation; and with the account, for its
        other installations and checkouts in which the function is made of the same.
        """
        if os.environ.get(_FOLDER):
            yield Path(os.environ[_FOLDER]) / "packwise"
            return
        yield Path(self._function.__code__.co_filename).parent / "__pycache__"
        with suppress(InputError):  # an account without a home
            yield cache_folder() / "compiled"


def _write(path: Path, code: bytes) -> None:
    """Write a file whole or not at all, whoever else writes the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{uuid.uuid4().hex[:12]}")
    try:
        part.write_bytes(code)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _touch(path: Path) -> None:
    """Code that is used stays young."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            path.touch()


def _remove_old(folder: Path, pattern: str) -> None:
    versions = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
    for path in versions[:-_VERSIONS]:
        path.unlink(missing_ok=True)
