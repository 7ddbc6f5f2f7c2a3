"""A round of the list-scheduling family on a pool: the queue brought up to date, then the kind of round."""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.belief import update_queue
from packwise.engine.kernel import BAD_ESTIMATE, BAD_KEY, kernel_of_state
from packwise.engine.orders import FCFS
from packwise.engine.pool.replan import round_replanned
from packwise.engine.pool.rounds import (
    round_easy,
    round_with_depth,
    round_without_reservations,
)
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
    QUEUE,
    QUEUE_HI,
    QUEUE_LO,
    SCRATCH,
    UNLIMITED,
    Core,
    Jobs,
    Machine,
    Queue,
    Scratch,
)
from packwise.engine.waiting import insert_arrivals, resort


@kernel_of_state
def list_round(state):
    """Pick who starts now."""
    core = group(state, CORE, Core)
    c = core.counters
    rules = rules_of(core.rules)
    jobs = group(state, JOBS, Jobs)
    queue = group(state, QUEUE, Queue)
    machine = group(state, MACHINE, Machine)
    scratch = group(state, SCRATCH, Scratch)
    key = c[KEY]
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
        return round_without_reservations(rules, queue, c, scratch)
    if not c[COMPLETE]:
        if rules.depth == 1:
            if rules.order == FCFS and nothing_new_fits(jobs, c):
                return 0
            return round_easy(rules, key, jobs, queue, machine, c, scratch)
        if rules.depth == UNLIMITED:
            return round_replanned(rules, queue, machine, c, scratch)
    return round_with_depth(rules, key, jobs, queue, machine, c, scratch, c[COMPLETE] > 0)


@inlined
def nothing_new_fits(jobs, c):
    """Whether only arrivals cause this round, and none of them fits into what is free.

    EASY then leaves the queue alone. It could only matter after an overrun, which moves the reservation
    and makes room for others; they are tried at the next completion, as in the simulator of Goponenko et
    al.
    """
    fitting = c[ENDED]
    for job in range(c[NEW], c[ARRIVED]):
        fitting += jobs.demand[job] <= c[FREE]
    return fitting == 0
