"""A user's sort key, compiled behind one fixed signature so that the loop compiles once for all."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cfunc, njit
from numba.core.errors import NumbaError

from packwise.engine.orders import KEY_SIGNATURE
from packwise.model.errors import InputError


@cfunc(KEY_SIGNATURE, cache=True)
def no_key(
    now: int, submit: int, demand: int, estimate: int, limit: int, user: int, partition: int
) -> float:
    """Stands in for the user's function where an order has none."""
    return 0.0


@cache
def compile_key(function: Callable[..., float], arguments: tuple[str, ...]) -> Any:
    """Compile a key function that takes some of the signature's arguments, by name.

    An exception inside it, or a division by zero, gives a key that is not finite, which the loops refuse.
    """
    source = (
        "def key(now, submit, demand, estimate, limit, user, partition):\n"
        "    try:\n"
        f"        return 1.0 * function({', '.join(arguments)})\n"
        "    except Exception:\n"
        "        return nan\n"
    )
    names: dict[str, Any] = {"function": njit(error_model="numpy")(function), "nan": math.nan}
    exec(source, names)
    try:
        return cfunc(KEY_SIGNATURE)(names["key"])
    except (NumbaError, ValueError, TypeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"order key '{getattr(function, '__name__', 'key')}' could not be compiled: {reason}. It "
            "should return one number, with plain arithmetic and the math module."
        ) from error
