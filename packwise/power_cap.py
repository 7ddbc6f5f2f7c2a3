"""Replays under a power cap: what the jobs may draw, and the machine that plans are made on.

A policy that keeps to a cap says so: its ``power_cap`` is "scenario" or so many watts. Plans under a cap are
made by the engine for nodes, which counts more than processors; a pool is one node to it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real

import numpy as np

from packwise.model.cluster import Cluster, NodeGroup
from packwise.model.decision import Policy
from packwise.model.demands import Misfits
from packwise.model.energy.cap import SCENARIO, PowerCap, PowerLimit, power_limit, watts
from packwise.model.errors import InputError
from packwise.model.workload import CORES, Ints, Workload
from packwise.readable import duration as duration_words


def limit_of(policy: Policy, workload: Workload, cluster: Cluster) -> PowerLimit | None:
    """What the jobs may draw under this policy; None if it keeps to no cap."""
    cap = getattr(policy, "power_cap", None)
    if cap is None:
        return None
    if cluster.energy is None:
        raise InputError(
            f"policy '{policy.name}' keeps to a power cap, and nobody tells what jobs draw. Name a scenario: "
            "--energy market."
        )
    chosen = _chosen(policy, cap)
    return power_limit(cluster.energy, chosen, workload, cluster.procs, _woken(workload, cluster))


def _chosen(policy: Policy, cap: object) -> PowerCap:
    if isinstance(cap, str) and cap == SCENARIO:
        return SCENARIO
    try:
        watts = float(cap) if isinstance(cap, Real) and not isinstance(cap, bool) else math.nan
    except OverflowError:
        watts = math.inf
    if not math.isfinite(watts):
        raise InputError(
            f"policy '{policy.name}': power_cap should be '{SCENARIO}' or watts, found {cap!r}."
        )
    return watts


def _woken(workload: Workload, cluster: Cluster) -> Ints:
    """The cores of all nodes that a job may be on, at most."""
    sleep = cluster.sleep
    if cluster.is_pool:
        size = 1 if sleep is None else sleep.cores_per_node
        return -(-workload.demand // size) * size
    largest = max(group.capacity.get(CORES, 0) for group in cluster.groups)
    units = workload.demand if workload.units is None else workload.units
    return np.minimum(units * largest, cluster.procs)


def above(limit: PowerLimit, workload: Workload, duration: Ints) -> Misfits:
    """The jobs that draw more than is ever allowed, or allowed for so long."""
    which = limit.longest(limit.draw) < duration
    if not which.any():
        return Misfits(which, "")
    i = int(np.argmax(which))
    draw, most = int(limit.draw[i]), int(limit.budget.max())
    why = f"leaves {watts(most)} at most"
    if draw <= most:
        length = duration_words(float(duration[i]))
        why = f"never leaves as much for the {length} that it is expected to take"
    return Misfits(
        which,
        f"job {workload.id[i]} draws {watts(draw)} more than its cores do idle, and can never run under a "
        f"power cap that {why}",
    )


def as_node(cluster: Cluster) -> Cluster:
    """A pool as one node that has all processors."""
    group = NodeGroup("machine", 1, {CORES: cluster.procs})
    return replace(cluster, groups=(group,))


def refuse_unknown(limit: PowerLimit, workload: Workload, end: Ints, cluster: Cluster) -> None:
    """Refuse a schedule in which somebody runs when nothing is known of the cap any more."""
    since = limit.unknown_from
    if since is None or not (end > since).any():
        return
    assert cluster.energy is not None
    clock = cluster.energy.clock(workload)
    i = int(np.argmax(end > since))
    raise InputError(
        f"workload '{workload.name}', job {workload.id[i]} ends at {clock.words(int(end[i]))}, and the power "
        f"cap is known until {clock.words(since)}. Give a cap that tells more; or it is so low that the job, "
        f"which draws {watts(int(limit.draw[i]))} more than its cores do idle, found no time before."
    )
