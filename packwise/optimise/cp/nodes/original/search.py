"""The search of PCP'21: a job's start and then its allocation, a decision at a time.

Galleguillos, Kiziltan and Soto, CP 2021, section 3. Their search was built into the solver; here it is a
decision builder in Python, which the solver asks at every node of its tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from packwise.optimise.cp.library import original_cp


def interleaved_search(
    starts: Sequence[Any],
    allocation: Sequence[Sequence[Any]],
    value: Callable[[Any], int],
    *,
    back: bool = False,
) -> Any:
    """The builder of the decisions. ``allocation``: the variables of each job, in the order of being decided;
    ``value``: what each is given first.

    With ``back`` a value that fails is not followed by another one, but by another start of the job. What went
    wrong in Python is in ``error`` afterwards: an exception must not pass through the solver.
    """
    return _builder_class()(starts, allocation, value, back)


@cache
def _builder_class() -> Any:
    """Made when first needed, since OR-Tools is loaded then."""

    class ScheduleOrPostpone(original_cp().PyDecision):  # type: ignore[misc]
        """Start a job at its earliest time, or leave it alone until that is another."""

        def __init__(self, start: Any, earliest: int, postponed: Any) -> None:
            super().__init__()
            self._start, self._earliest, self._postponed = start, earliest, postponed

        def Apply(self, solver: Any) -> None:
            self._start.SetValue(self._earliest)

        def Refute(self, solver: Any) -> None:
            self._postponed.SetValue(solver, self._earliest + 1)

    class Interleaved(original_cp().PyDecisionBuilder):  # type: ignore[misc]
        """``_postponed``: by job, before which start it is not tried. ``_chosen``: the job that is being
        allocated, and ``_decided`` how many of its variables are. All three are restored on the way back.
        """

        def __init__(
            self,
            starts: Sequence[Any],
            allocation: Sequence[Sequence[Any]],
            value: Callable[[Any], int],
            back: bool,
        ) -> None:
            super().__init__()
            self._starts, self._allocation = list(starts), allocation
            self._value, self._back = value, back
            integer = original_cp().RevInteger
            self._postponed = [integer(0) for _ in starts]
            self._chosen, self._decided = integer(-1), integer(0)
            # The solver holds decisions by address alone: without these they would be gone.
            self._kept: list[Any] = []
            self.error: BaseException | None = None

        def NextWrapper(self, solver: Any) -> Any:
            try:
                return self._allocate(solver) or self._schedule(solver)
            except BaseException as error:
                self.error = error
                solver.FinishCurrentSearch()
                return solver.FailDecision()

        def _allocate(self, solver: Any) -> Any:
            """The next open variable of the job that has a start."""
            job = self._chosen.Value()
            if job < 0:
                return None
            variables = self._allocation[job]
            for place in range(self._decided.Value(), len(variables)):
                variable = variables[place]
                if not variable.Bound():
                    self._decided.SetValue(solver, place)
                    value = self._value(variable)
                    if self._back:
                        return solver.AssignVariableValueOrFail(variable, value)
                    return solver.AssignVariableValue(variable, value)
            self._chosen.SetValue(solver, -1)
            return None

        def _schedule(self, solver: Any) -> Any:
            """The start of the job that can start first, those with the highest priority before others."""
            found, earliest, waiting = -1, 0, False
            for job, start in enumerate(self._starts):
                if start.Bound():
                    continue
                at = start.Min()
                if at < self._postponed[job].Value():
                    waiting = True
                elif found < 0 or at < earliest:
                    found, earliest = job, at
            if found < 0:
                return solver.FailDecision() if waiting else self._rest(solver)
            self._chosen.SetValue(solver, found)
            self._decided.SetValue(solver, 0)
            decision = ScheduleOrPostpone(self._starts[found], earliest, self._postponed[found])
            self._kept.append(decision)
            return decision

        def _rest(self, solver: Any) -> Any:
            """Jobs whose starts are there without a decision have to be allocated, too."""
            for job, variables in enumerate(self._allocation):
                if any(not variable.Bound() for variable in variables):
                    self._chosen.SetValue(solver, job)
                    self._decided.SetValue(solver, 0)
                    return self._allocate(solver)
            return None

    return Interleaved
