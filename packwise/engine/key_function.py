"""A user's sort key, compiled behind one fixed signature so that the loop compiles once for all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cfunc, njit

from packwise.engine.orders import KEY_SIGNATURE


@cfunc(KEY_SIGNATURE, cache=True)
def no_key(
    now: int, submit: int, demand: int, estimate: int, limit: int, user: int, partition: int
) -> float:
    """Stands in for the user's function where an order has none."""
    return 0.0


@cache
def compile_key(function: Callable[..., float], arguments: tuple[str, ...]) -> Any:
    """Compile a key function that takes some of the signature's arguments, by name."""
    source = (
        "def key(now, submit, demand, estimate, limit, user, partition):\n"
        f"    return float(function({', '.join(arguments)}))\n"
    )
    names: dict[str, Any] = {"function": njit(function)}
    exec(source, names)
    return cfunc(KEY_SIGNATURE)(names["key"])
