"""The step loop: the same events as the compiled loops, asking a Python policy at each round.

A misbehaving policy ends the run with a named error; it can neither hang it nor corrupt it.
"""

from __future__ import annotations

import time
from operator import index
from typing import Any

import numpy as np

from packwise.engine.events import NO_ESTIMATE, ROUND
from packwise.engine.expectation import Expectation
from packwise.engine.replay import Progress, Replayed
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    BELIEFS,
    ENDS,
    FREE,
    NEW,
    NO_TIME,
    NOW,
    UPDATES,
    WAKE,
    Clock,
    Jobs,
    new_clock_table,
    new_counters,
    new_job_table,
)
from packwise.engine.step import NO_ROOM, NOT_WAITING, RUNS, WAITS, step_events, step_start
from packwise.model.blame import place_of
from packwise.model.decision import Decision, Policy
from packwise.model.errors import (
    BadDecision,
    OverAllocation,
    PackwiseError,
    PolicyFailed,
    Stalled,
)
from packwise.model.run import RoundLog
from packwise.model.view import View
from packwise.model.workload import Floats, Ints, Workload

#: Rounds in a row in which a policy may let an idle machine sleep while jobs wait.
PATIENCE = 100_000

_NONE = np.empty(0, np.int64)


def step_through(
    policy: Policy,
    workload: Workload,
    expected_times: Expectation,
    procs: int,
    progress: Progress | None,
) -> Replayed:
    """Replay a workload, asking the policy's ``decide`` at each round.

    A policy with ``keeps_estimates = True`` goes by the estimates given at submission.
    """
    n = len(workload)
    belief = expected_times.belief.copy()
    if getattr(policy, "keeps_estimates", False):
        belief[UPDATES] = 0
    job_table = new_job_table(workload, expected_times.initial)
    clock_table = new_clock_table(n)
    sets = np.zeros((4, n), np.int64)
    jobs = Jobs(*job_table)
    _, waiting, running, expected = sets
    c = new_counters(procs)
    sizes = np.zeros(2, np.int64)
    columns = (
        jobs.submit,
        jobs.demand,
        jobs.estimate,
        jobs.limit,
        jobs.user,
        workload.group,
        workload.app,
        jobs.partition,
        jobs.deadline,
    )
    submit, demand, estimated, limit, user, group, app, partition, deadline = map(
        _read_only, columns
    )
    times: list[int] = []
    queued: list[int] = []
    started: list[int] = []
    seconds: list[float] = []
    notes: dict[str, dict[int, float]] = {}
    promised: Ints | None = None
    memory: Any = None
    idle = 0
    _load(c)
    loaded = time.perf_counter()
    while (outcome := step_events(belief, job_table, clock_table, sets, c, sizes)) == ROUND:
        now = int(c[NOW])
        arrived = int(c[ARRIVED])
        waits = int(sizes[WAITS])
        view = View(
            now,
            procs,
            int(c[FREE]),
            _snapshot(waiting, waits),
            _snapshot(running, int(sizes[RUNS])),
            _snapshot(expected, int(sizes[RUNS])),
            submit[:arrived],
            demand[:arrived],
            estimated[:arrived],
            limit[:arrived],
            user[:arrived],
            group[:arrived],
            app[:arrived],
            partition[:arrived],
            deadline[:arrived],
            memory,
        )
        begin = time.perf_counter()
        decision = _ask(policy, view)
        seconds.append(time.perf_counter() - begin)
        memory = decision.memory
        start = _job_numbers(policy, decision.start, "start", now)
        reject = _job_numbers(policy, decision.reject, "reject", now)
        if start.size or reject.size:
            wrong, job = step_start(belief, job_table, clock_table, sets, c, sizes, start, reject)
            if c[BAD_JOB] >= 0:
                raise expected_times.failure(workload, c)
            if wrong:
                raise _refusal(policy, workload, jobs.demand, int(c[FREE]), wrong, int(job), now)
        _take_notes(policy, decision, notes, len(times))
        promised = _take_promises(policy, decision, promised, submit[:arrived], n)
        c[WAKE] = NO_TIME if decision.wake_at is None else _wake(policy, decision, now)
        times.append(now)
        queued.append(waits)
        started.append(start.size)
        if c[ENDS] == 0 and not sizes[WAITS] and arrived == n:
            break  # all is done; a wake-up call would find nothing
        idle = idle + 1 if c[ENDS] == 0 and sizes[WAITS] and c[NEW] == arrived else 0
        if idle > PATIENCE:
            raise _stalled(policy, workload, waiting, sizes, now)
        if progress is not None and len(times) % 1024 == 0:
            progress(arrived)
    if outcome == NO_ESTIMATE:
        raise expected_times.failure(workload, c)
    if sizes[WAITS]:
        raise _stalled(policy, workload, waiting, sizes, int(c[NOW]))
    if progress is not None:
        progress(n)
    rounds = RoundLog(
        np.array(times, np.int64),
        np.array(queued, np.int64),
        np.array(started, np.int64),
        np.array(seconds),
        {said: _column(values, len(times)) for said, values in notes.items()},
    )
    return Replayed(
        Clock(*clock_table).start,
        rounds,
        time.perf_counter() - loaded,
        jobs.first,
        jobs.corrections,
        promised,
    )


