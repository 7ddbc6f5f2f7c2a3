"""OR-Tools, which is an extra: asked for by name, so that its absence has a name too."""

from __future__ import annotations

from typing import Any

from packwise.extras import extra


def cp_sat() -> Any:
    """The module of CP-SAT, or an error that says how to get it."""
    with extra("constraint programming needs", "OR-Tools", "cp"):
        from ortools.sat.python import cp_model
    return cp_model


def original_cp() -> Any:
    """The module of OR-Tools' original solver, by propagation and backtracking, or the same error."""
    with extra("constraint programming needs", "OR-Tools", "cp"):
        from ortools.constraint_solver import pywrapcp
    return pywrapcp
