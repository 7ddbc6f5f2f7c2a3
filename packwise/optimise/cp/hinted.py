"""A CP-SAT model under construction: its variables come with what they are in the hint."""

from __future__ import annotations

from typing import Any

from packwise.optimise.cp.library import cp_sat


class HintedModel:
    """``hinted``: whether the solver is told the hint. A variable whose value there is None has none."""

    def __init__(self, *, hinted: bool) -> None:
        self.hinted = hinted
        self.cp: Any = cp_sat().CpModel()

    def variable(self, low: int, high: int, hinted: int | None) -> Any:
        """A whole number between two bounds, and what it is in the hint."""
        return self._with_hint(self.cp.new_int_var(low, high, ""), hinted)

    def literal(self, hinted: bool | None) -> Any:
        """A yes or no, and what it is in the hint."""
        return self._with_hint(self.cp.new_bool_var(""), hinted)

    def _with_hint(self, variable: Any, hinted: int | None) -> Any:
        if self.hinted and hinted is not None:
            self.cp.add_hint(variable, hinted)
        return variable

    @property
    def variables(self) -> int:
        return len(self.cp.proto.variables)

    @property
    def constraints(self) -> int:
        return len(self.cp.proto.constraints)
