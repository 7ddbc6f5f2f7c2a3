"""OR-Tools, which is an extra: asked for by name, so that its absence has a name too."""

from __future__ import annotations

from typing import Any

from packwise.model.errors import InputError


def cp_sat() -> Any:
    """The module of CP-SAT, or an error that says how to get it."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise InputError(
            "constraint programming needs OR-Tools, which is not installed. Install the extra: "
            "pip install 'packwise[cp]'."
        ) from error
    return cp_model
