"""Conservative backfilling on nodes: as on a pool (``packwise.engine.pool.conservative``), but what a job is
promised at its submission are nodes from a time on. It keeps them until it starts, unless it can start earlier
on others.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.kernel import kernel_of_state
from packwise.engine.nodes.cap import has_power
from packwise.engine.nodes.cells import begin_at, give_back, hold, units_between
from packwise.engine.nodes.earliest import earliest, look
from packwise.engine.nodes.group import CAPPED, CHANGED, RULE, Nodes
from packwise.engine.nodes.places import choose, fits_now, settle
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    AT_ONCE,
    CLOCK,
    CORE,
    EARLY,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NO_TIME,
    NODES,
    NOW,
    OUT_NEW,
    OVERRAN,
    PLAN_HI,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    RETURNED,
    SCRATCH,
    WAKE,
    Clock,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import append_returned, append_until

#: When something became open to others on a node: before a round, or in the course of it.
BEFORE, JUST_NOW = 1, 2


@kernel_of_state
def nodes_conservative_round(state):
    """Bring the promises up to date, make new ones, and pick those promised for now."""
    c = group(state, CORE, Core).counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    nodes = group(state, NODES, Nodes)
    append_until(jobs, queue, c, c[NEW])
    lo = c[QUEUE_LO]
    old = c[QUEUE_HI] - lo
    believed = c[OVERRAN] == 0
    early = c[EARLY] + c[RETURNED] > 0
    for i in range(c[ENDED]):
        job = clock.ended[i]
        if clock.start[job] + jobs.estimate[job] > c[NOW]:
            early = True
            note_change(nodes, job, BEFORE)
    seen = c[PLAN_HI] == 0  # the chains of a view hold no promises yet
    c[PLAN_HI] = 1
    if not seen and (c[OUT_NEW] > 0 or not believed):
        for k in range(lo, lo + old):
            let_go(queue, machine, nodes, c, k)
    if seen or c[OUT_NEW] > 0:  # what has changed is not known
        for node in range(nodes.head.size):
            note_changed_node(nodes, node, BEFORE)
        if believed:
            hold_promises(queue, machine, nodes, c, old)
    append_returned(jobs, queue, c)
    append_until(jobs, queue, c, c[ARRIVED])
    lo = c[QUEUE_LO]
    keep = old if believed else 0
    pulled = believed and (early or c[AT_ONCE] > 0)
    if pulled:
        for k in range(lo, lo + old):
            pull_forward(queue, machine, nodes, c, k, c[AT_ONCE] > 0)
    forget_changes(nodes, pulled or not believed)
    for k in range(lo + keep, c[QUEUE_HI]):
        promise(queue, machine, nodes, c, k)
    for k in range(lo + old, c[QUEUE_HI]):
        if machine.promised[queue.job[k]] < 0:
            machine.promised[queue.job[k]] = machine.planned[queue.job[k]]
    c[OVERRAN] = 0
    c[WAKE] = NO_TIME
    count = 0
    for k in range(lo, c[QUEUE_HI]):
        start = machine.planned[queue.job[k]]
        if start > c[NOW]:
            c[WAKE] = min(c[WAKE], start)
        else:
            scratch.picked[count] = k
            count += 1
            c[FREE] -= queue.demand[k]
    return count


@inlined
def hold_promises(queue, machine, nodes, c, old):
    """Put the first ``old`` jobs of the queue where they were promised to be, as far as there still is room;
    those without find another place, behind the others. A place in the past becomes one now.
    """
    lo = c[QUEUE_LO]
    for k in range(lo, lo + old):
        job = queue.job[k]
        machine.planned[job] = max(machine.planned[job], c[NOW])
        if place_is_free(queue, machine, nodes, c, k):
            hold_again(queue, machine, nodes, c, k)
        else:
            machine.planned[job] = -1
            note_change(nodes, job, JUST_NOW)
    for k in range(lo, lo + old):
        if machine.planned[queue.job[k]] < 0:
            promise(queue, machine, nodes, c, k)


@inlined
def place_is_free(queue, machine, nodes, c, k):
    """Whether there is room on its nodes for the job at queue position ``k``, where it is planned."""
    job = queue.job[k]
    start = machine.planned[job]
    placed = 0
    for i in range(nodes.first[job], nodes.first[job] + nodes.held[job]):
        cell = begin_at(nodes, nodes.node[i], c[NOW])
        share = nodes.share[i]
        end = start + queue.estimate[k]
        if units_between(nodes, cell, nodes.kind[job], share, start, end) < share:
            return False
        placed += share
    if placed != nodes.units[job]:
        return False
    return not nodes.numbers[CAPPED] or has_power(nodes, job, c[NOW], start, queue.estimate[k])


@inlined
def hold_again(queue, machine, nodes, c, k):
    """Put the job at queue position ``k`` where it is planned, on its nodes."""
    job = queue.job[k]
    start = machine.planned[job]
    hold(nodes, job, c[NOW], start, start + queue.estimate[k])


@inlined
def let_go(queue, machine, nodes, c, k):
    """Take the job at queue position ``k`` off the nodes where it is planned."""
    job = queue.job[k]
    start = machine.planned[job]
    give_back(nodes, job, c[NOW], start, start + queue.estimate[k])


@apart
def promise(queue, machine, nodes, c, k):
    """Give the job at queue position ``k`` nodes from the earliest time on."""
    job = queue.job[k]
    machine.planned[job] = earliest(nodes, job, c[NOW], c[NOW], queue.estimate[k])
    take_nodes(queue, machine, nodes, c, k)


@inlined
def take_nodes(queue, machine, nodes, c, k):
    """Choose nodes for the job at position ``k`` at its planned start, for which ``nodes.fit`` is known."""
    job = queue.job[k]
    later = machine.planned[job] > c[NOW]
    settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], later))
    hold_again(queue, machine, nodes, c, k)


@inlined
def note_change(nodes, job, when):
    """What a job had, or was to have, on its nodes is open to others."""
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        note_changed_node(nodes, nodes.node[i], when)


@inlined
def note_changed_node(nodes, node, when):
    if not nodes.mark[node]:
        nodes.changed[nodes.numbers[CHANGED]] = node
        nodes.numbers[CHANGED] += 1
    nodes.mark[node] = max(nodes.mark[node], when)


@inlined
def forget_changes(nodes, seen):
    """After a round: what changed before it has been ``seen`` by all, or not. What those who moved have left
    was not: who is before them in the queue has looked already.
    """
    kept = 0
    for i in range(nodes.numbers[CHANGED]):
        node = nodes.changed[i]
        if seen and nodes.mark[node] == BEFORE:
            nodes.mark[node] = 0
        else:
            nodes.mark[node] = BEFORE
            nodes.changed[kept] = node
            kept += 1
    nodes.numbers[CHANGED] = kept


@inlined
def may_move(nodes, job, now, planned, duration):
    """Whether a job could start before it is planned to: False is for sure.

    It had the earliest place that there was. So an earlier one needs a unit on a node that has changed since
    then; or that it has itself, which is not looked at here. Under a power cap anybody's power may be enough.
    """
    if nodes.numbers[CAPPED]:
        return True
    kind = nodes.kind[job]
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        if nodes.mark[nodes.node[i]]:
            return True
    for i in range(nodes.numbers[CHANGED]):
        node = nodes.changed[i]
        if nodes.open[nodes.where[kind], node]:
            nodes.cursor[node] = begin_at(nodes, node, now)
            start = now
            while start < planned:
                later = look(nodes, node, kind, 1, start, duration)
                if nodes.fit[node] > 0:
                    return True
                start = later
    return False


@apart
def pull_forward(queue, machine, nodes, c, k, at_once):
    """Move the job at queue position ``k`` to an earlier time, if there is one; with ``at_once``, only to the
    present moment.
    """
    job = queue.job[k]
    now = c[NOW]
    planned = machine.planned[job]
    if planned <= now or (
        not at_once and not may_move(nodes, job, now, planned, queue.estimate[k])
    ):
        return
    let_go(queue, machine, nodes, c, k)
    start = planned
    if not at_once:
        start = earliest(nodes, job, now, now, queue.estimate[k])
    elif fits_now(nodes, job, now, now + queue.estimate[k]):
        start = now
    if start < planned:
        note_change(nodes, job, JUST_NOW)
        machine.planned[job] = start
        take_nodes(queue, machine, nodes, c, k)
    else:
        hold_again(queue, machine, nodes, c, k)
