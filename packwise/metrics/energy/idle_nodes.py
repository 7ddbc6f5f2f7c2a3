"""Which nodes had nothing to do for so long that they could have slept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.metrics.outcome import Origin, Outcome
from packwise.metrics.timeline import level
from packwise.model.cluster import Cluster
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import CORES, Floats, Ints


class Gaps(NamedTuple):
    """Nodes without a job from ``begin`` until ``end``, with so many cores; the last ones may have no job
    after.
    """

    begin: Ints
    end: Ints
    cores: Floats


class Nap(NamedTuple):
    """Nodes asleep from ``asleep`` until ``woken``, and booting from then ``until`` they have a job."""

    asleep: Ints
    woken: Ints
    until: Ints
    cores: Floats

    @classmethod
    def none(cls) -> Nap:
        empty = np.empty(0, np.int64)
        return cls(empty, empty, empty, np.empty(0))


def naps(outcome: Outcome, scenario: EnergyScenario) -> Nap:
    """When nodes sleep: so long after they have nothing to do, until they have to boot for their next job."""
    sleep = scenario.sleep
    origin = outcome.origin
    assert sleep is not None
    assert origin is not None
    nodes = None if origin.cluster.is_pool else origin
    gaps = (
        _pool_gaps(outcome, sleep.cores_per_node) if nodes is None else _node_gaps(outcome, nodes)
    )
    asleep = gaps.begin + sleep.after
    last = gaps.end >= outcome.last_end  # nobody needs these again
    woken = np.where(last, gaps.end, gaps.end - sleep.boot_time)
    long = woken > asleep
    return Nap(asleep[long], woken[long], gaps.end[long], gaps.cores[long])


def _pool_gaps(outcome: Outcome, cores_per_node: int) -> Gaps:
    """Idle processors are on as few nodes as can be, and those that became idle last are taken first."""
    begin, end = outcome.first_submit, outcome.last_end
    busy = level(outcome.start, outcome.end, outcome.demand)
    times = np.append(busy.times[busy.times < end], end)
    nodes = np.maximum(outcome.procs - busy.values[: len(times) - 1], 0) // cores_per_node
    if times[0] > begin:
        times = np.append(begin, times)
        nodes = np.append(outcome.procs // cores_per_node, nodes)
    open_gaps: list[tuple[int, int]] = []
    found: list[tuple[int, int, int]] = []
    have = 0
    for time, idle in zip(times.tolist(), [*nodes.tolist(), 0], strict=True):
        if idle > have:
            open_gaps.append((time, idle - have))
        taken = have - idle
        while taken > 0:
            since, count = open_gaps.pop()
            used = min(count, taken)
            if used < count:
                open_gaps.append((since, count - used))
            found.append((since, time, used))
            taken -= used
        have = idle
    table = np.array(found, np.int64).reshape(-1, 3)
    return Gaps(table[:, 0], table[:, 1], (table[:, 2] * cores_per_node).astype(np.float64))


def _node_gaps(outcome: Outcome, origin: Origin) -> Gaps:
    """The gaps between the jobs of each node, as the schedule tells them."""
    node, begin, end = _stays(origin.cluster, origin.schedule)
    order = np.lexsort((begin, node))
    node, begin, end = node[order], begin[order], end[order]
    # The latest end so far on the same node: nodes follow each other far enough apart in time.
    reach = outcome.last_end - outcome.first_submit + 1
    latest = np.maximum.accumulate(end - outcome.first_submit + node * reach)
    until = latest - node * reach + outcome.first_submit
    new = np.append(True, node[1:] != node[:-1])
    idle_since = np.where(new, outcome.first_submit, np.append(0, until[:-1]))
    ends = np.append(new[1:], True)
    never = np.setdiff1d(np.arange(origin.cluster.nodes), node)
    nodes = np.concatenate((node, node[ends], never))
    since = np.concatenate((idle_since, until[ends], np.full(len(never), outcome.first_submit)))
    to = np.concatenate((begin, np.full(int(ends.sum()) + len(never), outcome.last_end)))
    there = to > since
    place = origin.cluster.resources.index(CORES)
    cores = origin.cluster.capacity()[:, place].astype(np.float64)
    return Gaps(since[there], to[there], cores[nodes[there]])


def _stays(cluster: Cluster, schedule: Schedule) -> tuple[Ints, Ints, Ints]:
    """Node, begin and end of each stay of a job on a node."""
    if schedule.allocation is None:
        raise InputError(
            f"sleep: on the nodes of '{cluster.name}' only a schedule that tells the nodes of its jobs tells "
            "which of them are idle; found none in this one. Remove [sleep], or replay the log on these nodes."
        )
    job = schedule.allocation.job
    return schedule.allocation.node, schedule.start[job], schedule.end[job]
