"""A round of the order search, as the event loop calls it."""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.belief import estimate_again
from packwise.engine.kernel import BAD_COST, BAD_ESTIMATE, kernel_of_state
from packwise.engine.pool.profile import build_profile
from packwise.engine.pool.releases import add_release, drop_release
from packwise.engine.pool.rounds import finish
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    BEGUN,
    CLOCK,
    COMPLETE,
    CORE,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NO_TIME,
    NOW,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    REL_HI,
    REL_LO,
    RETURNED,
    ROUNDS,
    SCRATCH,
    WAKE,
    Clock,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import append_until
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.kernels.balance import fill_gaps, mark_urgent, place_first
from packwise.optimise.kernels.columns import KIND, LEARNED
from packwise.optimise.kernels.deadlines import IGNORE
from packwise.optimise.kernels.delays import POWER, Power, hold_back
from packwise.optimise.kernels.evaluation import search
from packwise.optimise.kernels.lessons import (
    TAKEN,
    expected_part,
    expected_weight,
    learn,
    learned_term,
    sum_up,
)
from packwise.optimise.kernels.search import DEADLINES, PATIENCE, PROCS, TWO_ESTIMATES
from packwise.optimise.kernels.standing import add_up, gain, note_arrival, note_start, patience
from packwise.optimise.kernels.trust import doubt_after, judge, outlived
from packwise.optimise.kernels.workspace import (
    AIM,
    NOT_FINITE,
    SPACE,
    WAITING,
    Aim,
    Space,
    Waiting,
)

#: Gaps are filled where the doubt in estimates is above this.
FILLS = 0.1

#: What is noted of each round that was searched: the first numbers of its report.
NOTES = ("cost", "seed_cost", "bound", "evaluations", "falling_cost")

START_NONE, START_ALL, SEARCH = range(3)


@inlined
def plan_round(power, core, jobs, queue, machine, scratch, aim, pool, space, what):
    """Search for a plan and put the queue into its order. Returns how many start now; their places in the
    queue go to ``scratch.picked``. Where all could start at once the order stays, and only who is held
    back is decided.
    """
    c = core.counters
    lo = c[QUEUE_LO]
    waiting = c[QUEUE_HI] - lo
    balanced = aim.settings[PATIENCE] > 0.0 and not any_deadline(
        aim.settings, jobs, queue, lo, waiting
    )
    by_limits = balanced and outlived(aim.experience)
    doubt = 1.0 if by_limits else doubt_after(aim.experience)
    if by_limits:
        steps = build_profile(
            space.base_times,
            space.base_free,
            aim.until,
            aim.given_back,
            aim.window[0],
            aim.window[1],
            c[NOW],
            c[FREE],
        )
    else:
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
    overdue = -1
    count = 0
    first = 0
    if balanced and what == SEARCH:
        overdue = oldest_overdue(aim, jobs, queue, lo, waiting, c[NOW])
        if overdue >= 0:
            duration = planned_for(jobs, overdue, by_limits)
            start, steps = place_first(space, steps, jobs.demand[overdue], duration)
            machine.planned[overdue] = start
            scratch.slot[0] = overdue
            first = 1
            if start == c[NOW]:
                scratch.picked[0] = lo
                count = 1
    n = gather(aim, jobs, queue, pool, space, c, overdue, by_limits, doubt)
    if n > 0 and what == SEARCH:
        search(aim.settings, aim.terms, doubt, c[NOW], pool, space, 0, n, steps)
        if space.report[NOT_FINITE] > 0.0:
            return BAD_COST
        if c[ROUNDS] < aim.notes[0].size:
            for k in range(len(NOTES)):
                aim.notes[k, c[ROUNDS]] = space.report[k]
    else:
        for p in range(n):
            pool.plan[p] = p
    holds = power.edges.size > 0
    if holds and n > 0:
        c[WAKE] = hold_back(power, aim.settings, pool, space, c[NOW], n, steps)
    if n > 0 and what == SEARCH and balanced and doubt > FILLS:
        mark_urgent(aim.terms, c[NOW], pool, n)
        if holds:
            for j in range(n):
                pool.fresh[j] = max(pool.fresh[j], power.held[j])
        fill_gaps(c[NOW], pool, space, n, steps, c[COMPLETE] > 0)
    return put_in_order(jobs, queue, machine, scratch, pool, c, n, first, count)


