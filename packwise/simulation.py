"""simulate(): the one verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.decision import Policy
from packwise.model.errors import BadDecision, InputError, JobTooLarge
from packwise.model.run import Run
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Workload
from packwise.predict.predictor import Predictor, expectation
from packwise.predict.requested import Requested

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Replayed


@runtime_checkable
class CompiledPolicy(Policy, Protocol):
    """A policy whose whole replay runs inside compiled code."""

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        procs: int,
        progress: Callable[[int], None] | None = None,
    ) -> Replayed: ...


def simulate(
    workload: Workload,
    cluster: Cluster,
    policy: Policy,
    estimate: Predictor | None = None,
    *,
    reject_too_large: bool = False,
    stepped: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """What this workload would have looked like under this policy.

    ``estimate`` is what the scheduler believes of run times; the users' limits by default. A job wider
    than the cluster raises JobTooLarge, or is left out and counted with ``reject_too_large``.
    A compiled policy stays compiled from the first job to the last; ``stepped`` asks its ``decide`` at
    each round instead, which gives the same schedule. Compiling (on first use) does not count in
    ``Run.seconds``. ``progress`` is called now and then with the
    number of jobs submitted so far.
    """
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
    if too_large.any():
        workload = workload.select(~too_large)
    expected = expectation(predictor, workload)
    compiled = False
    with expected.interruptible():
        if isinstance(policy, CompiledPolicy) and not stepped:
            compiled = True
            replayed = policy.replay(workload, expected, cluster.procs, progress)
        else:
            from packwise.engine.stepping import step_through

            replayed = step_through(policy, workload, expected, cluster.procs, progress)
    start = replayed.start
    ran = start != NEVER
    return Run(
        workload=workload,
        cluster=cluster,
        policy=policy.name,
        estimate=predictor.name,
        schedule=Schedule(
            start,
            np.where(ran, start + workload.runtime, NEVER),
            replayed.first_estimate,
            replayed.promised,
        ),
        rejected=np.concatenate([refused, workload.id[~ran]]),
        rounds=replayed.rounds,
        seconds=replayed.seconds,
        compiled=compiled,
        corrections=replayed.corrections,
    )