def _load(c: Ints) -> None:
    """Load or compile the step functions on a simulation without jobs."""
    jobs, clock = np.zeros((len(Jobs._fields), 0), np.int64), new_clock_table(0)
    belief = np.zeros(BELIEFS, np.int64)
    sets, sizes = np.zeros((4, 0), np.int64), np.zeros(2, np.int64)
    step_events(belief, jobs, clock, sets, c.copy(), sizes)
    step_start(belief, jobs, clock, sets, c.copy(), sizes, _NONE, _NONE)


def _take_notes(
    policy: Policy, decision: Decision, notes: dict[str, dict[int, float]], round: int
) -> None:
    try:
        for said, value in decision.notes.items():
            notes.setdefault(str(said), {})[round] = float(value)
    except (TypeError, ValueError, AttributeError):
        raise BadDecision(
            f"policy '{policy.name}': Decision.notes should be numbers by name, found {decision.notes!r}."
        ) from None


def _take_promises(
    policy: Policy, decision: Decision, promised: Ints | None, submit: Ints, jobs: int
) -> Ints | None:
    """The promises so far with those of a decision; None while there is none. ``submit`` is of all jobs that
    have come.
    """
    if not decision.promised:
        return promised
    if promised is None:
        promised = np.full(jobs, -1, np.int64)
    try:
        for job, latest in decision.promised.items():
            if not 0 <= index(job) < len(submit) or not submit[job] <= index(latest) < NO_TIME:
                raise ValueError
            if promised[job] < 0:
                promised[job] = latest
    except (TypeError, ValueError, AttributeError):
        raise BadDecision(
            f"policy '{policy.name}': Decision.promised should be latest starts by job number, whole seconds, "
            f"none before the job's submission; found {decision.promised!r}."
        ) from None
    return promised


def _column(values: dict[int, float], rounds: int) -> Floats:
    column = np.full(rounds, np.nan)
    column[list(values)] = list(values.values())
    return column


def _read_only(column: Ints) -> Ints:
    shown = column.view()
    shown.setflags(write=False)
    return shown


def _snapshot(column: Ints, size: int) -> Ints:
    copy = column[:size].copy()
    copy.setflags(write=False)
    return copy


def _ask(policy: Policy, view: View) -> Decision:
    try:
        decision = policy.decide(view)
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise PolicyFailed(
            f"policy '{policy.name}' raised {type(error).__name__} at time {view.now}: {error}"
            f"{place_of(error)}"
        ) from error
    if not isinstance(decision, Decision):
        raise BadDecision(
            f"policy '{policy.name}' should return a Decision, found "
            f"{type(decision).__name__} at time {view.now}. Return Decision(start=[...])."
        )
    return decision


def _job_numbers(policy: Policy, numbers: Any, what: str, now: int) -> Ints:
    try:
        if len(numbers) == 0:
            return _NONE
        array = np.asarray(numbers)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise BadDecision(
            f"policy '{policy.name}': Decision.{what} should be a list of job numbers out of "
            f"view.queue, found {numbers!r} at time {now}."
        )
    return array.astype(np.int64)


def _wake(policy: Policy, decision: Decision, now: int) -> int:
    try:
        at = index(decision.wake_at)  # type: ignore[arg-type]
    except TypeError:
        at = now
    if not now < at < NO_TIME:
        raise BadDecision(
            f"policy '{policy.name}': Decision.wake_at should be a whole number of seconds after "
            f"now ({now}), found {decision.wake_at!r}."
        )
    return at


def _refusal(
    policy: Policy, workload: Workload, demand: Ints, free: int, wrong: int, job: int, now: int
) -> PackwiseError:
    known = 0 <= job < len(workload)
    name = f"job {workload.id[job]} (number {job})" if known else f"job number {job}"
    if wrong == NOT_WAITING:
        return BadDecision(
            f"policy '{policy.name}' wants {name} at time {now}, but it is not waiting (not "
            "submitted yet, started before, or named twice). Choose from view.queue, each once."
        )
    assert wrong == NO_ROOM
    return OverAllocation(
        f"policy '{policy.name}' starts {name} at time {now}, which needs {demand[job]} "
        f"processors; {free} are free. Add up demand against view.free."
    )


def _stalled(policy: Policy, workload: Workload, waiting: Ints, sizes: Ints, now: int) -> Stalled:
    count = int(sizes[WAITS])
    return Stalled(
        f"policy '{policy.name}' leaves {count} job(s) waiting for ever, the first being job "
        f"{workload.id[waiting[0]]}: the machine is idle at time {now} and nothing else will "
        "happen. Start one, or reject it."
    )
