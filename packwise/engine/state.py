"""The arrays of a running simulation, grouped by what they describe.

Named tuples of arrays are what compiled code passes around cheaply; the scalars that change live in one
array of counters, so that a loop can be left and entered again (progress bars, interrupts, Python
policies).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.engine.orders import FCFS
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE, Ints, Workload

# Counters
NOW = 0  # the moment
ARRIVED = 1  # jobs submitted so far
NEW = 2  # first job submitted at this moment
FREE = 3  # processors free
ENDS = 4  # entries in the heap of completions
OVERRUNS = 5  # entries in the heap of estimates that will run out
ENDED = 6  # jobs that ended at this moment
CORRECTED = 7  # jobs whose estimate was corrected at this moment
WAKE = 8  # time at which a policy asked to be woken, or NO_TIME
QUEUE_LO, QUEUE_HI = 9, 10  # the queue's window
REL_LO, REL_HI = 11, 12  # the releases' window
PLAN_LO, PLAN_HI = 13, 14  # the profile's window
VALID = 15  # queue entries from the front whose planned starts still hold
RESERVED = 16  # queue entries from the front that may hold a reservation
STALE = 17  # whether the profile must be built anew before it is used
ROUNDS = 18  # rounds so far
OVERRAN = 19  # a job has outlived its estimate since the last round of conservative backfilling
BAD_JOB = 20  # job whose estimate is not a number, or -1
BAD_EVENT = 21  # the event at which it was asked for
BEGUN = 22  # jobs started so far
COUNTERS = 23

# The belief: who estimates run times, as numbers
KERNEL, STATE = 0, 1  # addresses of the predictor's function and state
CORRECTOR, CORRECTOR_STATE = 2, 3  # those of whoever answers when a job outlives its estimate
LEARNS = 4  # whether there is a predictor to call
UPDATES = 5  # whether waiting jobs are estimated again
CORRECTION = 6  # what becomes of an estimate that a job has outlived
BELIEFS = 7

TO_LIMIT, STEPS, DOUBLING, ASK = range(4)

#: Placements remembered within a round, by demand and estimate.
MEMOS = 1024

NO_TIME = 2**62
UNLIMITED = 2**62


class Jobs(NamedTuple):
    """Columns of the workload, by job number; ``first`` is the estimate at submission."""

    submit: Ints
    demand: Ints
    runtime: Ints
    limit: Ints
    estimate: Ints
    user: Ints
    partition: Ints
    first: Ints
    corrections: Ints
    deadline: Ints


class Clock(NamedTuple):
    """What has happened and what is going to. ``begun`` holds the jobs in the order of their starts;
    completions to come are kept as places in it, so that those of one moment come in that order.
    ``believed`` is the estimate with which a job started.
    """

    start: Ints
    believed: Ints
    begun: Ints
    end_time: Ints
    end_place: Ints
    over_time: Ints
    over_job: Ints
    ended: Ints
    corrected: Ints


class Queue(NamedTuple):
    """Waiting jobs in their order; parallel arrays, a window of which is in use."""

    job: Ints
    demand: Ints
    estimate: Ints
    first: Any
    second: Any


class Machine(NamedTuple):
    """Expected releases of running jobs, the profile with reservations, and who holds which.

    By job number: ``planned`` is the start of a waiting job's reservation, or -1; ``promised`` the latest start
    that it was promised at its submission, by a policy that makes promises.
    """

    rel_time: Ints
    rel_amount: Ints
    times: Ints
    free: Ints
    planned: Ints
    promised: Ints


class Lists(NamedTuple):
    """What deadline-based backfilling keeps beside its profiles: ``kind`` (definitive or tentative) by job
    number, room for the plan before a change, and counters.
    """

    kind: Ints
    full_times: Ints
    full_free: Ints
    base_times: Ints
    base_free: Ints
    planned: Ints
    kept: Ints


class Scratch(NamedTuple):
    """Working space of a round."""

    picked: Ints
    slot: Ints
    first: Any
    second: Any
    stair_time: Ints
    stair_free: Ints
    memo: Ints


class Rules(NamedTuple):
    """A point in the list-scheduling family, as numbers."""

    order: int = FCFS
    tie: int = FCFS
    reserve: int = 0
    strict: int = 0
    depth: int = UNLIMITED
    backfill_order: int = FCFS
    backfill_tie: int = FCFS
    reorder: int = 0
    changing: int = 0
    threshold: int = NO_TIME
    cap: int = UNLIMITED
    origin: int = 0


class Log(NamedTuple):
    """One entry per round."""

    time: Ints
    queued: Ints
    started: Ints


def known_jobs(view: View) -> Jobs:
    """What a view shows of the jobs; the limit stands in for the run time, which nobody knows."""
    return Jobs(
        view.submit,
        view.demand,
        view.limit,
        view.limit,
        view.estimate,
        view.user,
        view.partition,
        view.estimate,
        view.estimate,
        view.deadline,
    )


def new_job_table(workload: Workload, estimate: Ints) -> NDArray[np.int64]:
    """One row per field of Jobs, with the estimates a predictor gave."""
    return np.array(
        [
            workload.submit,
            workload.demand,
            workload.runtime,
            workload.requested_time,
            estimate,
            workload.user,
            workload.queue,
            estimate,
            np.zeros(len(workload), np.int64),
            _deadlines(workload),
        ],
        np.int64,
    )


def _deadlines(workload: Workload) -> Ints:
    if workload.deadline is None:
        return np.full(len(workload), NO_DEADLINE, np.int64)
    return workload.deadline


def new_counters(procs: int) -> Ints:
    """The counters before anything has happened."""
    counters = np.zeros(COUNTERS, np.int64)
    counters[NOW] = -1
    counters[FREE] = procs
    counters[WAKE] = NO_TIME
    counters[STALE] = 1
    counters[BAD_JOB] = -1
    return counters


def new_clock_table(n: int) -> NDArray[np.int64]:
    """One row per field of Clock: nothing started, nothing to come but the arrivals."""
    return np.full((len(Clock._fields), n), -1, np.int64)


def new_queue(n: int) -> Queue:
    """An empty queue that can hold every job twice over (its window moves)."""
    return Queue(
        job=_ints(2 * n + 2),
        demand=_ints(2 * n + 2),
        estimate=_ints(2 * n + 2),
        first=np.empty(2 * n + 2),
        second=np.empty(2 * n + 2),
    )


def new_machine(n: int) -> Machine:
    """An empty machine. A profile has at most one step per running and two per waiting job, and its
    window may begin a third of the way into the arrays.
    """
    return Machine(
        rel_time=_ints(4 * n + 16),
        rel_amount=_ints(4 * n + 16),
        times=_ints(4 * n + 16),
        free=_ints(4 * n + 16),
        planned=np.full(n, -1, np.int64),
        promised=np.full(n, -1, np.int64),
    )


def new_lists(n: int) -> Lists:
    """Nobody waits; room for the plan of n jobs."""
    return Lists(
        kind=np.zeros(n, np.int64),
        full_times=_ints(4 * n + 16),
        full_free=_ints(4 * n + 16),
        base_times=_ints(4 * n + 16),
        base_free=_ints(4 * n + 16),
        planned=_ints(n + 1),
        kept=np.zeros(3, np.int64),
    )


def new_scratch(n: int) -> Scratch:
    """Working space for a queue of at most n jobs."""
    return Scratch(
        picked=_ints(n + 1),
        slot=_ints(n + 1),
        first=np.empty(n + 1),
        second=np.empty(n + 1),
        stair_time=_ints(4 * n + 16),
        stair_free=_ints(4 * n + 16),
        memo=np.full(4 * MEMOS, -1, np.int64),
    )


def _ints(size: int) -> Ints:
    return np.empty(size, np.int64)


def new_log(n: int) -> Log:
    """Room for a round per arrival and completion; promises that overruns break may need more, and the
    log then grows.
    """
    return Log(_ints(2 * n + 2), _ints(2 * n + 2), _ints(2 * n + 2))
