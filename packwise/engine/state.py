"""The arrays of a running simulation, grouped by what they describe.

The numbers that change live in one array of counters, so that a loop can be left and entered again (progress
bars, interrupts, Python policies). The same groups serve a whole replay and one round made from a view.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.engine.memory import Group, Size, State
from packwise.engine.nodes.group import NO_NODES
from packwise.engine.sleep_group import NO_SLEEP
from packwise.model.workload import NO_DEADLINE, Floats, Ints, Workload

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
TAKEN = 23  # jobs taken into the queue so far
EARLY = 24  # whether a job is known to have ended early, where nobody saw it end
COMPLETE = 25  # whether the whole queue is to be planned, not only as far as it matters now
ROUND_KERNEL = 26  # address of the function that decides a round
ROOM_KERNEL = 27  # that of the function that keeps the room on the machine up to date, or 0
KEY = 28  # that of the user's sort key
AT_ONCE = 29  # after an early end only those move forward that can start at once
CHANGES = 30  # moments so far at which nodes have gone out or come back
PAUSED = 31  # whether the loop was left between the events of a moment and its round
OUT_CHANGED = 32  # whether another set of nodes is out since this moment
OUT_NEW = 33  # whether an outage begins at this moment
RETURNED = 34  # jobs that wait again since this moment: their nodes went out
SLEEP_KERNEL = 35  # address of the function that knows which nodes sleep, or 0
STARTING = 36  # jobs that are about to start, in ``Scratch.slot``
RELEASES = 37  # whether expected releases of running jobs are kept
COUNTERS = 38

# The groups of a state
CORE, JOBS, CLOCK, QUEUE, MACHINE, SCRATCH, LOG, NODES, SLEEP, POLICY = range(10)
#: Deadline-based backfilling: the machine as the definitive jobs leave it.
DEFINITE = POLICY + 1

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

#: Numbers that say which point of the list-scheduling family it is: see ``rules``.
RULES = 12


class Core(NamedTuple):
    """The counters, the belief, and the point in the list-scheduling family, as numbers."""

    counters: Ints
    belief: Ints
    rules: Ints


class Jobs(NamedTuple):
    """Columns of the workload, by job number; ``first`` is the estimate at submission."""

    submit: Ints
    demand: Ints
    runtime: Ints
    limit: Ints
    estimate: Ints
    user: Ints
    queue_number: Ints
    first: Ints
    corrections: Ints
    deadline: Ints


class Clock(NamedTuple):
    """What has happened and what is going to. ``begun`` holds the jobs in the order of their starts;
    completions to come are kept as places in it, so that those of one moment come in that order.
    ``believed`` is the estimate with which a job started, ``late`` how long it then waited for nodes to boot;
    ``change``: when nodes go out or come back.
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
    late: Ints
    change: Ints


class Queue(NamedTuple):
    """Waiting jobs in their order; parallel arrays, a window of which is in use. ``returned``: those who have
    run, and wait again.
    """

    job: Ints
    demand: Ints
    estimate: Ints
    first: Floats
    second: Floats
    returned: Ints


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
    """What deadline-based backfilling keeps besides: ``kind`` (definitive or tentative) by job number, the
    counters of the profile of the definitive jobs, room for the plan before a change.
    """

    kind: Ints
    counters: Ints
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
    first: Floats
    second: Floats
    stair_time: Ints
    stair_free: Ints
    memo: Ints


class Log(NamedTuple):
    """One entry per round."""

    time: Ints
    queued: Ints
    started: Ints


def new_state(
    jobs: int,
    steps: int,
    window: int,
    *policy: Group,
    nodes: Group = NO_NODES,
    sleep: Group = NO_SLEEP,
    changes: int = 0,
    columns: Jobs | None = None,
) -> State:
    """Nobody waits and nothing runs. ``steps``: room for a profile; ``window``: for a queue, whose window
    moves; ``nodes``: those of the machine, if it has any; ``sleep``: where they sleep; ``changes``: how often
    some go out or come back; ``columns``: those of the jobs, where they are known. The groups of a policy
    come last.
    """
    queue = window + 2
    groups = (
        Group(Core, (COUNTERS, BELIEFS, RULES)),
        _equal(Jobs, jobs if columns is None else 0),
        Group(Clock, (*(jobs,) * 10, changes)),
        _equal(Queue, queue),
        Group(Machine, (*(steps,) * 4, jobs, jobs)),
        Group(Scratch, (*(jobs + 1,) * 4, steps, steps, 4 * MEMOS)),
        _equal(Log, 2 * jobs + 2),
        nodes,
        sleep,
        *policy,
    )
    state = State(groups)
    if columns is not None:
        state[JOBS] = columns
    counters = state[CORE].counters
    counters[WAKE] = NO_TIME
    counters[STALE] = 1
    counters[BAD_JOB] = -1
    machine = state[MACHINE]
    machine.planned[:] = -1
    machine.promised[:] = -1
    return state


def new_replay(
    workload: Workload,
    estimate: Ints,
    belief: Ints,
    procs: int,
    *policy: Group,
    nodes: Group = NO_NODES,
    sleep: Group = NO_SLEEP,
    changes: Ints | None = None,
) -> State:
    """The state before anything has happened. ``changes``: when nodes go out or come back. A profile has at
    most one step per running and two per waiting job, and its window may begin a third of the way into the
    arrays; the queue's window moves, too.
    """
    n = len(workload)
    changes = np.empty(0, np.int64) if changes is None else changes
    columns = _columns(workload, estimate, belief, lasting=sleep is NO_SLEEP and not len(changes))
    state = new_state(
        n,
        4 * n + 16,
        2 * n,
        *policy,
        nodes=nodes,
        sleep=sleep,
        changes=len(changes),
        columns=columns,
    )
    core, clock = state[CORE], state[CLOCK]
    core.counters[NOW] = -1
    core.counters[FREE] = procs
    core.belief[:] = belief
    clock.start[:] = -1
    clock.change[:] = changes
    state[SCRATCH].memo[:] = -1
    return state


def _columns(workload: Workload, estimate: Ints, belief: Ints, lasting: bool) -> Jobs:
    """What is never written to is the workload's own; ``lasting``: run times and limits stay as they are."""
    n = len(workload)
    deadline = workload.deadline
    first = np.ascontiguousarray(estimate, np.int64)
    return Jobs(
        workload.submit,
        workload.demand,
        workload.runtime if lasting else workload.runtime.copy(),
        workload.requested_time if lasting else workload.requested_time.copy(),
        first.copy(),
        workload.user,
        workload.queue,
        first.copy() if belief[LEARNS] else first,
        np.zeros(n, np.int64),
        np.full(n, NO_DEADLINE, np.int64) if deadline is None else deadline,
    )


def new_lists(jobs: int, steps: int) -> tuple[Group, Group]:
    """Room for deadline-based backfilling: its lists, and the profile of its definitive jobs."""
    lists = Group(Lists, (jobs, COUNTERS, *(steps,) * 4, jobs + 1, 3))
    return lists, Group(Machine, (0, 0, steps, steps, 0, 0))


def join_profiles(state: State) -> None:
    """Let the machine of the definitive jobs be the machine of all, but for its profile."""
    own = state[DEFINITE]
    state[DEFINITE] = state[MACHINE]._replace(times=own.times, free=own.free)


def _equal(fields: type, size: Size) -> Group:
    return Group(fields, (size,) * len(fields._fields))  # type: ignore[attr-defined]
