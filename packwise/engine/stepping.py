"""The step loop: the same events as the compiled loop, asking a Python policy at each round.

A misbehaving policy ends the run with a named error; it can neither hang it nor corrupt it.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from packwise.compiled.told import timed
from packwise.engine.events import CHANGE, NO_ESTIMATE, ROUND
from packwise.engine.expectation import Expectation
from packwise.engine.memory import State
from packwise.engine.nodes.group import NO_NODES
from packwise.engine.nodes.host import Host
from packwise.engine.nodes.outages import moments
from packwise.engine.nodes.replay import OnNodes, allocation_of, new_machine
from packwise.engine.replay import Course, Progress
from packwise.engine.sleep import begin_sleep, new_sleep
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    BEGUN,
    CLOCK,
    CORE,
    ENDED,
    ENDS,
    FREE,
    JOBS,
    NEW,
    NO_TIME,
    NODES,
    NOW,
    POLICY,
    RETURNED,
    UPDATES,
    WAKE,
    new_replay,
    new_state,
)
from packwise.engine.step import RUNS, WAITS, new_sets, step_events, step_sets, step_start
from packwise.model.blame import place_of
from packwise.model.cluster import Cluster
from packwise.model.decision import Policy
from packwise.model.dispatch_time import DispatchTime
from packwise.model.energy.cap import PowerLimit
from packwise.model.errors import PackwiseError, PolicyFailed, Stalled
from packwise.model.referee import Referee
from packwise.model.run import RoundLog
from packwise.model.schedule import NEVER
from packwise.model.view import Power, View
from packwise.model.workload import Floats, Ints, Workload

#: Rounds in a row in which a policy may let an idle machine sleep while jobs wait.
PATIENCE = 100_000


def step_through(
    policy: Policy,
    workload: Workload,
    expected_times: Expectation,
    cluster: Cluster,
    progress: Progress | None,
    nodes: OnNodes | None = None,
    charge: DispatchTime | None = None,
) -> Course:
    """Replay a workload, asking the policy's ``decide`` at each round; ``nodes``: on a machine of nodes.

    ``charge``: what a decision takes. It is carried out when that has passed, and if anything has happened by
    then, there is another round at once; if nodes have gone out or come back, or a job would come to run under
    a lower power cap, it is void. A policy with ``keeps_estimates = True`` goes by the estimates given at
    submission.
    """
    n = len(workload)
    procs = cluster.procs
    belief = expected_times.belief.copy()
    if getattr(policy, "keeps_estimates", False):
        belief[UPDATES] = 0
    state = new_replay(
        workload,
        expected_times.initial,
        belief,
        procs,
        new_sets(n),
        nodes=NO_NODES if nodes is None else new_machine(cluster, nodes._replace(limit=None)),
        sleep=new_sleep(cluster, nodes is not None and not nodes.pooled, n),
        changes=moments(cluster),
    )
    begin_sleep(state, cluster, int(workload.submit[0]))
    host = None if nodes is None else Host(state, cluster, nodes)
    jobs, sets, c = state[JOBS], state[POLICY], state[CORE].counters
    sizes, waiting, running, expected = sets.sizes, sets.waiting, sets.running, sets.expected
    columns = (
        jobs.submit,
        jobs.demand,
        jobs.estimate,
        jobs.limit,
        jobs.user,
        workload.group,
        workload.app,
        jobs.queue_number,
        jobs.deadline,
    )
    submit, demand, estimated, limit, user, group, app, queue_number, deadline = map(
        _read_only, columns
    )
    referee = Referee(policy.name, workload.id)
    energy = cluster.energy
    power = None
    if energy is not None:
        power = Power(energy, energy.clock(workload), energy.rated(workload, cluster.totals()))
    cap = None if nodes is None else nodes.limit
    late = None if cluster.sleep is None else _read_only(state[CLOCK].late)
    times: list[int] = []
    queued: list[int] = []
    started: list[int] = []
    seconds: list[float] = []
    charged: list[int] = []
    owed = 0.0
    compiling: list[float] = []  # what of a decision's time is none of its own
    notes: dict[str, dict[int, float]] = {}
    promised: Ints | None = None
    memory: Any = None
    idle = 0
    _load()
    loaded = time.perf_counter()
    here = state.address

    def next_round() -> int:
        """Move to the next round: what ``step_events`` says, changes of nodes seen to."""
        outcome = int(step_events(here))
        if outcome == CHANGE and host is not None:
            host.outages.change()
            outcome = int(step_sets(here))
            if outcome == NO_ESTIMATE or c[BAD_JOB] >= 0:
                raise expected_times.failure(workload, c)
            return CHANGE
        return outcome

    outcome = next_round()
    while outcome in (ROUND, CHANGE):
        now = int(c[NOW])
        arrived = int(c[ARRIVED])
        waits = int(sizes[WAITS])
        runs = int(sizes[RUNS])
        view = View(
            now,
            procs,
            int(c[FREE]),
            _snapshot(waiting, waits),
            _snapshot(running, runs),
            _snapshot(expected, runs),
            submit[:arrived],
            demand[:arrived],
            estimated[:arrived],
            limit[:arrived],
            user[:arrived],
            group[:arrived],
            app[:arrived],
            queue_number[:arrived],
            deadline[:arrived],
            memory,
            None if host is None else host.view(running[:runs], arrived),
            power,
            None if cap is None else cap.seen_at(now, arrived),
            None if late is None else late[:arrived],
        )
        with timed(compiling):
            begin = time.perf_counter()
            decision = _ask(policy, view)
            seconds.append(time.perf_counter() - begin)
        ruling = referee.check(view, decision)
        memory = decision.memory
        again = False
        if charge is not None:
            owed += charge.seconds(max(0.0, seconds[-1] - sum(compiling)), waits)
            compiling.clear()
            charged.append(int(owed + 0.5) if waits else 0)
            owed -= charged[-1]
            if charged[-1]:
                c[WAKE] = now + charged[-1]
                while c[NOW] < now + charged[-1]:
                    outcome = next_round()
                    if outcome == NO_ESTIMATE:
                        raise expected_times.failure(workload, c)
                    void = outcome == CHANGE or (
                        cap is not None
                        and _runs_lower(cap, ruling.start, estimated, now, int(c[NOW]))
                    )
                    if void:
                        ruling = ruling._replace(start=ruling.start[:0], allocation={})
                    again |= bool(void or c[ENDED] or c[RETURNED] or c[ARRIVED] > c[NEW])
                again |= ruling.wake_at is not None and ruling.wake_at <= c[NOW]
                arrived = int(c[ARRIVED])
        starts, rejects = ruling.start.size, ruling.reject.size
        if starts or rejects:
            sets.start[:starts] = ruling.start
            if rejects:
                sets.reject[:rejects] = ruling.reject
            if host is not None:
                host.place(policy.name, workload, ruling, int(c[NOW]))
            step_start(here, starts, rejects)
            if c[BAD_JOB] >= 0:
                raise expected_times.failure(workload, c)
        if ruling.notes:
            for said, value in ruling.notes.items():
                notes.setdefault(said, {})[len(times)] = value
        if ruling.promised:
            if promised is None:
                promised = np.full(n, -1, np.int64)
            for job, latest in ruling.promised.items():
                if promised[job] < 0:
                    promised[job] = latest
        c[WAKE] = NO_TIME if again or ruling.wake_at is None else ruling.wake_at
        times.append(now)
        queued.append(waits)
        started.append(starts)
        if c[ENDS] == 0 and not sizes[WAITS] and arrived == n:
            break  # all is done; a wake-up call would find nothing
        idle = idle + 1 if c[ENDS] == 0 and sizes[WAITS] and c[NEW] == arrived else 0
        if idle > PATIENCE:
            raise _stalled(policy, workload, state)
        if progress is not None and len(times) % 1024 == 0:
            progress(arrived)
        if again:  # at this moment, whose events are in the sets already
            c[NEW], c[ENDED], c[RETURNED] = c[ARRIVED], 0, 0
            outcome = int(step_sets(here))
        else:
            outcome = next_round()
    if outcome == NO_ESTIMATE:
        raise expected_times.failure(workload, c)
    if sizes[WAITS]:
        raise _stalled(policy, workload, state)
    if progress is not None:
        progress(n)
    rounds = RoundLog(
        np.array(times, np.int64),
        np.array(queued, np.int64),
        np.array(started, np.int64),
        np.array(seconds),
        None if charge is None else np.array(charged, np.int64),
        {said: _column(values, len(times)) for said, values in notes.items()},
    )
    return Course(
        np.where(state[CLOCK].start < 0, NEVER, state[CLOCK].start + state[CLOCK].late),
        rounds,
        time.perf_counter() - loaded,
        jobs.first.copy(),
        jobs.corrections.copy(),
        promised,
        None if host is None else allocation_of(state[NODES], state[CLOCK].start),
        state[CLOCK].begun[: c[BEGUN]].copy(),
        None if host is None else host.outages.interrupted,
        state[CLOCK].late.copy(),
    )


def _runs_lower(cap: PowerLimit, start: Ints, estimate: Ints, before: int, now: int) -> bool:
    """Whether a job that starts now, and not before, comes to run under a lower cap."""
    lengths = estimate[start].tolist()
    return any(cap.lowest(now, length) < cap.lowest(before, length) for length in lengths)


def _load() -> None:
    """Load or compile the step functions on a simulation without jobs."""
    nothing = new_state(0, 1, 0, new_sets(0))
    step_events(nothing.address)
    step_sets(nothing.address)
    step_start(nothing.address, 0, 0)


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


def _ask(policy: Policy, view: View) -> Any:
    try:
        return policy.decide(view)
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise PolicyFailed(
            f"policy '{policy.name}' raised {type(error).__name__} at time {view.now}: {error}"
            f"{place_of(error)}"
        ) from error


def _stalled(policy: Policy, workload: Workload, state: State) -> Stalled:
    sets = state[POLICY]
    return Stalled(
        f"policy '{policy.name}' leaves {sets.sizes[WAITS]} job(s) waiting for ever, the first being job "
        f"{workload.id[sets.waiting[0]]}: the machine is idle at time {state[CORE].counters[NOW]} and nothing "
        "else will happen. Start one, or reject it."
    )
