"""The same as ``inside_numba`` with what numba documents: for a numba that has moved what is used there.

Every function is compiled by itself, and code is kept under a digest of all sources: compiling takes several
times as long, and begins anew after each change.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
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
_ARITHMETIC: dict[str, Any] = {"error_model": "numpy"}


def _keep_by_source() -> bool:
    """Let numba keep what it compiles in a folder for these sources alone, as it does not see what else a
    function was made of. Whether there is a place.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    with suppress(
        InputError, OSError
    ):  # an account without a home, or one that may not write there
        place = Path(given) / "packwise" if given else cache_folder() / "compiled"
        folder = place / source_digest(Path(__file__).parents[1])[:24]
        folder.mkdir(parents=True, exist_ok=True)
        _config.CACHE_DIR = str(folder)
        return True
    return False


_KEEP = _keep_by_source()


def entrance(function: Callable[..., Any], keep: bool) -> Any:
    """A compiled function that Python calls."""
    return _njit(cache=keep and _KEEP, **_ARITHMETIC)(function)


def part(function: Callable[..., Any], inline: bool) -> Any:
    """A compiled function that only compiled code calls."""
    return _njit(**_ARITHMETIC)(function)


class c_function:
    """A compiled function with an ``address``, once ``compile`` was called."""

    def __init__(self, function: Callable[..., Any], signature: Any, keep: bool) -> None:
        self._function = function
        self._signature = signature
        self._keep = keep and _KEEP
        self.address = 0

    def compile(self) -> None:
        compiled = _cfunc(self._signature, cache=self._keep, **_ARITHMETIC)(self._function)
        self.address = compiled.address
        self._compiled = compiled  # its code lives as long as this does


def is_on_disk(function: Any) -> bool:
    """Not known: whoever asks has it compiled, or loaded."""
    return False
