"""Nodes that sleep while they have nothing to do: whoever gets one of them waits until it has booted.

A job that has to wait so holds its nodes from the decision on, and to the engine it is longer by that: its run
time, its limit and its estimate are, from when it is started. On a pool the processors that run no job are on
as few nodes as can be, and of those the ones that became idle last are taken first, as in the account of energy
(``packwise.metrics.energy.idle_nodes``).
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.kernel import kernel_of_state
from packwise.engine.memory import Group, State
from packwise.engine.nodes.cells import hold
from packwise.engine.nodes.group import Nodes
from packwise.engine.pool.releases import add_release, drop_release
from packwise.engine.sleep_group import (
    AFTER,
    BOOT,
    FREE_NOW,
    IDLE,
    NO_SLEEP,
    NUMBERS,
    PARTS,
    SIZE,
    SPARE_READY,
    Sleep,
)
from packwise.engine.slots import group
from packwise.engine.state import (
    CLOCK,
    CORE,
    ENDED,
    JOBS,
    MACHINE,
    NODES,
    NOW,
    OVERRAN,
    REL_HI,
    REL_LO,
    RELEASES,
    SCRATCH,
    SLEEP,
    SLEEP_KERNEL,
    STALE,
    STARTING,
    Clock,
    Core,
    Jobs,
    Machine,
    Scratch,
)
from packwise.model.cluster import Cluster


def new_sleep(cluster: Cluster, by_node: bool, jobs: int) -> Group:
    """Room for the nodes of a cluster that sleep; for nothing, if they do not."""
    sleep = cluster.sleep
    if sleep is None:
        return NO_SLEEP
    if by_node:
        nodes = cluster.nodes
        return Group(Sleep, (NUMBERS, nodes, 0, nodes, nodes))
    parts = min(cluster.procs // sleep.cores_per_node, jobs) + 2
    return Group(Sleep, (NUMBERS, parts, parts, 0, 0))


def begin_sleep(state: State, cluster: Cluster, since: int) -> None:
    """Nobody runs yet: all nodes have had nothing to do since then."""
    sleep, found = state[SLEEP], cluster.sleep
    if found is None:
        return
    idle = cluster.procs // found.cores_per_node
    size = found.cores_per_node
    sleep.numbers[:] = found.after, found.boot_time, size, cluster.procs, idle, 1, since
    sleep.since[:] = since
    sleep.amount[:1] = idle
    state[CORE].counters[SLEEP_KERNEL] = sleeping.address


@kernel_of_state
def sleeping(state):
    """Note who has ended at this moment; or, if jobs are about to start, who of them has to wait for nodes."""
    c = group(state, CORE, Core).counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    nodes = group(state, NODES, Nodes)
    sleep = group(state, SLEEP, Sleep)
    if c[STARTING] == 0:
        for i in range(c[ENDED]):
            leave(sleep, jobs, nodes, c, clock.ended[i])
        return 0
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    for i in range(c[STARTING]):
        job = scratch.slot[i]
        late = wake(sleep, jobs, nodes, c, job)
        clock.late[job] = late
        if late > 0:
            postpone(jobs, machine, nodes, c, job, late)
    return 0


@inlined
def leave(sleep, jobs, nodes, c, job):
    """A job leaves its nodes."""
    now = c[NOW]
    if sleep.busy.size > 0:
        for i in range(nodes.first[job], nodes.first[job] + nodes.held[job]):
            node = nodes.node[i]
            sleep.busy[node] -= 1
            if sleep.busy[node] == 0:
                sleep.since[node] = now
        return
    numbers = sleep.numbers
    numbers[FREE_NOW] += jobs.demand[job]
    idle = numbers[FREE_NOW] // numbers[SIZE]
    if idle > numbers[IDLE]:
        last = numbers[PARTS] - 1
        if last < 0 or sleep.since[last] != now:
            last += 1
            numbers[PARTS] = last + 1
            sleep.since[last] = now
            sleep.amount[last] = 0
        sleep.amount[last] += idle - numbers[IDLE]
        numbers[IDLE] = idle


@inlined
def wake(sleep, jobs, nodes, c, job):
    """A job gets its nodes. Returns how long it has to wait for them."""
    numbers = sleep.numbers
    now = c[NOW]
    awake_since = now - numbers[AFTER]
    ready = now
    if sleep.busy.size > 0:
        for i in range(nodes.first[job], nodes.first[job] + nodes.held[job]):
            node = nodes.node[i]
            if sleep.busy[node] == 0 and sleep.since[node] < awake_since:
                sleep.ready[node] = now + numbers[BOOT]
            ready = max(ready, sleep.ready[node])
            sleep.busy[node] += 1
        return ready - now
    numbers[FREE_NOW] -= jobs.demand[job]
    left = numbers[FREE_NOW] // numbers[SIZE]
    if jobs.demand[job] > (numbers[IDLE] - left) * numbers[SIZE]:
        ready = max(ready, numbers[SPARE_READY])
    if numbers[IDLE] > left:
        numbers[SPARE_READY] = now
    while numbers[IDLE] > left:
        last = numbers[PARTS] - 1
        taken = min(sleep.amount[last], numbers[IDLE] - left)
        if sleep.since[last] < awake_since:
            numbers[SPARE_READY] = now + numbers[BOOT]
        sleep.amount[last] -= taken
        numbers[IDLE] -= taken
        if sleep.amount[last] == 0:
            numbers[PARTS] = last
        ready = max(ready, numbers[SPARE_READY])
    return ready - now


@inlined
def postpone(jobs, machine, nodes, c, job, late):
    """Let a job that has been given its place from now on take so much longer."""
    end = c[NOW] + jobs.estimate[job]
    if nodes.head.size > 0:
        hold(nodes, job, c[NOW], end, end + late)
    if c[RELEASES] > 0:
        times, amounts = machine.rel_time, machine.rel_amount
        demand = jobs.demand[job]
        c[REL_LO], c[REL_HI] = drop_release(times, amounts, c[REL_LO], c[REL_HI], end, demand)
        c[REL_HI] = add_release(times, amounts, c[REL_LO], c[REL_HI], end + late, demand)
    jobs.runtime[job] += late
    jobs.limit[job] += late
    jobs.estimate[job] += late
    c[STALE] = 1
    c[OVERRAN] = 1
