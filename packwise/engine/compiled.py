"""The decorators of the engine's compiled functions, and a cache that notices every change.

numba keeps compiled code on disk and drops it when the file of the function changes. It does not look at
the files of the functions that were compiled into it, so after an edit of ``profile.py`` the loops would go
on running the old profile, or crash on a tuple that has changed its shape. Here the stamp of every cached
function covers all sources of the engine, and those beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

_ENGINE = Path(__file__).parent


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls: kept on disk between processes."""
    dispatcher = njit(cache=True)(function)
    _stamp_with_all_sources(dispatcher, function)
    return dispatcher


class CallableFromC:
    """A compiled function with a C address. Compiled when first needed; ours are kept on disk."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self._function = function
        self._signature = signature

    @cached_property
    def _made(self) -> Any:
        made = CFunc(
            self._function,
            normalize_signature(self._signature),
            locals={},
            options={"error_model": "numpy"},  # a division by zero is a number that is refused
        )
        # numba's cache goes by file and name: a user's file may be loaded under several names, carried
        # from another machine, or have changed by one constant.
        if Path(self._function.__code__.co_filename).is_relative_to(_ENGINE.parent):
            made.enable_caching()
            _stamp_with_all_sources(made, self._function)
        made.compile()
        return made

    @property
    def address(self) -> int:
        address: int = self._made.address
        return address


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only, made part of whoever calls it."""
    return njit(forceinline=True)(function)


def _stamp_with_all_sources(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Make the cache of a function depend on the whole engine and on the files beside its own.

    numba has no public way to say so.
    """
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None and hasattr(index, "_source_stamp"):
        beside = Path(function.__code__.co_filename).parent
        index._source_stamp = (index._source_stamp, source_digest(_ENGINE), source_digest(beside))


@cache
def source_digest(folder: Path) -> str:
    """A digest of all source files in a folder."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
