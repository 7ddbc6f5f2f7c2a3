"""One call of CP-SAT: within limits, and open to Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, NamedTuple

import numpy as np

from packwise.model.errors import SolverFailed
from packwise.model.workload import Ints
from packwise.optimise.cp.library import cp_sat
from packwise.optimise.cp.limits import Limits

#: The codes of CP-SAT; INVALID means that it refused the model.
UNKNOWN, INVALID, FEASIBLE, INFEASIBLE, OPTIMAL = range(5)
STATUS = ("unknown", "invalid", "feasible", "infeasible", "optimal")
#: How often a waiting main thread looks up, for systems where a signal does not wake it.
LOOK_UP_SECONDS = 0.2


class Answer(NamedTuple):
    """What CP-SAT said. ``used``: how much of the limit it took, in the limit's unit. ``values`` are those of
    the wanted variables, ``solution`` those of all.
    """

    status: int
    values: Ints | None
    bound: float
    used: float
    solution: Sequence[int] = ()


def search(
    model: Any,
    wanted: Sequence[Any],
    limits: Limits,
    amount: float,
    settings: Mapping[str, Any] | None = None,
) -> Answer:
    """Solve a model within an ``amount`` of what the limits count; the values of some variables.

    ``settings``: parameters of CP-SAT by name. Raises SolverFailed for what CP-SAT raises.
    """
    solver = cp_sat().CpSolver()
    parameters = solver.parameters
    parameters.num_workers = limits.threads
    parameters.random_seed = limits.seed
    # Signals are for Python: CP-SAT would end this search at Ctrl-C, and the replay would go on.
    parameters.catch_sigint_signal = False
    if limits.deterministic is None:
        parameters.max_time_in_seconds = amount
    else:
        parameters.max_deterministic_time = amount
        # Takes turns in a fixed order: reproducible with several threads, and one runs all strategies.
        parameters.interleave_search = True
    for name, value in (settings or {}).items():
        setattr(parameters, name, value)
    status = int(_interruptible(solver, model))
    with _solvers_errors():
        wall = limits.deterministic is None
        used = float(solver.wall_time if wall else solver.deterministic_time)
        if status not in (FEASIBLE, OPTIMAL):
            return Answer(status, None, float("nan"), used)
        solution = list(solver.response_proto.solution)
        found = np.array([solution[variable.index] for variable in wanted], np.int64)
        bound = float(solver.best_objective_bound)
    return Answer(status, found, bound, used, solution)


@contextmanager
def _solvers_errors() -> Iterator[None]:
    """For calls into CP-SAT and nothing else: whatever they raise is a failure of the solver."""
    try:
        yield
    except Exception as error:
        raise SolverFailed(f"CP-SAT raised {type(error).__name__}: {error}") from error


def _interruptible(solver: Any, model: Any) -> Any:
    """Solve in a thread, since a call into CP-SAT keeps Python from hearing of Ctrl-C until it returns.

    An event says when it is done: a join that Ctrl-C interrupts would take the thread for ended.
    """
    outcome: list[Any] = []
    done = Event()

    def work() -> None:
        try:
            outcome.append(solver.solve(model))
        except BaseException as error:
            outcome.append(error)
        finally:
            done.set()

    Thread(target=work, name="cp-sat").start()
    try:
        while not done.wait(LOOK_UP_SECONDS):
            pass
    except BaseException:
        solver.stop_search()
        while not done.wait(LOOK_UP_SECONDS):
            solver.stop_search()  # the first may have come before the search began
        raise
    if isinstance(outcome[0], BaseException):
        with _solvers_errors():
            raise outcome[0]
    return outcome[0]
