"""The compiled loop of the order search: every round searched, from the first job to the last."""

from __future__ import annotations

from packwise.engine.belief import estimate_again
from packwise.engine.borrow import borrow
from packwise.engine.compiled import compiled, inlined
from packwise.engine.events import NO_ESTIMATE, NOTHING, QUIET, advance
from packwise.engine.list_loop import (
    BAD_ESTIMATE,
    DONE,
    MORE,
    start_picked,
    update_releases,
)
from packwise.engine.profile import build_profile
from packwise.engine.rounds import finish
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    ENDED,
    FREE,
    NEW,
    NOW,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    ROUNDS,
)
from packwise.engine.waiting import append
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.kernels.deadlines import IGNORE
from packwise.optimise.kernels.search import DEADLINES, WINDOW, search
from packwise.optimise.kernels.workspace import NOT_FINITE, new_pool, new_space

# How the estimates of ended jobs did, in millionths: the sum of the ratios of the smaller to the larger of
# E and D, and their number.
RATIOS, JUDGED = range(2)
MILLION = 1_000_000

#: Trust in estimates before anything is known counts as this many jobs whose estimates were right.
PRIOR = 10

#: What is noted of each round that was searched: the first numbers of its report.
NOTES = ("cost", "seed_cost", "bound", "evaluations", "falling_cost")

START_NONE, START_ALL, SEARCH = range(3)

#: Beside the outcomes of the list loop.
BAD_COST = 10


@compiled
def run_search(
    settings,
    terms,
    experience,
    notes,
    pool,
    space,
    belief,
    jobs,
    clock,
    queue,
    machine,
    c,
    scratch,
    log,
    rounds,
):
    """Run up to ``rounds`` rounds: MORE, DONE, BAD_ESTIMATE, or BAD_COST (it is not a number)."""
    return _run(
        settings,
        terms,
        experience,
        borrow(notes),
        borrow(pool),
        borrow(space),
        borrow(belief),
        borrow(jobs),
        borrow(clock),
        borrow(queue),
        borrow(machine),
        borrow(c),
        borrow(scratch),
        borrow(log),
        rounds,
    )


@inlined
def _run(
    settings,
    terms,
    experience,
    notes,
    pool,
    space,
    belief,
    jobs,
    clock,
    queue,
    machine,
    c,
    scratch,
    log,
    rounds,
):
    last = min(c[ROUNDS] + rounds, log.time.size)
    while c[ROUNDS] < last:
        outcome = advance(belief, jobs, clock, c)
        if outcome == NOTHING:
            return DONE
        if outcome == NO_ESTIMATE:
            return BAD_ESTIMATE
        update_releases(jobs, clock, machine, c)
        if outcome == QUIET:
            continue
        for i in range(c[ENDED]):
            job = clock.ended[i]
            judge(experience, clock.believed[job], jobs.runtime[job])
        for job in range(c[NEW], c[ARRIVED]):
            append(jobs, queue, c, job)
        estimate_again(belief, jobs, queue, c)
        if c[BAD_JOB] >= 0:
            return BAD_ESTIMATE
        lo = c[QUEUE_LO]
        waiting = c[QUEUE_HI] - lo
        count = 0
        what = START_NONE
        if waiting > 0:
            what = to_do(queue.demand, lo, waiting, c[FREE])
            if what == START_NONE and promise_due(settings, jobs, c):
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
            search(settings, terms, doubt_after(experience), c[NOW], pool, space, waiting, steps)
            if space.report[NOT_FINITE] > 0.0:
                return BAD_COST
            for k in range(len(NOTES)):
                notes[k, c[ROUNDS]] = space.report[k]
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
        finish(queue, machine, c, scratch, count)
        start_picked(belief, jobs, clock, queue, c, scratch, count)
        if c[BAD_JOB] >= 0:
            return BAD_ESTIMATE
        log.time[c[ROUNDS]] = c[NOW]
        log.queued[c[ROUNDS]] = waiting
        log.started[c[ROUNDS]] = count
        c[ROUNDS] += 1
    return MORE


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
    pool.partition[k] = jobs.partition[job]
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
    """The experience with these ended jobs added."""
    result = experience.copy()
    for i in range(estimates.size):
        judge(result, estimates[i], runtimes[i])
    return result


@compiled
def decide_search(settings, terms, experience, jobs, queue, fresh, times, free, now):
    """One round from a view: the order of the plan as places in ``queue``, the start of each, and the report
    of the search, which says if a cost is not a number.
    """
    waiting = queue.size
    pool = new_pool(waiting, terms.shape[0])
    space = new_space(times.size, waiting, min(waiting, int(settings[WINDOW])))
    for k in range(waiting):
        fill(pool, jobs, k, queue[k], fresh[k])
    for i in range(times.size):
        space.base_times[i] = times[i]
        space.base_free[i] = free[i]
    search(settings, terms, doubt_after(experience), now, pool, space, waiting, times.size)
    return pool.plan[:waiting].copy(), pool.kept[:waiting].copy(), space.report
