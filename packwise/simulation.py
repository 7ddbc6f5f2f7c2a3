"""simulate(): the one verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from packwise.model.cluster import Cluster, as_cluster
from packwise.model.decision import Policy
from packwise.model.errors import BadDecision, InputError, JobTooLarge
from packwise.model.run import Run
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload
from packwise.predict.predictor import Predictor, expectation
from packwise.predict.requested import Requested

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Course


@runtime_checkable
class CompiledPolicy(Policy, Protocol):
    """A policy whose whole replay runs inside compiled code."""

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Callable[[int], None] | None = None,
    ) -> Course: ...


def simulate(
    workload: Workload,
    cluster: Cluster | int,
    policy: Policy,
    estimate: Predictor | None = None,
    *,
    reject_too_large: bool = False,
    stepped: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """What this workload would have looked like under this policy.

    ``cluster`` may be a number of processors, for ``Cluster.pool``.
    ``estimate`` is what the scheduler believes of run times; the users' limits by default. A job wider
    than the cluster raises JobTooLarge, or is left out and counted with ``reject_too_large``.
    A compiled policy stays compiled from the first job to the last; ``stepped`` asks its ``decide`` at
    each round instead, which gives the same schedule. Compiling (on first use) does not count in
    ``Run.seconds``. ``progress`` is called now and then with the
    number of jobs submitted so far.
    """
    cluster = as_cluster(cluster)
    if not isinstance(workload, Workload):
        raise InputError(
            f"expected a Workload to replay, found {type(workload).__name__}. What load_workload() returns "
            "has it as .workload."
        )
    if not cluster.is_pool:
        raise InputError(
            f"cluster '{cluster.name}' has nodes with several resources; replays need a pool of "
            "identical processors. Use Cluster.pool(R)."
        )
    if not isinstance(policy, Policy):
        raise BadDecision(
            f"a policy should have a name and a decide(view) method, found {policy!r}."
        )
    predictor = estimate if estimate is not None else Requested()
    too_large = workload.demand > cluster.procs
    if too_large.any() and not reject_too_large:
        i = int(np.argmax(too_large))
        raise JobTooLarge(
            f"workload '{workload.name}', job {workload.id[i]} needs {workload.demand[i]} "
            f"processors and can never run on {cluster.procs}; {int(too_large.sum())} such job(s). "
            "Use a larger cluster, clean the workload, or pass reject_too_large=True."
        )
    refused = workload.id[too_large]
    everybody = workload
    if too_large.any():
        workload = workload.select(~too_large)
    expected = expectation(predictor, workload)
    compiled = False
    with expected.interruptible():
        if isinstance(policy, CompiledPolicy) and not stepped:
            compiled = True
            course = policy.replay(workload, expected, cluster, progress)
        else:
            from packwise.engine.stepping import step_through

            course = step_through(policy, workload, expected, cluster, progress)
    start = course.start
    ran = start != NEVER
    schedule = Schedule(
        start,
        np.where(ran, start + workload.runtime, NEVER),
        course.first_estimate,
        course.promised,
    )
    corrections = course.corrections
    rejected = np.concatenate([refused, workload.id[~ran]])
    due = everybody.deadline_driven
    if (too_large & due).any():  # they take part as jobs that never ran, so that they are counted
        part = ~too_large | due
        workload, schedule, corrections = _with_refused(
            everybody.select(part), too_large[part], schedule, corrections
        )
    return Run(
        workload=workload,
        cluster=cluster,
        policy=policy.name,
        estimate=predictor.name,
        schedule=schedule,
        rejected=rejected,
        rounds=course.rounds,
        seconds=course.seconds,
        compiled=compiled,
        corrections=corrections,
    )


def _with_refused(
    workload: Workload, refused: NDArray[np.bool_], schedule: Schedule, corrections: Ints
) -> tuple[Workload, Schedule, Ints]:
    """The schedule of ``workload``, of which some jobs were refused and the others ran as in ``schedule``."""

    def spread(column: Ints, missing: Ints | int) -> Ints:
        whole = np.full(len(workload), missing, np.int64)
        whole[~refused] = column
        return whole

    estimate, promised = schedule.estimate, schedule.promised
    whole = Schedule(
        spread(schedule.start, NEVER),
        spread(schedule.end, NEVER),
        None if estimate is None else spread(estimate, workload.requested_time),
        None if promised is None else spread(promised, NEVER),
    )
    return workload, whole, spread(corrections, 0)
