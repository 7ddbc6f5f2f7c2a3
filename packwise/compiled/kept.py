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

_PACKAGE = Path(__file__).parents[1]
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
        return any(any(folder.glob(f"{self._stem}-*.kernel")) for folder in self._folders())

    def read(self, signature: str) -> Any:
        """What was kept for a signature; None where there is nothing, or nothing that can be read."""
        for folder in self._folders():
            path = folder / self._file(signature)
            with suppress(Exception):  # a damaged file may raise anything
                kept = pickle.loads(path.read_bytes())
                _touch(path)
                return kept
        return None

    def write(self, signature: str, code: bytes) -> None:
        """Keep code in the first folder that can be written to. Where there is none, each process compiles."""
        for folder in self._folders():
            with suppress(OSError):
                _write(folder / self._file(signature), code)
                _remove_old(folder, f"{self._name}-*.kernel")
                return

    def _folders(self) -> Iterator[Path]:
        """Where code may be: beside its source, for all who share an installation, or with the account."""
        if os.environ.get(_FOLDER):
            yield Path(os.environ[_FOLDER]) / "packwise"
            return
        source = Path(self._function.__code__.co_filename)
        if source.is_relative_to(_PACKAGE):
            yield source.parent / "__pycache__"
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
