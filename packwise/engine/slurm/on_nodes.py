"""Slurm's passes on nodes. A reservation keeps whole nodes, whatever the job needs of them."""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.kernel import BAD_ESTIMATE, kernel_of_state
from packwise.engine.nodes.cells import MANY_SEATS, begin_at, take, units_between
from packwise.engine.nodes.earliest import earliest
from packwise.engine.nodes.group import RULE, Nodes
from packwise.engine.nodes.list_round import could_start
from packwise.engine.nodes.list_round import start as start_on_nodes
from packwise.engine.nodes.places import choose, note_release, settle
from packwise.engine.pool.rounds import note_release as note_release_time
from packwise.engine.slots import group
from packwise.engine.slurm.chances import forget_tests, gets_reservation, is_tested, rounded
from packwise.engine.slurm.due import backfill_is_due, conclude, main_depth, take_events
from packwise.engine.slurm.group import BF_LINEAR, BF_MAX_START, Slurm
from packwise.engine.slurm.steps import end_of_step
from packwise.engine.state import (
    BAD_JOB,
    CLOCK,
    COMPLETE,
    CORE,
    JOBS,
    MACHINE,
    NO_TIME,
    NODES,
    NOW,
    POLICY,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    SCRATCH,
    Clock,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)


@kernel_of_state
def nodes_slurm_round(state):
    """Pick who starts now, and where, by those of the passes that are due."""
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    nodes = group(state, NODES, Nodes)
    slurm = group(state, POLICY, Slurm)
    take_events(core.belief, jobs, clock, queue, slurm, c)
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    count = 0
    depth = main_depth(slurm, c[NOW])
    if depth > 0:
        count = main_pass(queue, machine, nodes, slurm, c, scratch, depth)
    if backfill_is_due(slurm, c[NOW]):
        count = backfill_pass(jobs, queue, machine, nodes, slurm, c, scratch, count)
    conclude(jobs, queue, slurm, c, scratch, count)
    return count


@apart
def main_pass(queue, machine, nodes, slurm, c, scratch, depth):
    """Start jobs in the order of their priorities. After one that does not fit, no other of its partition is
    looked at, nor any of its nodes.
    """
    for p in range(slurm.failed.size):
        slurm.failed[p] = 0
    for node in range(slurm.blocked.size):
        slurm.blocked[node] = 0
    blocked = 0
    tests = 0
    count = 0
    for k in range(c[QUEUE_LO], c[QUEUE_HI]):
        job = queue.job[k]
        part = slurm.part[job]
        if slurm.failed[part]:
            continue
        tests += 1
        if tests > depth:
            break
        able = could_start(queue, nodes, c, k)
        if able and blocked > 0:
            able = fits_beside(nodes, slurm, job, c[NOW], c[NOW] + queue.estimate[k])
        if able:
            start(queue, machine, nodes, slurm, c, scratch, count, k)
            count += 1
            continue
        slurm.failed[part] = 1
        for node in range(slurm.blocked.size):
            if slurm.there[part, node] and not slurm.blocked[node]:
                slurm.blocked[node] = 1
                blocked += 1
        if blocked == slurm.blocked.size:
            break
    return count


@apart
def fits_beside(nodes, slurm, job, now, end):
    """Whether a job fits from now until ``end`` on nodes that are not blocked; ``nodes.fit`` tells where."""
    units = nodes.units[job]
    kind = nodes.kind[job]
    total = 0
    row = nodes.where[kind]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        nodes.fit[node] = 0
        if not slurm.blocked[node]:
            cell = begin_at(nodes, node, now)
            nodes.fit[node] = units_between(nodes, cell, kind, units, now, end)
            total += nodes.fit[node]
    return total >= units


@apart
def start(queue, machine, nodes, slurm, c, scratch, count, k):
    start_on_nodes(queue, machine, nodes, c, k)
    slurm.begun[queue.job[k]] = 1
    note_release_time(queue, machine, c, k)
    scratch.picked[count] = k


@apart
def next_able(queue, nodes, slurm, c, first, end):
    """The first position from ``first`` on whose job could start now, given what is reserved; ``nodes.fit`` is
    that job's.
    """
    for k in range(first, end):
        if not slurm.begun[queue.job[k]] and could_start(queue, nodes, c, k):
            return k
    return end


@apart
def backfill_pass(jobs, queue, machine, nodes, slurm, c, scratch, count):
    """Start whoever does not delay those of higher priority, who get reservations. It stops when nobody is left
    who could start, unless the plan is wanted (COMPLETE).
    """
    now = c[NOW]
    end = c[QUEUE_HI]
    forget_tests(slurm)
    begun = 0
    tests = 0
    reserved = 0
    k = c[QUEUE_LO]
    able = next_able(queue, nodes, slurm, c, k, end)
    while k < end and (able < end or c[COMPLETE] > 0):
        job = queue.job[k]
        if not slurm.begun[job] and is_tested(slurm, job, tests):
            tests += 1
            if k == able:
                if could_start(queue, nodes, c, k):
                    start(queue, machine, nodes, slurm, c, scratch, count, k)
                    count += 1
                    begun += 1
                    if begun == slurm.settings[BF_MAX_START]:
                        break
            else:
                planned = start_in_steps(queue, machine, nodes, slurm, c, k)
                if planned < NO_TIME and gets_reservation(slurm, jobs, queue, k, planned, now):
                    machine.planned[job] = planned
                    settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
                    keep(nodes, slurm, job, queue.estimate[k], planned, now, 1)
                    scratch.slot[reserved] = k
                    reserved += 1
                    if able < end and not could_start(queue, nodes, c, able):
                        able = next_able(queue, nodes, slurm, c, able + 1, end)
        if k == able:
            able = next_able(queue, nodes, slurm, c, k + 1, end)
        k += 1
    for m in range(reserved):
        k = scratch.slot[m]
        job = queue.job[k]
        keep(nodes, slurm, job, queue.estimate[k], machine.planned[job], now, -1)
        note_release(nodes, job)  # what was kept from now on was not counted as room
        nodes.held[job] = 0
    return count


@inlined
def start_in_steps(queue, machine, nodes, slurm, c, k):
    """When the job at position ``k`` could start, as far as a pass knows it; ``nodes.fit`` tells where."""
    job = queue.job[k]
    now = c[NOW]
    planned = earliest(nodes, job, now, now, queue.estimate[k])
    if planned >= NO_TIME:
        return planned
    step = end_of_step(machine, c[REL_LO], c[REL_HI], planned, slurm.settings[BF_LINEAR])
    if step > planned:
        planned = earliest(nodes, job, now, step, queue.estimate[k])
    return planned


@apart
def keep(nodes, slurm, job, estimate, planned, now, sign):
    """Keep the nodes of a job for it, all of each, or give them back."""
    first, last = rounded(slurm, planned, estimate, now)
    for i in range(nodes.first[job], nodes.first[job] + nodes.held[job]):
        cell = begin_at(nodes, nodes.node[i], now)
        take(nodes, cell, 0, 0, sign * MANY_SEATS, first, last)
