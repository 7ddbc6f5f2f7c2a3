"""Parameters of policies that are amounts."""

from __future__ import annotations

import math

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST


def amount(policy: str, parameter: str, given: float | str) -> float:
    """A number of 0 or more, as it is or as text."""
    try:
        found = float(given)
    except (TypeError, ValueError):
        found = math.nan
    if not 0 <= found <= LARGEST:
        raise InputError(
            f"policy '{policy}': {parameter} should be a number of 0 or more, found {given!r}."
        )
    return found
