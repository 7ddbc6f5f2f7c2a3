"""The decorators of the engine's compiled functions, and a cache that notices every change.

numba keeps compiled code on disk and drops it when the file of the function changes. It does not look at
the files of the functions that were compiled into it, so after an edit of ``profile.py`` the loops would go
on running the old profile, or crash on a tuple that has changed its shape. Here the stamp of every cached
function covers all sources of the engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls: kept on disk between processes."""
    dispatcher = njit(cache=True)(function)
    _stamp_with_all_sources(dispatcher)
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only, made part of whoever calls it."""
    return njit(forceinline=True)(function)


def _stamp_with_all_sources(dispatcher: Any) -> None:
    """Make the cache of a function depend on the whole engine. numba has no public way to say so."""
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None and hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, source_digest())


@cache
def source_digest() -> str:
    """A digest of all source files of the engine."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
