"""A user's function, compiled behind one fixed signature so that the loops compile once for all."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cfunc, errors, njit, types

from packwise.engine.orders import KEY_SIGNATURE
from packwise.engine.users_arguments import KEY_ARGUMENTS, expression_for
from packwise.model.errors import InputError

_COLOUR = re.compile("\x1b\\[[0-9;]*m")


def compile_key(function: Callable[..., float], arguments: tuple[str, ...]) -> Any:
    """Compile a key function that takes some of the signature's arguments, by name."""
    return compile_users(function, arguments, KEY_ARGUMENTS, KEY_SIGNATURE, "order key")


@cache
def compile_users(
    function: Callable[..., float],
    arguments: tuple[str, ...],
    known: tuple[str, ...],
    signature: Any,
    what: str,
) -> Any:
    """Compile a user's function of some arguments behind a signature with all of them.

    An exception inside it, or a division by zero, gives a number that is not finite, which the loops refuse.
    """
    source = (
        f"def users({', '.join(known)}):\n"
        "    try:\n"
        f"        return 1.0 * function({', '.join(map(expression_for, arguments))})\n"
        "    except Exception:\n"
        "        return nan\n"
    )
    name = f"{what} '{getattr(function, '__name__', 'function')}'"
    made = njit(error_model="numpy")(function)
    names: dict[str, Any] = {"function": made, "nan": math.nan}
    exec(source, names)
    try:
        return cfunc(signature)(names["users"])
    except (errors.NumbaError, ValueError, TypeError) as error:
        returned = [one.return_type for one in made.nopython_signatures]
        if returned:  # the function itself compiles: what it returns is no number
            found = "nothing" if isinstance(returned[0], types.NoneType) else f"{returned[0]}"
            raise InputError(f"{name} should return one number; it returns {found}.") from error
        raise InputError(
            f"{name} could not be compiled: {_reason(error)}. It should return one number, with plain "
            "arithmetic and the math module."
        ) from error


def _reason(error: Exception) -> str:
    """What a compiler error is about: the first line that says more than where it happened."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During", "File"))]
    return said[0].rstrip(".:") if said else type(error).__name__
