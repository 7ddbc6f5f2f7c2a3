"""A round of the list-scheduling family on nodes.

As on a pool (``packwise.engine.pool.rounds``): jobs in order start where they fit; at one that does not, stop
(strict), skip it (greedy), or reserve nodes for it at the earliest time (backfill), for up to ``depth`` jobs;
the rest is tried once more in the backfill order and starts where it moves none of the reservations. A
reservation holds nodes, so a job that has one really can start then. Planned from scratch in each round.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.belief import update_queue
from packwise.engine.kernel import BAD_ESTIMATE, BAD_KEY, kernel_of_state
from packwise.engine.nodes.cap import has_risen, next_rise
from packwise.engine.nodes.cells import give_back, hold
from packwise.engine.nodes.group import CAPPED, RULE, Nodes
from packwise.engine.nodes.insertion import insert
from packwise.engine.nodes.places import choose, count_again, fits_now, may_fit, settle
from packwise.engine.orders import FCFS
from packwise.engine.pool.rounds import considered, sort_candidates
from packwise.engine.rules import rules_of
from packwise.engine.slots import group
from packwise.engine.state import (
    ARRIVED,
    BAD_JOB,
    COMPLETE,
    CORE,
    ENDED,
    FREE,
    JOBS,
    KEY,
    MACHINE,
    NEW,
    NO_TIME,
    NODES,
    NOW,
    OUT_CHANGED,
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    RETURNED,
    ROUNDS,
    SCRATCH,
    WAKE,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import NO_KEY, insert_arrivals, insert_returned, resort


@kernel_of_state
def nodes_list_round(state):
    """Pick who starts now, and where. Under a power cap those who wait are tried again when it rises."""
    c = group(state, CORE, Core).counters
    nodes = group(state, NODES, Nodes)
    count = pick(state)
    if nodes.numbers[CAPPED] and count >= 0:
        waits = c[QUEUE_HI] - c[QUEUE_LO] > count
        c[WAKE] = next_rise(nodes, c[NOW]) if waits else NO_TIME
    return count


@inlined
def pick(state):
    core = group(state, CORE, Core)
    c = core.counters
    rules = rules_of(core.rules)
    jobs = group(state, JOBS, Jobs)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    nodes = group(state, NODES, Nodes)
    key = c[KEY]
    if not insert_returned(rules, key, jobs, queue, c):
        return BAD_KEY
    if not insert_arrivals(rules, key, jobs, queue, c):
        return BAD_KEY
    if not update_queue(core.belief, rules, key, jobs, queue, c):
        return BAD_KEY
    if c[BAD_JOB] >= 0:
        return BAD_ESTIMATE
    if rules.changing and not resort(rules, key, jobs, queue, c):
        return BAD_KEY
    if c[QUEUE_HI] == c[QUEUE_LO]:
        return 0
    if not rules.reserve or rules.depth == 0:
        return round_without_reservations(rules, queue, machine, nodes, c, scratch)
    if (
        rules.depth == 1
        and rules.order == FCFS
        and not c[COMPLETE]
        and nothing_new_fits(jobs, nodes, c)
    ):
        return 0
    return round_with_depth(rules, key, jobs, queue, machine, nodes, c, scratch)


@inlined
def nothing_new_fits(jobs, nodes, c):
    """Whether only arrivals cause this round, and none of them fits into what is free: see the pool's rule.

    On nodes it can matter without an overrun, too: who was started since changes which nodes are the busiest,
    and so where a reservation that is made anew would be.
    """
    fitting = c[ENDED] + c[OUT_CHANGED] + c[RETURNED] > 0 or has_risen(nodes, c[NOW])
    for job in range(c[NEW], c[ARRIVED]):
        fitting = fitting or (
            jobs.demand[job] <= c[FREE]
            and may_fit(nodes, nodes.kind[job], nodes.units[job], c[NOW])
            and fits_now(nodes, job, c[NOW], c[NOW] + 1)
        )
    return not fitting


@apart
def could_start(queue, nodes, c, k):
    """Whether the job at position ``k`` fits from now on, given who runs and what is reserved."""
    if queue.demand[k] > c[FREE]:
        return False
    job = queue.job[k]
    kind = nodes.kind[job]
    units = nodes.units[job]
    if not may_fit(nodes, kind, units, c[NOW]):
        return False
    estimate = queue.estimate[k]
    # Within a round room only shrinks: who asks for no less than another who failed fails, too.
    known = nodes.failed_in[kind] == c[ROUNDS]
    draw = nodes.draw[job]
    if (
        known
        and units >= nodes.failed_units[kind]
        and estimate >= nodes.failed_for[kind]
        and draw >= nodes.failed_draw[kind]
    ):
        return False
    if fits_now(nodes, job, c[NOW], c[NOW] + estimate):
        return True
    if not known:
        count_again(nodes, kind, c[NOW])
    if not known or (
        units <= nodes.failed_units[kind]
        and estimate <= nodes.failed_for[kind]
        and draw <= nodes.failed_draw[kind]
    ):
        nodes.failed_in[kind] = c[ROUNDS]
        nodes.failed_units[kind] = units
        nodes.failed_for[kind] = estimate
        nodes.failed_draw[kind] = draw
    return False


@apart
def start(queue, machine, nodes, c, k):
    """Put the job at position ``k``, for which ``nodes.fit`` is known, on nodes now."""
    job = queue.job[k]
    machine.planned[job] = c[NOW]
    settle(nodes, job, choose(nodes, job, nodes.numbers[RULE], False))
    hold(nodes, job, c[NOW], c[NOW], c[NOW] + queue.estimate[k])
    c[FREE] -= queue.demand[k]


@inlined
def round_without_reservations(rules, queue, machine, nodes, c, scratch):
    """Start what fits, in order; at one that does not, stop (strict) or skip it (greedy)."""
    count = 0
    for k in range(c[QUEUE_LO], considered(rules, c)):
        if could_start(queue, nodes, c, k):
            start(queue, machine, nodes, c, k)
            scratch.picked[count] = k
            count += 1
        elif rules.strict:
            break
    return count


@inlined
def next_to_start(queue, nodes, c, first, end):
    """The first position from ``first`` on whose job could start now; ``nodes.fit`` is that job's."""
    for k in range(first, end):
        if could_start(queue, nodes, c, k):
            return k
    return end


