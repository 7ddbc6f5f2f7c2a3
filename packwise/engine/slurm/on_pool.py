"""Slurm's passes on a pool of processors."""

from __future__ import annotations

from packwise.compiled import apart
from packwise.engine.kernel import BAD_ESTIMATE, kernel_of_state
from packwise.engine.pool.profile import build_profile, earliest, hold
from packwise.engine.pool.rounds import fits_now, note_release
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
    FREE,
    JOBS,
    MACHINE,
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
def slurm_round(state):
    """Pick who starts now, by those of the passes that are due."""
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    slurm = group(state, POLICY, Slurm)
    take_events(core.belief, jobs, clock, queue, slurm, c)
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    count = 0
    depth = main_depth(slurm, c[NOW])
    if depth > 0:
        count = main_pass(queue, machine, slurm, c, scratch, depth)
    if backfill_is_due(slurm, c[NOW]):
        count = backfill_pass(jobs, queue, machine, slurm, c, scratch, count)
    conclude(jobs, queue, slurm, c, scratch, count)
    return count


@apart
def main_pass(queue, machine, slurm, c, scratch, depth):
    """Start jobs in the order of their priorities; the first that does not fit ends it."""
    count = 0
    for k in range(c[QUEUE_LO], min(c[QUEUE_HI], c[QUEUE_LO] + depth)):
        if queue.demand[k] > c[FREE]:
            break
        start(queue, machine, slurm, c, scratch, count, k)
        count += 1
    return count


@apart
def start(queue, machine, slurm, c, scratch, count, k):
    job = queue.job[k]
    machine.planned[job] = c[NOW]
    slurm.begun[job] = 1
    c[FREE] -= queue.demand[k]
    note_release(queue, machine, c, k)
    scratch.picked[count] = k


@apart
def next_able(queue, slurm, times, free, hi, now, first, end):
    """The first position from ``first`` on whose job could start now, given what is reserved."""
    for k in range(first, end):
        if (
            queue.demand[k] <= free[0]
            and not slurm.begun[queue.job[k]]
            and fits_now(times, free, hi, now, queue.demand[k], queue.estimate[k])
        ):
            return k
    return end


@apart
def backfill_pass(jobs, queue, machine, slurm, c, scratch, count):
    """Start whoever does not delay those of higher priority, who get reservations. It stops when nobody is left
    who could start, unless the plan is wanted (COMPLETE).
    """
    now = c[NOW]
    end = c[QUEUE_HI]
    times = machine.times
    free = machine.free
    hi = build_profile(
        times, free, machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], now, c[FREE]
    )
    forget_tests(slurm)
    begun = 0
    tests = 0
    k = c[QUEUE_LO]
    able = next_able(queue, slurm, times, free, hi, now, k, end)
    while k < end and (able < end or c[COMPLETE] > 0):
        job = queue.job[k]
        if not slurm.begun[job] and is_tested(slurm, job, tests):
            tests += 1
            estimate = queue.estimate[k]
            if k == able:
                hi = hold(times, free, 0, hi, now, now + estimate, queue.demand[k])
                start(queue, machine, slurm, c, scratch, count, k)
                count += 1
                begun += 1
                if begun == slurm.settings[BF_MAX_START]:
                    break
            else:
                i, _ = earliest(times, free, 0, hi, queue.demand[k], estimate)
                planned = end_of_step(
                    machine, c[REL_LO], c[REL_HI], times[i], slurm.settings[BF_LINEAR]
                )
                planned = later_start(times, free, hi, planned, queue.demand[k], estimate)
                if gets_reservation(slurm, jobs, queue, k, planned, now):
                    machine.planned[job] = planned
                    first, last = rounded(slurm, planned, estimate, now)
                    hi = hold(times, free, 0, hi, first, last, queue.demand[k])
                if able < end and not fits_now(
                    times, free, hi, now, queue.demand[able], queue.estimate[able]
                ):
                    able = next_able(queue, slurm, times, free, hi, now, able + 1, end)
        if k == able:
            able = next_able(queue, slurm, times, free, hi, now, k + 1, end)
        k += 1
    return count


@apart
def later_start(times, free, hi, since, demand, duration):
    """The first time from ``since`` on at which so many processors stay free for so long."""
    i = 0
    while i + 1 < hi and times[i + 1] <= since:
        i += 1
    begin = since
    j = i
    while j < hi and times[j] < begin + duration:
        if free[j] < demand:
            j += 1
            if j == hi:
                return begin
            begin = times[j]
        else:
            j += 1
    return begin
