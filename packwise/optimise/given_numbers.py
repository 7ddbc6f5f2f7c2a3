"""Numbers that are given as parameters of an optimising policy."""

from __future__ import annotations

from packwise.model.errors import InputError

#: The most that a parameter may be. Profiles are remembered along the window: memory grows with its square.
_MOST = {"budget": 10**9, "window": 2000, "seed": 10**9}


def whole(policy: str, key: str, text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= _MOST[key]:
        hint = " For the best list plan without search: search=off." if key == "budget" else ""
        raise InputError(
            f"policy '{policy}': {key} should be a whole number of at least {least} and at most "
            f"{_MOST[key]:,}, found '{text}'.{hint}"
        )
    return value


def real(policy: str, key: str, text: str, most: float, meaning: str = "") -> float:
    """A number from 0 to ``most``."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        raise InputError(
            f"policy '{policy}': {key} should be a number from 0 to {most:g}{meaning}, found '{text}'."
        )
    return value
