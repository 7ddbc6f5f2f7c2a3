"""A round of the order search on nodes, as the event loop calls it: see ``search_round`` for that on a pool.

The same search, with plans that are made on nodes, and newcomers who need more than cores. The bound is that of
all cores together. Jobs are always planned for what is believed of their run times, however often that was too
short.
"""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.belief import estimate_again
from packwise.engine.kernel import BAD_COST, BAD_ESTIMATE, kernel_of_state
from packwise.engine.nodes.cap import next_rise
from packwise.engine.nodes.cells import give_back, hold
from packwise.engine.nodes.group import CAPPED, RULE, Nodes
from packwise.engine.nodes.insertion import insert
from packwise.engine.nodes.list_round import could_start
from packwise.engine.nodes.places import choose, fits_now, settle
from packwise.engine.pool.profile import build_profile
from packwise.engine.pool.rounds import finish
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    CLOCK,
    COMPLETE,
    CORE,
    ENDED,
    FREE,
    JOBS,
    MACHINE,
    NEW,
    NO_TIME,
    NODES,
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
from packwise.engine.waiting import append_returned, append_until
from packwise.optimise.kernels.balance import mark_urgent, place_first
from packwise.optimise.kernels.columns import KIND, LEARNED
from packwise.optimise.kernels.delays import POWER, Power
from packwise.optimise.kernels.lessons import learned_term
from packwise.optimise.kernels.nodes_delays import hold_back_on_nodes
from packwise.optimise.kernels.nodes_evaluation import new_stamp, search, take_out
from packwise.optimise.kernels.search import PATIENCE, PROCS
from packwise.optimise.kernels.search_round import (
    FILLS,
    NOTES,
    SEARCH,
    START_ALL,
    START_NONE,
    any_deadline,
    believed_area,
    gather,
    learn_from,
    note_starts,
    oldest_overdue,
    promise_due,
    put_in_order,
)
from packwise.optimise.kernels.sorts import learn_sort, sum_up_sorts
from packwise.optimise.kernels.standing import note_arrival
from packwise.optimise.kernels.trust import doubt_after, judge
from packwise.optimise.kernels.workspace import (
    AIM,
    NOT_FINITE,
    SPACE,
    WAITING,
    Aim,
    Space,
    Waiting,
)


@kernel_of_state
def nodes_search_round(state):
    """Search a round for a plan, and pick those who start now; BAD_COST if a cost is not a number. Where there
    are rates, jobs may be held back for cheaper hours (``nodes_delays``).
    """
    core = group(state, CORE, Core)
    c = core.counters
    jobs = group(state, JOBS, Jobs)
    clock = group(state, CLOCK, Clock)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    nodes = group(state, NODES, Nodes)
    aim = group(state, AIM, Aim)
    pool = group(state, WAITING, Waiting)
    space = group(state, SPACE, Space)
    power = group(state, POWER, Power)
    holds = power.edges.size > 0
    balanced = aim.settings[PATIENCE] > 0.0
    learns = learned_term(aim.terms) >= 0
    if learns and c[ENDED] > 0:
        add_up_all(nodes, space.total)
    for i in range(c[ENDED]):
        job = clock.ended[i]
        runtime = jobs.runtime[job] - clock.late[job]
        if learns:
            learn_sort_from(aim, jobs, nodes, space, job, runtime)
        judge(aim.experience, clock.believed[job], runtime)
        learn_from(aim, jobs, job, clock.believed[job], runtime, c[NOW])
    append_returned(jobs, queue, c)
    append_until(jobs, queue, c, c[ARRIVED])
    estimate_again(core.belief, jobs, queue, c)
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    if balanced:
        for i in range(c[RETURNED]):
            area = believed_area(jobs, queue.returned[i])
            note_arrival(aim.standing, aim.settings[PROCS], area)
        for job in range(c[NEW], c[ARRIVED]):
            note_arrival(aim.standing, aim.settings[PROCS], believed_area(jobs, job))
    lo = c[QUEUE_LO]
    waiting = c[QUEUE_HI] - lo
    count = 0
    if holds or nodes.numbers[CAPPED]:
        c[WAKE] = NO_TIME
    what = to_do(queue, machine, nodes, c, waiting, holds)
    if what == START_NONE and waiting > 0 and promise_due(aim.settings, jobs, queue, c):
        what = SEARCH
    if what == START_ALL and (not holds or waiting == 0):
        for k in range(waiting):
            scratch.picked[k] = lo + k
        count = waiting
    elif what != START_NONE:
        count = plan_round(
            core, jobs, queue, machine, scratch, nodes, aim, pool, space, power, what
        )
        if count < 0:
            return count
    elif c[COMPLETE]:
        show_plan(queue, machine, nodes, c)
    if nodes.numbers[CAPPED] and waiting > count:
        c[WAKE] = min(c[WAKE], next_rise(nodes, c[NOW]))
    if balanced:
        note_starts(aim, jobs, queue, scratch, c, count)
    return finish(queue, machine, c, scratch, count)


