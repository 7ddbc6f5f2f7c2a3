"""Deadlines for the jobs of a workload, by rules.

Logs know no deadlines, and few sites record them: a rule stands for what users would have asked for. What
the trace or a file tells (``column``) is attached first, so that it goes along when jobs are moved; what
is made by a rule comes last, from the jobs as they will be replayed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from packwise.model.workload import NO_DEADLINE, Workload
from packwise.workloads.deadlines.clock import clock_notes
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.impossible import (
    Impossible,
    check_deadlines,
    impossible_deadlines,
)
from packwise.workloads.deadlines.rules import Clock, DeadlineRule, contradiction, no_deadlines


def assign_deadlines(
    workload: Workload,
    rules: Sequence[DeadlineRule],
    procs: int,
    impossible: Impossible = "refuse",
) -> Workload:
    """The workload with the deadlines that the rules give, on a machine of ``procs`` processors.

    Without rules the workload keeps its own. Rules must not be for the same job, whatever share they
    draw. Deadlines that nobody could meet are refused, or kept where they are to be counted.
    """
    workload = make_deadlines(recorded_deadlines(workload, rules, impossible), rules)
    check_deadlines(workload, procs, impossible)
    return workload


def recorded_deadlines(
    workload: Workload, rules: Sequence[DeadlineRule], impossible: Impossible = "refuse"
) -> Workload:
    """With the deadlines of the ``column`` rules alone; without any rule, with its own."""
    if not rules:
        return workload
    columns = [rule for rule in rules if isinstance(rule, Column)]
    if not columns:
        return workload.replace(deadline=None)
    deadline = no_deadlines(workload)
    owner = np.full(len(workload), -1)
    for k, rule in enumerate(columns):
        other = rule.recorded(workload, impossible)
        both = (deadline != NO_DEADLINE) & (other != NO_DEADLINE)
        if both.any():
            i = int(np.argmax(both))
            raise contradiction(columns[int(owner[i])], rule, workload, i)
        owner[other != NO_DEADLINE] = k
        deadline = np.minimum(deadline, other)
    return workload.replace(deadline=deadline)


def make_deadlines(workload: Workload, rules: Sequence[DeadlineRule]) -> Workload:
    """With the deadlines of all other rules besides those that are there."""
    if not rules:
        return workload
    deadline = no_deadlines(workload) if workload.deadline is None else workload.deadline.copy()
    owner = np.full(len(workload), -1)
    for k, rule in enumerate(rules):
        if isinstance(rule, Column):
            owner[workload.deadline_driven] = k
    for k, rule in enumerate(rules):
        if isinstance(rule, Column):
            continue
        eligible = rule.eligible(workload)
        both = eligible & (owner >= 0)
        if both.any():
            i = int(np.argmax(both))
            raise contradiction(rules[int(owner[i])], rule, workload, i)
        owner[eligible] = k
        rows = rule.pick(workload, eligible)
        if len(rows):
            deadline[rows] = rule.times(workload.select(rows))
    return workload.replace(deadline=deadline)


def deadline_remarks(workload: Workload, rules: Sequence[DeadlineRule], procs: int) -> list[str]:
    """How many jobs have deadlines, how many nobody could meet, and what had to be assumed."""
    if workload.deadline is None:
        return []
    driven = int(workload.deadline_driven.sum())
    share = 100 * driven / len(workload)
    lines = [f"deadline-driven jobs: {driven:,} of {len(workload):,} ({share:.1f} %)"]
    if never := int(impossible_deadlines(workload, procs).sum()):
        lines.append(f"deadlines that could never be met: {never:,}")
    if any(isinstance(rule, Clock) for rule in rules):
        lines += clock_notes(workload)
    return lines
