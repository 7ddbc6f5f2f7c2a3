"""A user's function, compiled behind one fixed signature so that the loops compile once for all."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cfunc, njit
from numba.core.errors import NumbaError

from packwise.engine.orders import KEY_SIGNATURE
from packwise.engine.users_arguments import KEY_ARGUMENTS
from packwise.model.errors import InputError


@cfunc(KEY_SIGNATURE, cache=True)
def no_key(
    now: int, submit: int, demand: int, estimate: int, limit: int, user: int, partition: int
) -> float:
    """Stands in for the user's function where an order has none."""
    return 0.0


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
        f"        return 1.0 * function({', '.join(arguments)})\n"
        "    except Exception:\n"
        "        return nan\n"
    )
    names: dict[str, Any] = {"function": njit(error_model="numpy")(function), "nan": math.nan}
    exec(source, names)
    try:
        return cfunc(signature)(names["users"])
    except (NumbaError, ValueError, TypeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"{what} '{getattr(function, '__name__', 'function')}' could not be compiled: {reason}. It "
            "should return one number, with plain arithmetic and the math module."
        ) from error