@inlined
def round_with_depth(rules, function, jobs, queue, machine, nodes, c, scratch):
    """Backfilling with up to ``rules.depth`` reservations.

    Within a round room only shrinks: who cannot start now will not later in it. So planning stops when nobody
    is left who could, unless the plan is wanted (COMPLETE).
    """
    now = c[NOW]
    end = considered(rules, c)
    complete = c[COMPLETE] > 0
    count = 0
    reserved = 0
    k = c[QUEUE_LO]
    able = next_to_start(queue, nodes, c, k, end)
    while k < end and reserved < rules.depth and (able < end or complete):
        if k == able:
            start(queue, machine, nodes, c, k)
            scratch.picked[count] = k
            count += 1
            able = next_to_start(queue, nodes, c, k + 1, end)
        else:
            job = queue.job[k]
            machine.planned[job] = insert(nodes, job, now, queue.estimate[k], c[ROUNDS])
            reserved += 1
            if able < end and not could_start(queue, nodes, c, able):
                able = next_to_start(queue, nodes, c, able + 1, end)
        k += 1
    last = k
    if rules.reorder:
        candidates = 0
        for k in range(able, end):
            if could_start(queue, nodes, c, k):
                scratch.slot[candidates] = k
                candidates += 1
        if not sort_candidates(rules, function, jobs, queue, now, candidates, scratch):
            return NO_KEY
    else:
        candidates = end - able
        for m in range(candidates):
            scratch.slot[m] = able + m
    for m in range(candidates):
        k = scratch.slot[m]
        if could_start(queue, nodes, c, k):
            start(queue, machine, nodes, c, k)
            scratch.picked[count] = k
            count += 1
    for k in range(c[QUEUE_LO], last):
        job = queue.job[k]
        if machine.planned[job] > now:
            begin = machine.planned[job]
            give_back(nodes, job, now, begin, begin + queue.estimate[k])
    return count
