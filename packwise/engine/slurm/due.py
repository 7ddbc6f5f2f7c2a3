"""What of Slurm's work is due at a moment: the events of it, and the clocks of the passes.

The main pass is made when a job has ended (``completing``), soon after jobs have come (``batch_sched_delay``
after the last such pass, or the last over the whole queue), and now and then over the whole queue
(``sched_interval``); the backfill pass every ``bf_interval``, if anything has changed. Passes take no time
here, and their clocks begin with the log.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.belief import estimate_again
from packwise.engine.slurm.group import (
    AGE,
    BACKFILLS,
    BF_AT,
    BF_DUE,
    BF_INTERVAL,
    CALC_AT,
    CALC_DUE,
    CALC_PERIOD,
    COMPLETING,
    DEPTH,
    FAIR_SHARE,
    FREED,
    FREED_DUE,
    FULL_DUE,
    MAIN_AT,
    MAIN_DUE,
    ORIGIN,
    RUNNING,
    SCHED_INTERVAL,
    SUBMIT_DELAY,
)
from packwise.engine.slurm.priority import (
    account_for,
    account_for_end,
    count_usage,
    key_of,
    sort_anew,
)
from packwise.engine.state import (
    ARRIVED,
    ENDED,
    NEW,
    NO_TIME,
    NOW,
    OUT_CHANGED,
    OVERRAN,
    QUEUE_HI,
    QUEUE_LO,
    RETURNED,
    TAKEN,
    UNLIMITED,
    WAKE,
)
from packwise.engine.waiting import put


@inlined
def tick(t, origin, interval):
    """The last beat of a clock at or before ``t``."""
    return t - (t - origin) % interval


@inlined
def next_beat(t, last, origin, interval):
    """The first beat at or after ``t``, and after ``last``."""
    beat = tick(t, origin, interval)
    if beat < t or beat <= last:
        beat += interval
    return beat


@apart
def take_events(belief, jobs, clock, queue, slurm, c):
    """Bring what is known up to date with the events of this moment, and the clocks with that."""
    now = c[NOW]
    due = slurm.clock
    for i in range(c[ENDED]):
        job = clock.ended[i]
        account_for_end(slurm, slurm.owner[job], jobs.demand[job], slurm.since_start[job], now)
    for i in range(c[RETURNED]):
        job = queue.returned[i]
        slurm.begun[job] = 0
        account_for_end(slurm, slurm.owner[job], jobs.demand[job], slurm.since_start[job], now)
    if c[ENDED] + c[RETURNED] + c[OUT_CHANGED] > 0:
        due[FREED] = 1
    ended = due[FREED] > 0
    due[FREED] = 0
    if ended:
        due[FREED_DUE] = min(due[FREED_DUE], now + slurm.settings[COMPLETING])
    came = c[ARRIVED] > c[NEW]
    changed = ended or came or c[OVERRAN] > 0
    c[OVERRAN] = 0
    period = slurm.settings[CALC_PERIOD]
    counted = tick(now, due[ORIGIN], period) > tick(due[CALC_AT], due[ORIGIN], period)
    if counted:
        count_usage(slurm, now)
    for i in range(c[RETURNED]):
        put_by_priority(slurm, jobs, queue, c, queue.returned[i])
    for job in range(c[TAKEN], c[ARRIVED]):
        put_by_priority(slurm, jobs, queue, c, job)
    c[TAKEN] = c[ARRIVED]
    if estimate_again(belief, jobs, queue, c):
        changed = True
    if counted and sort_anew(slurm, jobs, queue, c):
        changed = True
    whole = slurm.settings[SCHED_INTERVAL]
    if came:
        last = max(due[MAIN_AT], tick(now, due[ORIGIN], whole))
        due[MAIN_DUE] = min(due[MAIN_DUE], max(now, last + slurm.settings[SUBMIT_DELAY]))
    if changed:
        due[FULL_DUE] = min(due[FULL_DUE], next_beat(now, -1, due[ORIGIN], whole))
        plan_backfill(slurm, now)


@inlined
def plan_backfill(slurm, now):
    """A backfill pass is to be made when its clock next beats."""
    due = slurm.clock
    beat = next_beat(now, due[BF_AT], due[ORIGIN], slurm.settings[BF_INTERVAL])
    if slurm.settings[BACKFILLS] > 0:
        due[BF_DUE] = min(due[BF_DUE], beat)


@inlined
def put_by_priority(slurm, jobs, queue, c, job):
    put(jobs, queue, c, job, key_of(slurm, jobs, job, c[NOW]), float(slurm.number[job]))


@inlined
def main_depth(slurm, now):
    """How many jobs the main pass is to look at now; 0 if it is not due."""
    due = slurm.clock
    depth = 0
    if due[FREED_DUE] <= now:
        depth = slurm.settings[DEPTH]
        due[FREED_DUE] = NO_TIME
    if due[MAIN_DUE] <= now:
        depth = slurm.settings[DEPTH]
        due[MAIN_DUE] = NO_TIME
        due[MAIN_AT] = now
    if due[FULL_DUE] <= now:
        depth = UNLIMITED
        due[FULL_DUE] = NO_TIME
    return depth


@inlined
def backfill_is_due(slurm, now):
    """Whether the backfill pass is to be made now."""
    due = slurm.clock
    if due[BF_DUE] > now:
        return False
    due[BF_DUE] = NO_TIME
    due[BF_AT] = now
    return True


@apart
def conclude(jobs, queue, slurm, c, scratch, count):
    """Let those who were picked use what they have from now on, and ask to be woken when something is due."""
    now = c[NOW]
    due = slurm.clock
    for m in range(count):
        job = queue.job[scratch.picked[m]]
        account_for(slurm, slurm.owner[job], jobs.demand[job], now)
        slurm.since_start[job] = now
    due[RUNNING] += count
    due[CALC_DUE] = NO_TIME
    waits = c[QUEUE_HI] - c[QUEUE_LO] > count
    fair = slurm.weights[FAIR_SHARE] != 0.0
    if (waits and slurm.weights[AGE] != 0.0) or (fair and (waits or due[RUNNING] > 0)):
        period = slurm.settings[CALC_PERIOD]
        due[CALC_DUE] = tick(now, due[ORIGIN], period) + period
    if not waits:
        due[FREED_DUE] = NO_TIME
        due[MAIN_DUE] = NO_TIME
        due[FULL_DUE] = NO_TIME
        due[BF_DUE] = NO_TIME
    elif count > 0:
        plan_backfill(slurm, now + 1)
    wake = min(due[FREED_DUE], min(due[MAIN_DUE], due[FULL_DUE]))
    c[WAKE] = min(wake, min(due[BF_DUE], due[CALC_DUE]))
