"""A round of the order search, as the event loop calls it."""

from __future__ import annotations

from packwise.compiled import compiled, inlined
from packwise.engine.belief import estimate_again
from packwise.engine.kernel import BAD_COST, BAD_ESTIMATE, kernel_of_state
from packwise.engine.pool.profile import build_profile
from packwise.engine.pool.rounds import finish
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    CLOCK,
    CORE,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NOW,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    ROUNDS,
    SCRATCH,
    Clock,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import append_until
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.kernels.deadlines import IGNORE
from packwise.optimise.kernels.search import DEADLINES, search
from packwise.optimise.kernels.workspace import (
    AIM,
    NOT_FINITE,
    SPACE,
    WAITING,
    Aim,
    Space,
    Waiting,
)

# How the estimates of ended jobs did, in millionths: the sum of the ratios of the smaller to the larger of
# E and D, and their number.
RATIOS, JUDGED = range(2)
MILLION = 1_000_000

#: Trust in estimates before anything is known counts as this many jobs whose estimates were right.
PRIOR = 10

#: What is noted of each round that was searched: the first numbers of its report.
NOTES = ("cost", "seed_cost", "bound", "evaluations", "falling_cost")

START_NONE, START_ALL, SEARCH = range(3)


@kernel_of_state
def search_round(state):
    """Search a round for a plan, and pick those who start now; BAD_COST if a cost is not a number."""
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    aim = group(state, AIM, Aim)
    pool = group(state, WAITING, Waiting)
    space = group(state, SPACE, Space)
    for i in range(c[ENDED]):
        job = clock.ended[i]
        judge(aim.experience, clock.believed[job], jobs.runtime[job])
    append_until(jobs, queue, c, c[ARRIVED])
    estimate_again(core.belief, jobs, queue, c)
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    lo = c[QUEUE_LO]
    waiting = c[QUEUE_HI] - lo
    count = 0
    what = START_NONE
    if waiting > 0:
        what = to_do(queue.demand, lo, waiting, c[FREE])
        if what == START_NONE and promise_due(aim.settings, jobs, c):
            what = SEARCH
    if what == START_ALL:
        for k in range(waiting):
            scratch.picked[k] = lo + k
        count = waiting
    elif what == SEARCH:
        steps = build_profile(
            space.base_times,
            space.base_free,
            machine.rel_time,
            machine.rel_amount,
            c[REL_LO],
            c[REL_HI],
            c[NOW],
            c[FREE],
        )
        for k in range(waiting):
            job = queue.job[lo + k]
            fill(pool, jobs, k, job, job >= c[NEW])
        doubt = doubt_after(aim.experience)
        search(aim.settings, aim.terms, doubt, c[NOW], pool, space, waiting, steps)
        if space.report[NOT_FINITE] > 0.0:
            return BAD_COST
        for k in range(len(NOTES)):
            aim.notes[k, c[ROUNDS]] = space.report[k]
        for p in range(waiting):
            scratch.slot[p] = queue.job[lo + pool.plan[p]]
            if pool.kept[pool.plan[p]] == c[NOW]:
                scratch.picked[count] = lo + p
                count += 1
        for p in range(waiting):
            job = scratch.slot[p]
            queue.job[lo + p] = job
            queue.demand[lo + p] = jobs.demand[job]
            queue.estimate[lo + p] = jobs.estimate[job]
    return finish(queue, machine, c, scratch, count)


@inlined
def promise_due(settings, jobs, c):
    """Whether a job with a deadline has just come: it should have a place in the plan from the first."""
    due = False
    for job in range(c[NEW], c[ARRIVED]):
        due = due or jobs.deadline[job] != NO_DEADLINE
    return due and settings[DEADLINES] != IGNORE


@inlined
def to_do(demand, lo, waiting, free):
    """Whether anything is to be decided: nobody fits, all fit, or there is a choice."""
    smallest = demand[lo]
    total = 0
    for k in range(lo, lo + waiting):
        smallest = min(smallest, demand[k])
        total += demand[k]
    if total <= free:
        return START_ALL
    return SEARCH if smallest <= free else START_NONE


@inlined
def fill(pool, jobs, k, job, fresh):
    """Take a waiting job into the pool, at place ``k``."""
    pool.submit[k] = jobs.submit[job]
    pool.demand[k] = jobs.demand[job]
    pool.estimate[k] = jobs.estimate[job]
    pool.limit[k] = jobs.limit[job]
    pool.user[k] = jobs.user[job]
    pool.queue_number[k] = jobs.queue_number[job]
    pool.deadline[k] = jobs.deadline[job]
    pool.fresh[k] = 1 if fresh else 0


@inlined
def judge(experience, estimate, runtime):
    """Learn from an ended job how good estimates are."""
    smaller = max(min(estimate, runtime), 1)
    larger = max(estimate, runtime, 1)
    experience[RATIOS] += MILLION * smaller // larger
    experience[JUDGED] += 1


@inlined
def doubt_after(experience):
    """How far estimates are to be doubted, from 0 to 1: fully if they are off by half, as limits are."""
    known = float(experience[RATIOS]) / MILLION + PRIOR
    return min(1.0, 2.0 * (1.0 - known / (experience[JUDGED] + PRIOR)))


@compiled
def judge_all(experience, estimates, runtimes):
    """Add these ended jobs to the experience."""
    for i in range(estimates.size):
        judge(experience, estimates[i], runtimes[i])
