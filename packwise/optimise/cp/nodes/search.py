"""The search of PCP'21: a job's start and then its allocation, a decision at a time.

Galleguillos, Kiziltan and Soto, CP 2021, section 3. Their search was built into the solver; here it is a
decision builder in Python, which the solver asks at every node of its tree.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from heapq import heapify, heappop, heapreplace
from typing import Any, Protocol

from packwise.model.workload import Ints
from packwise.optimise.cp.library import original_cp

#: What the solver's own exception says, in Python, when there is no value left.
FAILS = "CP Solver fail"


class Room(Protocol):
    """What the nodes have at a moment beside some jobs that run then, as far as these are decided; and whether
    a job fits into that.
    """

    def free(self, at: int, running: list[int]) -> Ints: ...

    def fits(self, job: int, free: Ints) -> bool: ...


class Allocation(Protocol):
    """How a job that has its start gets its nodes."""

    def begin(self, solver: Any, job: int) -> None:
        """A job is about to be allocated; with what it may have had, the search has gone back before that."""
        ...

    def next(self, solver: Any, job: int) -> Any:
        """The next decision about its nodes; None once all are decided."""
        ...

    def unplaced(self, job: int) -> bool:
        """Whether a job has not all its nodes."""
        ...

    def planned(self) -> None:
        """All have their starts and nodes: a plan."""
        ...


def interleaved_search(
    starts: Sequence[Any],
    durations: Sequence[int],
    ends: Sequence[int],
    allocation: Allocation,
    room: Room,
) -> Any:
    """The builder of the decisions. ``ends``: of what runs.

    A job that has no room at its earliest start is moved to when the next of the others ends. The solver
    seldom sees that by itself, and a job that is postponed would wait for ever.

    What went wrong in Python is in ``error`` afterwards: an exception must not pass through the solver.
    ``seconds``: how much of the search's time the builder took.
    """
    return _builder_class()(starts, durations, ends, allocation, room)


class ByVariables:
    """The allocation variables of each job are decided one by one, in their order, each at first its lowest
    value, or what ``value`` says.
    """

    def __init__(self, variables: Sequence[Sequence[Any]], value: Callable[[Any], int]) -> None:
        self._variables, self._value = variables, value
        self._decided = original_cp().RevInteger(0)

    def begin(self, solver: Any, job: int) -> None:
        self._decided.SetValue(solver, 0)

    def next(self, solver: Any, job: int) -> Any:
        variables = self._variables[job]
        for place in range(self._decided.Value(), len(variables)):
            variable = variables[place]
            if not variable.Bound():
                self._decided.SetValue(solver, place)
                return solver.AssignVariableValue(variable, self._value(variable))
        return None

    def unplaced(self, job: int) -> bool:
        return any(not variable.Bound() for variable in self._variables[job])

    def planned(self) -> None:
        pass


class State:
    """Where a search stands, restored on the way back. ``postponed``: by job, before which start it is not
    tried. ``chosen``: the job that is being allocated. ``planned`` and ``applied``, which are not restored:
    whether there is a plan, and the decision by which a job has its start.
    """

    def __init__(self, jobs: int) -> None:
        integer = original_cp().RevInteger
        self.postponed = [integer(0) for _ in range(jobs)]
        self.chosen = integer(-1)
        self.applied: dict[int, Any] = {}
        self.planned = False


@cache
def _builder_class() -> Any:
    """Made when first needed, since OR-Tools is loaded then."""

    class ScheduleOrPostpone(original_cp().PyDecision):  # type: ignore[misc]
        """Start a job at its earliest time, or leave it alone until that is another. ``tried``: whether the
        start was consistent; ``placed``: whether the job had a place then.
        """

        def __init__(
            self,
            job: int,
            start: Any,
            at: int,
            next_end: int,
            state: State,
            allocation: Allocation,
        ) -> None:
            super().__init__()
            self._job, self._start = job, start
            self._state, self._allocation = state, allocation
            self._at, self._next_end = at, next_end
            self.tried = self.placed = False

        def Apply(self, solver: Any) -> None:
            # Here and not where it is decided, which holds for a job that is postponed, too.
            self._state.chosen.SetValue(solver, self._job)
            self._allocation.begin(solver, self._job)
            self._state.applied[self._job] = self
            self._start.SetValue(self._at)

        def Refute(self, solver: Any) -> None:
            # Before there is a plan nothing but the want of a place lets a start fail.
            if not self.placed and (self.tried or not self._state.planned):
                self._start.SetMin(self._next_end)
            else:
                self._state.postponed[self._job].SetValue(solver, self._at + 1)

    class Interleaved(original_cp().PyDecisionBuilder):  # type: ignore[misc]
        def __init__(
            self,
            starts: Sequence[Any],
            durations: Sequence[int],
            ends: Sequence[int],
            allocation: Allocation,
            room: Room,
        ) -> None:
            super().__init__()
            self._starts, self._allocation, self._room = list(starts), allocation, room
            self._durations, self._ends = durations, ends
            self._state = State(len(starts))
            # The solver holds decisions by address alone: without these they would be gone.
            self._kept: list[Any] = []
            self.error: BaseException | None = None
            self.seconds = 0.0

        def NextWrapper(self, solver: Any) -> Any:
            begin = time.perf_counter()
            try:
                return self._allocate(solver) or self._schedule(solver)
            except BaseException as error:
                if FAILS in str(error):
                    return solver.FailDecision()
                self.error = error
                solver.FinishCurrentSearch()
                return solver.FailDecision()
            finally:
                self.seconds += time.perf_counter() - begin

        def _allocate(self, solver: Any) -> Any:
            """What is next for the nodes of the job that has a start."""
            job = self._state.chosen.Value()
            if job < 0:
                return None
            if (start := self._state.applied.get(job)) is not None:
                start.tried = True
            if (decision := self._allocation.next(solver, job)) is not None:
                return decision
            if start is not None:
                start.placed = True
            self._state.chosen.SetValue(solver, -1)
            return None

        def _schedule(self, solver: Any) -> Any:
            """The start of the job that can start first, those with the highest priority before others."""
            spans = [
                (start.Min(), start.Min() + duration, job)
                for job, (start, duration) in enumerate(
                    zip(self._starts, self._durations, strict=True)
                )
                if start.Bound()
            ]
            ends = sorted([*self._ends, *(end for _, end, _ in spans)])
            ready = [
                (start.Min(), job) for job, start in enumerate(self._starts) if not start.Bound()
            ]
            heapify(ready)
            free: dict[int, Ints] = {}
            waiting = False
            while ready:
                at, job = ready[0]
                start = self._starts[job]
                place = bisect_right(ends, at)
                next_end = ends[place] if place < len(ends) else start.Max() + 1
                if at not in free:
                    running = [k for begin, end, k in spans if begin <= at < end]
                    free[at] = self._room.free(at, running)
                if not self._room.fits(job, free[at]):
                    start.SetMin(next_end)
                    heapreplace(ready, (start.Min(), job))
                elif at < self._state.postponed[job].Value():
                    waiting = True
                    heappop(ready)
                else:
                    decision = ScheduleOrPostpone(
                        job, start, at, next_end, self._state, self._allocation
                    )
                    self._kept.append(decision)
                    return decision
            return solver.FailDecision() if waiting else self._rest(solver)

        def _rest(self, solver: Any) -> Any:
            """Jobs whose starts are there without a decision have to be allocated, too."""
            for job in range(len(self._starts)):
                while self._allocation.unplaced(job):
                    self._state.chosen.SetValue(solver, job)
                    self._allocation.begin(solver, job)
                    if (decision := self._allocate(solver)) is not None:
                        return decision
            self._state.planned = True
            self._allocation.planned()
            return None

    return Interleaved
