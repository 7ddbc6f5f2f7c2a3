"""The decorators of compiled functions.

``compiled`` is for what Python calls, ``inlined`` and ``apart`` for what only compiled code calls, and
``CallableFromC`` for what is called by its address. How they are compiled so that no work is done twice, and
kept until something changes that they are made of, is in ``inside_numba``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numba

_PACKAGE = Path(__file__).parents[1]
#: The versions of numba that the fast way was tried with, by CI; with others it is tried out first.
_OLDEST, _NEWEST = "0.61", "0.68"


def _way_of_compiling() -> Any:
    """How to compile: the fast way, or, where numba has moved what that leans on, the documented one.
    ``PACKWISE_PLAIN_NUMBA=1`` chooses the latter.
    """
    if os.environ.get("PACKWISE_PLAIN_NUMBA", "") in ("", "0"):
        try:
            from packwise.compiled import inside_numba

            if not _number(_OLDEST) <= _number(numba.__version__) <= _number(_NEWEST):
                inside_numba.try_out()
            return inside_numba
        except Exception as error:  # whatever another numba raises
            warnings.warn(
                f"numba {numba.__version__} is not as Packwise knows it ({error!r}): compiling takes twice "
                f"as long. A version from {_OLDEST} to {_NEWEST} has it fast.",
                RuntimeWarning,
                stacklevel=2,
            )
    from packwise.compiled import plain_numba

    return plain_numba


def _number(version: str) -> list[int]:
    """The first two numbers of a version."""
    return [int(number) for number in version.split(".")[:2]]


_way = _way_of_compiling()

#: Whether a compiled function needs no compiling, for some types of arguments at least.
is_on_disk: Callable[[Any], bool] = _way.is_on_disk
#: What types of ours derive the types of their attributes from.
AttributeTemplate: Any = _way.AttributeTemplate


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls; ours are kept on disk between processes."""
    return _way.entrance(function, _is_ours(function))


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only, made part of whoever calls it."""
    return _way.part(function, inline=True)


def apart(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only that stays a function: it is large, or called often."""
    return _way.part(function, inline=False)


class CallableFromC:
    """A compiled function with a C address. Compiled when first needed; ours are kept on disk."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self.python_function = function
        self._signature = signature

    @cached_property
    def function_of_numba(self) -> Any:
        function = self.python_function
        return _way.c_function(function, self._signature, _is_ours(function))

    @cached_property
    def address(self) -> int:
        self.function_of_numba.compile()
        address: int = self.function_of_numba.address
        return address


def _is_ours(function: Callable[..., Any]) -> bool:
    """A user's file may be loaded under several names, and be gone tomorrow: its code is not kept."""
    return Path(function.__code__.co_filename).is_relative_to(_PACKAGE)
