"""What changes for whom between two schedules of the same jobs: waits by partition, account, user and size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.metrics.breakdown import size_classes
from packwise.metrics.chance import Change, change_of_mean, untold_change
from packwise.model.errors import InputError
from packwise.model.workload import Floats, Ints, Workload
from packwise.readable import duration, percent

#: Groups by which jobs are looked at, in the order in which one is chosen.
KINDS = ("partition", "queue", "account", "group", "user", "size")
#: Of logs that tell the first of these, the second says the same once more.
_SAME = {"queue": "partition", "group": "account"}
#: Changes of the mean wait below this, in per cent and in seconds, nobody would notice.
NOTICED, NOTICED_SECONDS = 5.0, 30
#: Groups with fewer jobs are not spoken of.
FEWEST_JOBS = 10
_NAMED = 3
#: The part of all groups that would seem to change for certain though nothing does.
_BY_CHANCE = 0.05
#: Beyond this, per cents of next to nothing say less than the waits themselves.
_TENFOLD = 900.0


class GroupChange(NamedTuple):
    """What becomes of the jobs of a partition, an account, a user or a size; ``area``: their share."""

    name: str
    area: float
    change: Change


def group_kinds(workload: Workload, places: Ints) -> list[str]:
    """The groups that there are among these jobs, the best to look at first: the first of which there are
    several.
    """
    several = []
    for kind in KINDS[:-1]:
        numbers = workload.numbers(kind)
        if numbers is not None and len(np.unique(numbers[places])) > 1:
            several.append(kind)
    return [kind for kind in several if _SAME.get(kind) not in several] + ["size"]


def group_members(workload: Workload, places: Ints, kind: str) -> tuple[list[str], Ints]:
    """What the groups of these jobs are called, and the place of each job's group among them."""
    if kind == "size":
        labels, member = size_classes(workload.demand[places])
        return [f"{one} processor{'' if one == '1' else 's'}" for one in labels], member
    numbers = workload.numbers(kind)
    if numbers is None:
        raise InputError(f"'{workload.name}' does not tell the {kind} of its jobs.")
    classes, member = np.unique(numbers[places], return_inverse=True)
    return [group_name(workload, kind, one) for one in classes.tolist()], member.reshape(-1)


def group_name(workload: Workload, kind: str, number: int) -> str:
    """Its name or, where it has none, what it is and its number."""
    if number < 0:
        return f"unknown {kind}"
    named = kind in workload.names
    return workload.name_of(kind, number) if named else f"{kind} {number}"


def changes_by(
    workload: Workload, places: Ints, before: Floats, after: Floats, kind: str
) -> list[GroupChange]:
    """What changes for whom, those with the largest share of the machine first, sizes in their order.

    ``before`` and ``after`` are the waits of the jobs at these ``places`` of the workload.
    """
    names, member = group_members(workload, places, kind)
    submit, area = workload.submit[places], workload.area[places]
    total = area.sum()
    order = np.argsort(member, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(member, minlength=len(names)))[:-1])
    found = []
    for name, here in zip(names, groups, strict=True):
        told = len(here) >= FEWEST_JOBS
        change = (
            change_of_mean(before[here], after[here], submit[here])
            if told
            else untold_change(before[here], after[here])
        )
        found.append(GroupChange(name, float(area[here].sum() / total), change))
    return found if kind == "size" else sorted(found, key=lambda one: (-one.area, one.name))


def noticed(change: Change) -> bool:
    """Whether somebody would notice it."""
    by = change.percent
    return abs(change.after - change.before) >= NOTICED_SECONDS and (
        by is None or abs(by) >= NOTICED
    )


def group_words(kind: str, groups: list[GroupChange]) -> str:
    """Who gains and who loses most, of groups with some jobs; only what is more than chance."""
    told = [one for one in groups if one.change.jobs >= FEWEST_JOBS]
    sure = [one for one in told if noticed(one.change) and one.change.sure]
    parts = []
    for way, sign in (("less", -1), ("longer", 1)):
        some = [one for one in sure if sign * (one.change.after - one.change.before) > 0]
        some.sort(key=lambda one: (-abs(one.change.after - one.change.before), one.name))
        if some:
            named = ", ".join(_named(one) for one in some[:_NAMED])
            rest = f" and {len(some) - _NAMED:,} more" if len(some) > _NAMED else ""
            parts.append(f"{way} for {len(some):,} ({named}{rest})")
    if not parts:
        return f"By {kind}: nothing that is more than chance." if len(told) > 1 else ""
    chance = round(_BY_CHANCE * len(told))
    by_chance = f", of which chance alone would name about {chance:,}" if chance else ""
    return f"By {kind}: {', '.join(parts)}, of {len(told):,} with {FEWEST_JOBS} jobs or more{by_chance}."


def _named(one: GroupChange) -> str:
    change = one.change
    if change.percent is None or change.percent > _TENFOLD:
        return f"{one.name} {duration(change.after)} instead of {duration(change.before)}"
    return f"{one.name} {percent(change.percent)}"