@inlined
def add_up_all(nodes, total):
    """What there is of each resource on all nodes."""
    for r in range(total.size):
        total[r] = 0
        for node in range(nodes.head.size):
            total[r] += nodes.capacity[node, r]


@inlined
def learn_sort_from(aim, jobs, nodes, space, job, runtime):
    """Learn from an ended job what weight comes of its sort, by each term whose weights are learned."""
    for r in range(space.total.size):
        space.needs[r] = nodes.units[job] * nodes.needs[nodes.kind[job], r]
    demand, procs = jobs.demand[job], aim.settings[PROCS]
    for t in range(aim.terms.size):
        if aim.terms[t, KIND] == LEARNED:
            lessons, term = aim.lessons[t], aim.terms[t]
            learn_sort(lessons, term, demand, space.needs, space.total, procs, runtime)


@inlined
def to_do(queue, machine, nodes, c, waiting, holds):
    """Whether anything is to be decided: nobody fits, all fit (and are put on nodes, unless some may be held
    back), or there is a choice.
    """
    lo = c[QUEUE_LO]
    now = c[NOW]
    total = 0
    for k in range(lo, lo + waiting):
        total += queue.demand[k]
    if total <= c[FREE]:
        placed = 0
        while placed < waiting:
            job = queue.job[lo + placed]
            end = now + queue.estimate[lo + placed]
            if not fits_now(nodes, job, now, end):
                break
            settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
            hold(nodes, job, now, now, end)
            machine.planned[job] = now
            placed += 1
        all_fit = placed == waiting
        if all_fit and not holds:
            return START_ALL
        for k in range(lo, lo + placed):
            give_back(nodes, queue.job[k], now, now, now + queue.estimate[k])
        if all_fit:
            return START_ALL
    for k in range(lo, lo + waiting):
        if could_start(queue, nodes, c, k):
            return SEARCH
    return START_NONE


@inlined
def show_plan(queue, machine, nodes, c):
    """Plan those who wait in their order, to be told: nobody can start."""
    stamp = new_stamp(nodes)
    for k in range(c[QUEUE_LO], c[QUEUE_HI]):
        job = queue.job[k]
        machine.planned[job] = insert(nodes, job, c[NOW], queue.estimate[k], stamp)
    for k in range(c[QUEUE_LO], c[QUEUE_HI]):
        start = machine.planned[queue.job[k]]
        give_back(nodes, queue.job[k], c[NOW], start, start + queue.estimate[k])


