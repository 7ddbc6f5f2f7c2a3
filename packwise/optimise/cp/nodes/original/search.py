"""The search of PCP'21: a job's start and then its allocation, a decision at a time.

Galleguillos, Kiziltan and Soto, CP 2021, section 3. Their search was built into the solver; here it is a
decision builder in Python, which the solver asks at every node of its tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from packwise.optimise.cp.library import original_cp

#: Of a variable of a job, given by its place, and its first value: up to where others are like it.
Bound = Callable[[int, int, int], int]


def interleaved_search(
    starts: Sequence[Any],
    durations: Sequence[int],
    ends: Sequence[int],
    allocation: Sequence[Sequence[Any]],
    value: Callable[[Any], int],
    *,
    bound: Bound | None = None,
    back: bool = False,
) -> Any:
    """The builder of the decisions. ``ends``: of what runs. ``allocation``: the variables of each job, in the
    order of being decided; ``value``: what each is given first.

    A job that had no place at its earliest start is tried again when the next of the others ends: that it has
    none is seen when it is tried, and seldom moves its earliest start, without which it would wait for ever.

    With ``bound`` values that are alike are tried together before one of them is, so that where none will do
    they are left together.

    With ``back`` a value that fails is not followed by another one, but by another start of the job. What went
    wrong in Python is in ``error`` afterwards: an exception must not pass through the solver.
    """
    return _builder_class()(starts, durations, ends, allocation, value, bound, back)


class State:
    """Where a search stands, restored on the way back. ``postponed``: by job, before which start it is not
    tried; ``crowded``: whether that is for want of a place. ``chosen``: the job that is being allocated, and
    ``decided`` how many of its variables are. ``planned`` and ``applied``, which are not restored: whether
    there is a plan, and the decision by which a job has its start.
    """

    def __init__(self, jobs: int) -> None:
        integer = original_cp().RevInteger
        self.postponed = [integer(0) for _ in range(jobs)]
        self.crowded = [integer(0) for _ in range(jobs)]
        self.chosen, self.decided = integer(-1), integer(0)
        self.applied: dict[int, Any] = {}
        self.planned = False


@cache
def _builder_class() -> Any:
    """Made when first needed, since OR-Tools is loaded then."""

    class ScheduleOrPostpone(original_cp().PyDecision):  # type: ignore[misc]
        """Start a job at its earliest time, or leave it alone until that is another. ``tried``: whether the
        start was consistent; ``placed``: whether the job had a place then.
        """

        def __init__(self, job: int, start: Any, earliest: int, state: State) -> None:
            super().__init__()
            self._job, self._start, self._earliest, self._state = job, start, earliest, state
            self.tried = self.placed = False

        def Apply(self, solver: Any) -> None:
            # Here and not where it is decided, which holds for a job that is postponed, too.
            self._state.chosen.SetValue(solver, self._job)
            self._state.decided.SetValue(solver, 0)
            self._state.applied[self._job] = self
            self._start.SetValue(self._earliest)

        def Refute(self, solver: Any) -> None:
            # Before there is a plan nothing else lets a start fail.
            crowded = not self.placed and (self.tried or not self._state.planned)
            self._state.postponed[self._job].SetValue(solver, self._earliest + 1)
            self._state.crowded[self._job].SetValue(solver, int(crowded))

    class Interleaved(original_cp().PyDecisionBuilder):  # type: ignore[misc]
        def __init__(
            self,
            starts: Sequence[Any],
            durations: Sequence[int],
            ends: Sequence[int],
            allocation: Sequence[Sequence[Any]],
            value: Callable[[Any], int],
            bound: Bound | None,
            back: bool,
        ) -> None:
            super().__init__()
            self._starts, self._allocation = list(starts), allocation
            self._value, self._bound, self._back = value, bound, back
            self._durations, self._ends = durations, ends
            self._state = State(len(starts))
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
            job = self._state.chosen.Value()
            if job < 0:
                return None
            if (decision := self._state.applied.get(job)) is not None:
                decision.tried = True
            variables = self._allocation[job]
            for place in range(self._state.decided.Value(), len(variables)):
                variable = variables[place]
                if not variable.Bound():
                    self._state.decided.SetValue(solver, place)
                    value = self._value(variable)
                    if self._back:
                        return solver.AssignVariableValueOrFail(variable, value)
                    if self._bound is not None:
                        bound = self._bound(job, place, value)
                        if variable.Max() > bound:
                            return solver.VariableLessOrEqualValue(variable, bound)
                    return solver.AssignVariableValue(variable, value)
            if decision is not None:
                decision.placed = True
            self._state.chosen.SetValue(solver, -1)
            return None

        def _schedule(self, solver: Any) -> Any:
            """The start of the job that can start first, those with the highest priority before others."""
            found, earliest, waiting = -1, 0, False
            for job, start in enumerate(self._starts):
                if start.Bound():
                    continue
                at, again = start.Min(), self._state.postponed[job].Value()
                if at < again:
                    if not self._state.crowded[job].Value():
                        waiting = True
                        continue
                    at = self._next_end(again - 1)
                if found < 0 or at < earliest:
                    found, earliest = job, at
            if found < 0:
                return solver.FailDecision() if waiting else self._rest(solver)
            decision = ScheduleOrPostpone(found, self._starts[found], earliest, self._state)
            self._kept.append(decision)
            return decision

        def _next_end(self, after: int) -> int:
            """When the next of those that have a start ends."""
            ends = [end for end in self._ends if end > after]
            for start, duration in zip(self._starts, self._durations, strict=True):
                if start.Bound() and (end := start.Min() + duration) > after:
                    ends.append(end)
            return min(ends, default=after + 1)

        def _rest(self, solver: Any) -> Any:
            """Jobs whose starts are there without a decision have to be allocated, too."""
            for job, variables in enumerate(self._allocation):
                if any(not variable.Bound() for variable in variables):
                    self._state.chosen.SetValue(solver, job)
                    self._state.decided.SetValue(solver, 0)
                    return self._allocate(solver)
            self._state.planned = True
            return None

    return Interleaved