@kernel_of_state
def search_round(state):
    """Search a round for a plan, and pick those who start now; BAD_COST if a cost is not a number. Where there
    are rates of energy, jobs may be held back for cheaper hours (``delays.py``).
    """
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    aim = group(state, AIM, Aim)
    power = group(state, POWER, Power)
    holds = power.edges.size > 0
    pool = group(state, WAITING, Waiting)
    space = group(state, SPACE, Space)
    balanced = aim.settings[PATIENCE] > 0.0
    if balanced and aim.settings[TWO_ESTIMATES] > 0.0:
        for i in range(aim.window[2], c[BEGUN]):
            job = clock.begun[i]
            note_until(aim, clock.start[job] + jobs.limit[job], jobs.demand[job])
        aim.window[2] = c[BEGUN]
    for i in range(c[ENDED]):
        job = clock.ended[i]
        runtime = jobs.runtime[job] - clock.late[job]
        judge(aim.experience, clock.believed[job], runtime)
        learn_from(aim, jobs, job, clock.believed[job], runtime, c[NOW])
        if aim.settings[TWO_ESTIMATES] > 0.0:
            until = clock.start[job] + jobs.limit[job]
            aim.window[0], aim.window[1] = drop_release(
                aim.until, aim.given_back, aim.window[0], aim.window[1], until, jobs.demand[job]
            )
    append_until(jobs, queue, c, c[ARRIVED])
    estimate_again(core.belief, jobs, queue, c)
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    lo = c[QUEUE_LO]
    waiting = c[QUEUE_HI] - lo
    if balanced:
        for job in range(c[NEW], c[ARRIVED]):
            note_arrival(aim.standing, aim.settings[PROCS], believed_area(jobs, job))
    count = 0
    what = START_NONE
    if waiting > 0:
        what = to_do(queue.demand, lo, waiting, c[FREE])
        if what == START_NONE and promise_due(aim.settings, jobs, queue, c):
            what = SEARCH
    if holds:
        c[WAKE] = NO_TIME
    if what == START_ALL and not holds:
        for k in range(waiting):
            scratch.picked[k] = lo + k
        count = waiting
    elif what != START_NONE:
        count = plan_round(power, core, jobs, queue, machine, scratch, aim, pool, space, what)
        if count < 0:
            return count
    if balanced:
        note_starts(aim, jobs, queue, scratch, c, count)
    return finish(queue, machine, c, scratch, count)


@inlined
def gather(aim, jobs, queue, pool, space, c, overdue, by_limits, doubt):
    """Take those who wait, but for an overdue job, into the pool that is searched. Returns how many."""
    lo = c[QUEUE_LO]
    balanced = aim.settings[PATIENCE] > 0.0
    if balanced:
        add_up(aim.standing, space.below)
    learned = learned_term(aim.terms)
    for t in range(aim.terms.size):
        if aim.terms[t, KIND] == LEARNED:
            sum_up(aim.lessons[t], space.facts[t], space.rate[t], space.width[t])
    n = 0
    for k in range(lo, c[QUEUE_HI]):
        job = queue.job[k]
        if job == overdue:
            continue
        fill(pool, jobs, n, job, has_just_come(queue, c, job))
        if balanced:
            pool.gain[n] = gain(space.below, believed_area(jobs, job))
        pool.estimate[n] = planned_for(jobs, job, by_limits)
        if learned >= 0:
            expect(aim, pool, space, n, doubt, learned)
        n += 1
    return n


@inlined
def put_in_order(jobs, queue, machine, scratch, pool, c, n, first, count):
    """Put the queue into the order of the plan, behind the ``first`` jobs in ``scratch.slot`` of which
    ``count`` are picked, and pick those who start now. Returns how many are picked.
    """
    lo = c[QUEUE_LO]
    for p in range(n):
        job = pool.job[pool.plan[p]]
        scratch.slot[first + p] = job
        machine.planned[job] = pool.kept[pool.plan[p]]
        if pool.kept[pool.plan[p]] == c[NOW]:
            scratch.picked[count] = lo + first + p
            count += 1
    for p in range(first + n):
        job = scratch.slot[p]
        queue.job[lo + p] = job
        queue.demand[lo + p] = jobs.demand[job]
        queue.estimate[lo + p] = jobs.estimate[job]
    return count


