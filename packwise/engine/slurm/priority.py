"""Multifactor priority: what was used by whom, fair share, and the order of the queue.

A job's priority is the sum of what stays as it is (size, partition, QOS, nice) and of what changes: its age,
and the fair share of its owner, which are counted anew in every period of PriorityCalcPeriod.
"""

from __future__ import annotations

import math

from packwise.compiled import apart, compiled, inlined
from packwise.engine.orders import first_unsorted, sort_jobs
from packwise.engine.slots import group
from packwise.engine.slurm.group import (
    AGE,
    CALC_AT,
    DAMPENING,
    DECAY,
    FAIR_SHARE,
    FAIR_TREE,
    MAX_AGE,
    RUNNING,
    Slurm,
)
from packwise.engine.state import NOW, POLICY, QUEUE_HI, QUEUE_LO

#: More than any priority: jobs of a higher tier come first.
TIER = 2.0**40


@inlined
def account_for(slurm, owner, processors, now):
    """An owner has so many processors more (or fewer) from now on."""
    slurm.recent[owner] += slurm.rate[owner] * float(now - slurm.since[owner])
    slurm.since[owner] = now
    slurm.rate[owner] += processors


@inlined
def account_for_end(slurm, owner, processors, start, now):
    """A job of an owner has ended. What it has used since usage was last counted is never counted."""
    account_for(slurm, owner, -processors, now)
    slurm.clock[RUNNING] -= 1
    slurm.recent[owner] -= processors * float(now - max(start, slurm.clock[CALC_AT]))


@compiled
def account_for_ends(state, owners, processors, starts, now):
    """The same for several."""
    slurm = group(state, POLICY, Slurm)
    for i in range(owners.size):
        account_for_end(slurm, owners[i], processors[i], starts[i], now)


@apart
def count_usage(slurm, now):
    """Add what those who run have used since the last time, forget a part of all, and rank the owners by it.
    (So does Slurm 22.05; a job that begins and ends between two counts costs its owner nothing.)
    """
    owners = slurm.usage.size
    decay = slurm.weights[DECAY] ** float(now - slurm.clock[CALC_AT])
    slurm.clock[CALC_AT] = now
    for i in range(slurm.account_usage.size):
        slurm.account_usage[i] = 0.0
    total = 0.0
    for i in range(owners):
        account_for(slurm, i, 0, now)
        slurm.usage[i] = (slurm.usage[i] + slurm.recent[i]) * decay
        slurm.recent[i] = 0.0
        slurm.account_usage[slurm.account[i]] += slurm.usage[i]
        total += slurm.usage[i]
    if slurm.weights[FAIR_SHARE] == 0.0:
        return
    if slurm.settings[FAIR_TREE] > 0:
        fair_tree(slurm, total)
    else:
        classic(slurm, total)


@inlined
def fair_tree(slurm, total):
    """Accounts in the order of share by usage, in each its users in theirs: the first has the factor 1. Those
    who are equal have the same. Besides them there is the user root, who uses nothing.
    """
    owners = slurm.usage.size
    for i in range(owners):
        a = slurm.account[i]
        slurm.account_level[i] = -level_of(slurm.account_share[a], slurm.account_usage[a], total)
        slurm.level[i] = -level_of(slurm.share[i], slurm.usage[i], slurm.account_usage[a])
        slurm.sorted[i] = i
    sort_jobs(slurm.sorted, slurm.account_level, slurm.level, 0, owners)
    rank = 0
    for place in range(owners):
        if (
            place == 0
            or slurm.account_level[place] != slurm.account_level[place - 1]
            or slurm.level[place] != slurm.level[place - 1]
        ):
            rank = owners - place
            if math.isinf(slurm.account_level[place]) and math.isinf(slurm.level[place]):
                rank += 1
        slurm.factor[slurm.sorted[place]] = rank / (owners + 1.0)


@inlined
def level_of(share, usage, total):
    """Share by usage among siblings. Who has no share comes last, also one who has used nothing."""
    if share <= 0.0:
        return 0.0
    return math.inf if usage <= 0.0 else share * total / usage


@inlined
def classic(slurm, total):
    """The factor is 2 to the power of minus usage by share, where an account's usage counts for its users,
    too.
    """
    for i in range(slurm.usage.size):
        a = slurm.account[i]
        share = slurm.account_share[a] * slurm.share[i]
        factor = 1.0
        if total > 0.0 and share > 0.0:
            own = slurm.usage[i] / total
            theirs = slurm.account_usage[a] / total
            effective = own + (theirs - own) * slurm.share[i]
            factor = 2.0 ** (-effective / share / slurm.weights[DAMPENING])
        slurm.factor[i] = factor if share > 0.0 else 0.0


@inlined
def key_of(slurm, jobs, job, now):
    """What the queue is sorted by: minus the tier and the priority, a whole number as in Slurm."""
    waited = float(now - jobs.submit[job])
    age = min(waited / slurm.settings[MAX_AGE], 1.0)
    priority = (
        slurm.fixed[job]
        + slurm.weights[AGE] * age
        + slurm.weights[FAIR_SHARE] * slurm.factor[slurm.owner[job]]
    )
    return -(TIER * slurm.tier[job] + max(math.floor(priority), 1.0))


@apart
def sort_anew(slurm, jobs, queue, c):
    """Count the priorities of all who wait, and sort them by it. Whether any has moved."""
    lo = c[QUEUE_LO]
    hi = c[QUEUE_HI]
    for k in range(lo, hi):
        queue.first[k] = key_of(slurm, jobs, queue.job[k], c[NOW])
    if first_unsorted(queue.job, queue.first, queue.second, lo, hi) == hi:
        return False
    sort_jobs(queue.job, queue.first, queue.second, lo, hi)
    for k in range(lo, hi):
        queue.demand[k] = jobs.demand[queue.job[k]]
        queue.estimate[k] = jobs.estimate[queue.job[k]]
    return True