@inlined
def plan_round(core, jobs, queue, machine, scratch, nodes, aim, pool, space, power, what):
    """Search for a plan and put the queue into its order. Returns how many start now, and have their nodes;
    their places in the queue go to ``scratch.picked``. Where all could start at once the order stays, and only
    who is held back is decided.
    """
    c = core.counters
    now = c[NOW]
    lo = c[QUEUE_LO]
    holds = power.edges.size > 0
    waiting = c[QUEUE_HI] - lo
    balanced = aim.settings[PATIENCE] > 0.0 and not any_deadline(
        aim.settings, jobs, queue, lo, waiting
    )
    doubt = doubt_after(aim.experience)
    steps = build_profile(
        space.base_times,
        space.base_free,
        machine.rel_time,
        machine.rel_amount,
        c[REL_LO],
        c[REL_HI],
        now,
        c[FREE],
    )
    overdue = -1
    count = 0
    first = 0
    if balanced and what == SEARCH:
        overdue = oldest_overdue(aim, jobs, queue, lo, waiting, now)
        if overdue >= 0:
            estimate = jobs.estimate[overdue]
            _, steps = place_first(space, steps, jobs.demand[overdue], estimate)
            machine.planned[overdue] = insert(nodes, overdue, now, estimate, new_stamp(nodes))
            scratch.slot[0] = overdue
            first = 1
            if machine.planned[overdue] == now:
                scratch.picked[0] = lo
                count = 1
    n = gather(aim, jobs, queue, pool, space, c, overdue, False, doubt)
    for t in range(aim.terms.size):
        if aim.terms[t, KIND] == LEARNED:
            sum_up_sorts(aim.lessons[t], space.sort_rate[t], space.sort_mean[t])
    if n > 0 and what == SEARCH:
        search(aim.settings, aim.terms, doubt, now, pool, space, nodes, n, steps)
        if space.report[NOT_FINITE] > 0.0:
            return BAD_COST
        if c[ROUNDS] < aim.notes[0].size:
            for k in range(len(NOTES)):
                aim.notes[k, c[ROUNDS]] = space.report[k]
    else:
        for p in range(n):
            pool.plan[p] = p
    if n > 0:
        if holds:
            c[WAKE] = hold_back_on_nodes(power, aim.settings, pool, space, nodes, now, n)
        else:
            stamp = new_stamp(nodes)
            for p in range(n):
                j = pool.plan[p]
                pool.kept[j] = insert(nodes, pool.job[j], now, pool.estimate[j], stamp)
        if balanced and doubt > FILLS and what == SEARCH:
            mark_urgent(aim.terms, now, pool, n)
            if holds:
                for j in range(n):
                    pool.fresh[j] = max(pool.fresh[j], power.held[j])
            fill_gaps(now, pool, nodes, n, c[COMPLETE] > 0)
        for j in range(n):
            if pool.kept[j] > now:
                take_out(pool, nodes, now, j, pool.kept[j])
    if overdue >= 0 and machine.planned[overdue] > now:
        start = machine.planned[overdue]
        give_back(nodes, overdue, now, start, start + jobs.estimate[overdue])
    return put_in_order(jobs, queue, machine, scratch, pool, c, n, first, count)


@inlined
def fill_gaps(now, pool, nodes, n, complete):
    """Start whoever fits beside the plan's own starts and those with a mark in ``pool.fresh``, who keep their
    nodes. ``pool.kept`` is changed. The nodes hold all jobs of the plan, and do so afterwards.
    """
    for p in range(n):
        j = pool.plan[p]
        if pool.kept[j] > now and pool.fresh[j] == 0:
            take_out(pool, nodes, now, j, pool.kept[j])
    stamp = new_stamp(nodes)
    for p in range(n):
        j = pool.plan[p]
        job = pool.job[j]
        end = now + pool.estimate[j]
        if pool.kept[j] > now and pool.fresh[j] == 0 and fits_now(nodes, job, now, end):
            settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
            hold(nodes, job, now, now, end)
            pool.kept[j] = now
    for p in range(n):
        j = pool.plan[p]
        if pool.kept[j] > now and pool.fresh[j] == 0:
            if complete:
                pool.kept[j] = insert(nodes, pool.job[j], now, pool.estimate[j], stamp)
            else:
                hold(nodes, pool.job[j], now, pool.kept[j], pool.kept[j] + pool.estimate[j])
