"""simulate(): the one verb."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from packwise import registry
from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.decision import Policy
from packwise.model.demands import Misfits, demands, misfits, nodes_matter, only_large_enough
from packwise.model.dispatch_time import DispatchTime
from packwise.model.energy.cap import PowerLimit
from packwise.model.errors import BadDecision, InputError, JobTooLarge
from packwise.model.placement import placement_code, placement_for
from packwise.model.run import Run
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload
from packwise.policies.recorded import Recorded
from packwise.power_cap import above, as_node, limit_of, refuse_unknown
from packwise.predict.predictor import Predictor, expectation
from packwise.predict.requested import Requested
from packwise.warm_up.crew import ready
from packwise.warm_up.needs import of_replay

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.nodes.replay import OnNodes
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


@runtime_checkable
class NodePolicy(Policy, Protocol):
    """A compiled policy that can plan on nodes."""

    #: What it needs compiled for that.
    node_parts: tuple[str, ...]

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Callable[[int], None] | None = None,
        nodes: OnNodes | None = None,
    ) -> Course: ...


@runtime_checkable
class BoundPolicy(Policy, Protocol):
    """A policy that has to know what a replay is of."""

    def bound(self, workload: Workload, cluster: Cluster) -> Policy: ...


def simulate(
    workload: Workload,
    cluster: Cluster | int,
    policy: Policy | str,
    estimate: Predictor | str | None = None,
    *,
    reject_too_large: bool = False,
    stepped: bool = False,
    placement: str | None = None,
    charge: DispatchTime | None = None,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """What this workload would have looked like under this policy.

    ``cluster`` may be a number of processors, for ``Cluster.pool``; policy and estimate may be names, as on the
    command line (``"easy"``, ``"last2"``). On a cluster of nodes every unit of a job
    is on one node, and ``Run.schedule.allocation`` tells on which. ``estimate`` is what the scheduler believes
    of run times; the users' limits by default. A job wider than the cluster raises JobTooLarge, or is left out
    and counted with ``reject_too_large``. A compiled policy stays compiled from the first job to the last;
    ``stepped`` asks its ``decide`` at each round instead, which gives the same schedule. Compiling (on first
    use) does not count in ``Run.seconds``. ``placement`` says which nodes jobs get, on a cluster of nodes; by
    default the policy's own, or scarce-last. ``charge``: what a decision takes of the replay's time (every
    policy is then asked round by round); without it decisions take none. ``Recorded()`` is what really
    happened, of which the log tells, whatever the cluster. ``progress`` is called now and then with the
    number of jobs submitted so far.
    """
    cluster = as_cluster(cluster)
    if not isinstance(workload, Workload):
        raise InputError(
            f"expected a Workload to replay, found {type(workload).__name__}. What load_workload() returns "
            "has it as .workload."
        )
    if isinstance(policy, str):
        policy = registry.policy(policy)
    if isinstance(estimate, str):
        estimate = registry.estimate(estimate)
    if not isinstance(policy, Policy):
        raise BadDecision(
            f"a policy should have a name and a decide(view) method, found {policy!r}."
        )
    rule = placement_for(policy, placement)
    placement_code(rule)
    predictor = estimate if estimate is not None else Requested()
    if isinstance(policy, Recorded):
        # Who has no place is refused as under any other policy; a machine with no place for anybody is not
        # the one.
        which = misfits(workload, cluster).which & reject_too_large
        which &= not which.all()
        jobs = workload.select(~which) if which.any() else workload
        run = policy.run(jobs, cluster, predictor.name)
        return replace(run, rejected=np.concatenate([workload.id[which], run.rejected]))
    limit = limit_of(policy, workload, cluster)
    too_large, reason = _misfits(workload, cluster, limit, predictor)
    if too_large.any() and not reject_too_large:
        raise JobTooLarge(
            f"workload '{workload.name}', {reason}; {int(too_large.sum())} such job(s). "
            "Use a larger cluster, clean the workload, or pass reject_too_large=True."
        )
    if too_large.all():
        raise JobTooLarge(
            f"workload '{workload.name}': none of its {len(workload)} jobs can ever run on "
            f"'{cluster.name}': {reason}. Use a larger cluster."
        )
    refused = workload.id[too_large]
    everybody = workload
    if too_large.any():
        workload = workload.select(~too_large)
    if limit is not None:
        limit = limit._replace(draw=limit.draw[~too_large])
    if isinstance(policy, BoundPolicy):
        policy = policy.bound(workload, cluster)
    expected = expectation(predictor, workload)
    machine = as_node(cluster) if limit is not None and cluster.is_pool else cluster
    nodes = None if machine.is_pool else _on_nodes(workload, machine, rule, limit, cluster.is_pool)
    if nodes is not None and getattr(policy, "nodes_matter", False):
        nodes = nodes._replace(matter=True)
    if limit is not None and not plans_on_nodes(policy):
        raise InputError(
            f"policy '{policy.name}' cannot keep to a power cap. Use easy, cbf or packwise."
        )
    if nodes is not None and nodes.matter and not plans_on_nodes(policy):
        raise InputError(
            f"policy '{policy.name}' cannot plan on nodes yet, and on '{cluster.name}' it matters on which "
            "nodes jobs run. Use a list policy such as easy or list-saf, or a pool: Cluster.pool(R), --procs R."
        )
    compiled = isinstance(policy, CompiledPolicy) and not stepped and charge is None
    ready(
        of_replay(
            policy,
            predictor,
            machine,
            matter=nodes is not None and nodes.matter,
            stepped=not compiled,
        )
    )
    with expected.interruptible():
        if isinstance(policy, CompiledPolicy) and compiled:
            course = _replay(policy, workload, expected, machine, progress, nodes)
        else:
            from packwise.engine.stepping import step_through

            course = step_through(policy, workload, expected, machine, progress, nodes, charge)
    start = course.start
    ran = start != NEVER
    if limit is not None:
        refuse_unknown(limit, workload, np.where(ran, start + workload.runtime, NEVER), cluster)
    schedule = Schedule(
        start,
        np.where(ran, start + workload.runtime, NEVER),
        course.first_estimate,
        course.promised,
        None if cluster.is_pool else course.allocation,
        None if cluster.sleep is None else course.booting,
    )
    corrections = course.corrections
    interrupted = None if cluster.is_pool else course.interrupted
    rejected = np.concatenate([refused, workload.id[~ran]])
    due = everybody.deadline_driven
    if (too_large & due).any():  # they take part as jobs that never ran, so that they are counted
        part = ~too_large | due
        workload, schedule, corrections = _with_refused(
            everybody.select(part), too_large[part], schedule, corrections
        )
        if interrupted is not None:
            places = np.flatnonzero(~too_large[part])
            interrupted = replace(interrupted, job=places[interrupted.job])
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
        interrupted=interrupted,
    )


def never_under_cap(
    workload: Workload, cluster: Cluster, policy: Policy, estimate: Predictor
) -> Misfits:
    """The jobs that the policy can never run because it keeps to a power cap."""
    return _above(workload, limit_of(policy, workload, cluster), estimate)


def _above(workload: Workload, limit: PowerLimit | None, predictor: Predictor) -> Misfits:
    if limit is None:
        return Misfits(np.zeros(len(workload), np.bool_), "")
    expected = expectation(predictor, workload)
    # How long they are expected to take may not be known yet.
    duration = np.ones_like(expected.initial) if expected.learns else expected.initial
    return above(limit, workload, duration)


def _misfits(
    workload: Workload, cluster: Cluster, limit: PowerLimit | None, predictor: Predictor
) -> Misfits:
    """The jobs that can never run, by what they need or by what they draw."""
    found = misfits(workload, cluster)
    drawing = _above(workload, limit, predictor)
    return Misfits(found.which | drawing.which, found.reason or drawing.reason)


def _on_nodes(
    workload: Workload,
    cluster: Cluster,
    placement: str,
    limit: PowerLimit | None,
    pooled: bool,
) -> OnNodes:
    from packwise.engine.nodes.replay import OnNodes

    wanted = only_large_enough(demands(workload, cluster), cluster)
    matter = limit is not None or cluster.sleep is not None or nodes_matter(workload, cluster)
    return OnNodes(wanted, placement, matter, limit, pooled)


def plans_on_nodes(policy: Policy) -> bool:
    """A policy that is asked round by round does, unless it says that it is for pools only."""
    if isinstance(policy, CompiledPolicy):
        return isinstance(policy, NodePolicy)
    return not getattr(policy, "pool_only", False)


def _replay(
    policy: CompiledPolicy,
    workload: Workload,
    expected: Expectation,
    cluster: Cluster,
    progress: Callable[[int], None] | None,
    nodes: OnNodes | None,
) -> Course:
    """A replay inside compiled code. Where nodes do not matter the schedule is that of a pool."""
    if nodes is None:
        return policy.replay(workload, expected, cluster, progress)
    if not nodes.matter:
        from packwise.engine.nodes.placing import place

        pool = replace(Cluster.pool(cluster.procs, cluster.name), energy=cluster.energy)
        course = policy.replay(workload, expected, pool, progress)
        ends = course.start + workload.runtime
        return course._replace(allocation=place(cluster, nodes, course.begun, course.start, ends))
    assert isinstance(policy, NodePolicy)
    return policy.replay(workload, expected, cluster, progress, nodes)


def _with_refused(
    workload: Workload, refused: NDArray[np.bool_], schedule: Schedule, corrections: Ints
) -> tuple[Workload, Schedule, Ints]:
    """The schedule of ``workload``, of which some jobs were refused and the others ran as in ``schedule``."""
    estimate, promised, booting = schedule.estimate, schedule.promised, schedule.booting
    whole = Schedule(
        _spread(schedule.start, refused, NEVER),
        _spread(schedule.end, refused, NEVER),
        None if estimate is None else _spread(estimate, refused, workload.requested_time),
        None if promised is None else _spread(promised, refused, NEVER),
        None if schedule.allocation is None else _spread_nodes(schedule.allocation, refused),
        None if booting is None else _spread(booting, refused, 0),
    )
    return workload, whole, _spread(corrections, refused, 0)


def _spread(column: Ints, refused: NDArray[np.bool_], missing: Ints | int) -> Ints:
    """A column of all jobs, with something for those who were refused."""
    whole = np.full(len(refused), missing, np.int64)
    whole[~refused] = column
    return whole


def _spread_nodes(allocation: Allocation, refused: NDArray[np.bool_]) -> Allocation:
    """The allocation with nothing for those who were refused."""
    counts = np.zeros(len(refused), np.int64)
    counts[~refused] = np.diff(allocation.first)
    first = np.concatenate(([0], np.cumsum(counts)))
    return Allocation(first, allocation.node, allocation.units)
