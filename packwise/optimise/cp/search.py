"""One call of CP-SAT: within limits, and open to Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
#: The same where somebody wants to know how a search goes on.
LOOK_OFTEN_SECONDS = 0.02


#: Asked now and then while a search goes on, with the seconds it has taken and the cost of its best plan (None:
#: it has none): whether to end it.
Look = Callable[[float, float | None], bool]


class Answer(NamedTuple):
    """What CP-SAT said. ``used``: how much of the limit it took, in the limit's unit; ``work``: deterministic
    time, whatever the unit. ``values`` are those of the wanted variables, ``solution`` those of all. ``fails``:
    conflicts. ``costs``: of each plan on the way, and the work that it took to find it.
    """

    status: int
    values: Ints | None
    bound: float
    used: float
    objective: float | None = None
    solution: Sequence[int] = ()
    work: float = 0.0
    fails: int = 0
    costs: Sequence[tuple[float, float]] = ()


def search(
    model: Any,
    wanted: Sequence[Any],
    limits: Limits,
    amount: float,
    look: Look | None = None,
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
    costs: list[tuple[float, float]] = []
    told = costs if settings is not None or look is not None else None
    status = int(_interruptible(solver, model, look, told))
    with _solvers_errors():
        work, fails = float(solver.deterministic_time), int(solver.num_conflicts)
        used = solver.wall_time if limits.deterministic is None else work
        if status not in (FEASIBLE, OPTIMAL):
            return Answer(status, None, float("nan"), used, work=work, fails=fails)
        solution = list(solver.response_proto.solution)
        found = np.array([solution[variable.index] for variable in wanted], np.int64)
        bound, objective = float(solver.best_objective_bound), float(solver.objective_value)
    return Answer(status, found, bound, used, objective, solution, work, fails, costs)


@contextmanager
def _solvers_errors() -> Iterator[None]:
    """For calls into CP-SAT and nothing else: whatever they raise is a failure of the solver."""
    try:
        yield
    except Exception as error:
        raise SolverFailed(f"CP-SAT raised {type(error).__name__}: {error}") from error


def _interruptible(
    solver: Any, model: Any, look: Look | None, costs: list[tuple[float, float]] | None
) -> Any:
    """Solve in a thread, since a call into CP-SAT keeps Python from hearing of Ctrl-C until it returns.

    An event says when it is done: a join that Ctrl-C interrupts would take the thread for ended.
    """
    outcome: list[Any] = []
    done = Event()

    class Costs(cp_sat().CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            assert costs is not None
            costs.append((self.deterministic_time, self.objective_value))

    def work() -> None:
        try:
            outcome.append(solver.solve(model, None if costs is None else Costs()))
        except BaseException as error:
            outcome.append(error)
        finally:
            done.set()

    begin, enough = time.perf_counter(), False
    Thread(target=work, name="cp-sat").start()
    try:
        while not done.wait(LOOK_UP_SECONDS if look is None else LOOK_OFTEN_SECONDS):
            best = costs[-1][1] if costs else None
            if look is not None and (enough or look(time.perf_counter() - begin, best)):
                enough = True
                solver.stop_search()
    except BaseException:
        solver.stop_search()
        while not done.wait(LOOK_UP_SECONDS):
            solver.stop_search()  # the first may have come before the search began
        raise
    if isinstance(outcome[0], BaseException):
        with _solvers_errors():
            raise outcome[0]
    return outcome[0]
