"""The same as ``inside_numba`` with what numba documents: for a numba that has moved what is used there.

Every function is compiled by itself, and code is kept under a digest of all sources: compiling takes almost
twice as long, and begins anew after each change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate

from packwise.compiled.makings import source_digest
from packwise.files.own_folders import cache_folder
from packwise.model.errors import InputError

#: numba's own signatures leave out what it does not document.
_njit: Any = numba.njit
_cfunc: Any = numba.cfunc
_config: Any = numba.config


@cache
def _folder() -> Path | None:
    """Where code made of these sources is kept: numba does not see what else a function was made of. None where
    there is no place.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    try:
        place = Path(given) / "packwise" if given else cache_folder() / "compiled"
        folder = place / source_digest(Path(__file__).parents[1])[:24]
        folder.mkdir(parents=True, exist_ok=True)
    except (InputError, OSError):  # an account without a home, or one that may not write there
        return None
    return folder


@contextmanager
def _kept(keep: bool) -> Iterator[dict[str, Any]]:
    """How numba is asked to compile, and to keep it with ours; users' functions stay where they were."""
    folder = _folder() if keep else None
    before = _config.CACHE_DIR
    if folder is not None:
        _config.CACHE_DIR = str(folder)
    try:
        yield {"error_model": "numpy", "cache": folder is not None}
    finally:
        _config.CACHE_DIR = before


def entrance(function: Callable[..., Any], keep: bool) -> Any:
    """A compiled function that Python calls."""
    with _kept(keep) as options:
        return _njit(**options)(function)


def part(function: Callable[..., Any], inline: bool) -> Any:
    """A compiled function that only compiled code calls."""
    return entrance(function, keep=False)


class c_function:
    """A compiled function with an ``address``, once ``compile`` was called."""

    def __init__(self, function: Callable[..., Any], signature: Any, keep: bool) -> None:
        self._function = function
        self._signature = signature
        self._keep = keep
        self.address = 0

    def compile(self) -> None:
        with _kept(self._keep) as options:
            self._compiled = _cfunc(self._signature, **options)(self._function)
        self.address = self._compiled.address


def is_on_disk(function: Any) -> bool:
    """Whether a compiled function needs no compiling, for some types of arguments at least."""
    written = getattr(function, "python_function", getattr(function, "py_func", function))
    name = f"{written.__module__.rpartition('.')[2]}.{written.__qualname__}"
    folder = _folder()
    return folder is not None and any(folder.glob(f"*/{name}-*.nbi"))
