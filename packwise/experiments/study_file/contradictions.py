"""Deadline rules for the same job, as far as the rules tell without the jobs.

Every queue and user that a rule names has jobs, and every rule has some: one that has none is refused when
the jobs are loaded. So what is told here holds for any log.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import DeadlineRule


def contradiction(one: DeadlineRule, other: DeadlineRule) -> str | None:
    """What is wrong with these two, if some job is eligible for both for sure."""
    if not _overlap(one, other):
        return None
    return (
        f"deadline rules '{one}' and '{other}' contradict each other: some jobs are eligible for both. Give "
        "each rule jobs of its own by queue or user, as in slack(queue=3)."
    )


def undecided(rules: Sequence[DeadlineRule]) -> bool:
    """Whether only the jobs can tell if two of the rules are for the same one."""
    return any(
        not _overlap(one, other) and not _apart(one, other) for one, other in combinations(rules, 2)
    )


def _overlap(one: DeadlineRule, other: DeadlineRule) -> bool:
    if isinstance(one, Column) or isinstance(other, Column):
        return False  # whichever jobs are recorded
    mine, theirs = (set(one.queues), set(one.users)), (set(other.queues), set(other.users))
    if _covers(mine, theirs) or _covers(theirs, mine):
        return True
    by_queue = not one.users and not other.users and bool(mine[0] & theirs[0])
    return by_queue or (not one.queues and not other.queues and bool(mine[1] & theirs[1]))


def _covers(one: tuple[set[int], set[int]], other: tuple[set[int], set[int]]) -> bool:
    """Whether all jobs of the other's are of the one's, too."""
    return all(
        not mine or (theirs and theirs <= mine) for mine, theirs in zip(one, other, strict=True)
    )


def _apart(one: DeadlineRule, other: DeadlineRule) -> bool:
    if isinstance(one, Column) or isinstance(other, Column):
        return False
    pairs = ((one.queues, other.queues), (one.users, other.users))
    return any(mine and theirs and not set(mine) & set(theirs) for mine, theirs in pairs)