@inlined
def note_starts(aim, jobs, queue, scratch, c, count):
    """Note how long those have waited who start now."""
    for i in range(count):
        job = queue.job[scratch.picked[i]]
        area = float(jobs.demand[job]) * max(jobs.limit[job], 1)
        wait = float(c[NOW] - jobs.submit[job])
        note_start(aim.standing, aim.settings[PROCS], area, wait)


@inlined
def learn_from(aim, jobs, job, believed, runtime, now):
    """Learn from an ended job what it weighed, by each term whose weights are learned."""
    for t in range(aim.terms.size):
        if aim.terms[t, KIND] == LEARNED:
            demand, user = jobs.demand[job], jobs.user[job]
            learn(aim.lessons[t], aim.terms[t], demand, believed, runtime, user, now)


@inlined
def expect(aim, pool, space, k, doubt, first):
    """Note what the waiting job at place ``k`` is expected to weigh, and to keep newcomers waiting; ``first``:
    the first term whose weights are learned.
    """
    demand, estimate, user = pool.demand[k], pool.estimate[k], pool.user[k]
    for t in range(aim.terms.size):
        if aim.terms[t, KIND] == LEARNED:
            pool.expected[t, k] = expected_weight(
                aim.lessons[t], space.facts[t], aim.terms[t], doubt, demand, estimate, user
            )
    part = expected_part(aim.lessons[first], space.facts[first], estimate)
    pool.span[k] = max(int(estimate * (part / space.facts[first, TAKEN])), 1)


@inlined
def planned_for(jobs, job, by_limits):
    """How long a job is planned for. (A live host's limit may be shorter than what is expected.)"""
    return max(jobs.limit[job], jobs.estimate[job]) if by_limits else jobs.estimate[job]


@inlined
def believed_area(jobs, job):
    """The work of a job by its estimate."""
    return float(jobs.demand[job]) * jobs.estimate[job]


@inlined
def oldest_overdue(aim, jobs, queue, lo, waiting, now):
    """The job that has waited longest, if that is longer than work has waited lately; else -1."""
    oldest = queue.job[lo]
    for k in range(lo + 1, lo + waiting):
        if jobs.submit[queue.job[k]] < jobs.submit[oldest]:
            oldest = queue.job[k]
    longest = float(now - jobs.submit[oldest])
    return oldest if longest > patience(aim.standing, aim.settings[PATIENCE]) else -1


@inlined
def note_until(aim, time, demand):
    """A job starts that must have ended at a time."""
    aim.window[1] = add_release(
        aim.until, aim.given_back, aim.window[0], aim.window[1], time, demand
    )


@inlined
def any_deadline(settings, jobs, queue, lo, waiting):
    """Whether a deadline matters among those who wait: then the plan alone decides, so that it is kept."""
    if settings[DEADLINES] == IGNORE:
        return False
    found = False
    for k in range(lo, lo + waiting):
        found = found or jobs.deadline[queue.job[k]] != NO_DEADLINE
    return found


@inlined
def has_just_come(queue, c, job):
    """Whether a job has come at this moment, or come back."""
    back = False
    for i in range(c[RETURNED]):
        back = back or queue.returned[i] == job
    return back or job >= c[NEW]


@inlined
def promise_due(settings, jobs, queue, c):
    """Whether a job with a deadline has just come, or come back: it should have a place in the plan from the
    first.
    """
    due = False
    for i in range(c[RETURNED]):
        due = due or jobs.deadline[queue.returned[i]] != NO_DEADLINE
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
    pool.job[k] = job
    pool.submit[k] = jobs.submit[job]
    pool.demand[k] = jobs.demand[job]
    pool.estimate[k] = jobs.estimate[job]
    pool.limit[k] = jobs.limit[job]
    pool.user[k] = jobs.user[job]
    pool.queue_number[k] = jobs.queue_number[job]
    pool.deadline[k] = jobs.deadline[job]
    pool.fresh[k] = 1 if fresh else 0
