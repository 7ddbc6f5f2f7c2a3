"""What would have been otherwise: one log replayed as things are, and with something changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.metrics.breakdown import size_classes
from packwise.metrics.chance import Change, change_of_mean
from packwise.metrics.comparison import Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.model.cluster import Cluster
from packwise.model.decision import Policy
from packwise.model.errors import InputError
from packwise.model.recorded import recorded_starts
from packwise.model.run import Run
from packwise.model.schedule import NEVER
from packwise.model.workload import Floats, Ints, Workload
from packwise.readable import NONE, duration, percent

TODAY, THEN = "today", "what if"
#: Groups by which jobs are looked at, in the order in which one is chosen.
KINDS = ("partition", "account", "user", "size")
#: Changes of the mean wait below this, in per cent and in seconds, nobody would notice.
NOTICED, NOTICED_SECONDS = 5.0, 30
#: Groups with fewer jobs are not spoken of.
FEWEST_JOBS = 10
_NAMED = 3


class Case(NamedTuple):
    """Jobs on a machine under a policy."""

    workload: Workload
    cluster: Cluster
    policy: Policy


class GroupChange(NamedTuple):
    """What becomes of the jobs of a partition, an account, a user or a size; ``area``: their share."""

    name: str
    area: float
    change: Change


@dataclass(frozen=True, eq=False)
class Answer:
    """Two runs, and the jobs that are in both: their places in each, and their waits."""

    changes: tuple[str, ...]
    today: Run
    then: Run
    old: Ints
    new: Ints

    @classmethod
    def of(cls, changes: tuple[str, ...], today: Run, then: Run) -> Answer:
        """Of the jobs that ran in both."""
        ids = today.workload.id[today.schedule.ran]
        both = np.intersect1d(ids, then.workload.id[then.schedule.ran])
        if not both.size:
            raise InputError("no job would run both today and then: there is nothing to compare.")
        return cls(changes, today, then, _places(today, both), _places(then, both))

    @property
    def before(self) -> Floats:
        """The waits of today."""
        return _waits(self.today, self.old)

    @property
    def after(self) -> Floats:
        """The waits of then."""
        return _waits(self.then, self.new)

    def overall(self) -> Change:
        """The mean wait of all jobs that are in both."""
        return change_of_mean(self.before, self.after, self.today.workload.submit[self.old])

    def kinds(self) -> list[str]:
        """The groups that there are, the best to look at first: the first of which there are several."""
        found = []
        for kind in KINDS:
            numbers = None if kind == "size" else self.today.workload.numbers(kind)
            if kind == "size" or (numbers is not None and len(np.unique(numbers[self.old])) > 1):
                found.append(kind)
        return found

    def by(self, kind: str) -> list[GroupChange]:
        """What changes for whom, those with the largest share of the machine first."""
        workload = self.today.workload
        names, member = self._members(kind)
        submit, area = workload.submit[self.old], workload.area[self.old]
        before, after, total = self.before, self.after, area.sum()
        order = np.argsort(member, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(member, minlength=len(names)))[:-1])
        found = []
        for name, here in zip(names, groups, strict=True):
            change = change_of_mean(before[here], after[here], submit[here])
            found.append(GroupChange(name, float(area[here].sum() / total), change))
        if kind == "size":
            return found
        return sorted(found, key=lambda one: (-one.area, one.name))

    def _members(self, kind: str) -> tuple[list[str], Ints]:
        workload = self.today.workload
        if kind == "size":
            labels, member = size_classes(workload.demand[self.old])
            return [f"{one} processor{'' if one == '1' else 's'}" for one in labels], member
        numbers = workload.numbers(kind)
        if numbers is None:
            raise InputError(f"'{workload.name}' does not tell the {kind} of its jobs.")
        classes, member = np.unique(numbers[self.old], return_inverse=True)
        named = kind in workload.names
        labels = [workload.name_of(kind, k) if named else f"{kind} {k}" for k in classes.tolist()]
        return labels, member.reshape(-1)

    def measured(
        self, metrics: list[Metric], measure: Callable[..., dict[str, float]]
    ) -> Comparison:
        """Both runs by some metrics, of the jobs that are in both; those of the machine are of all."""
        entries = []
        for label, run, places in ((TODAY, self.today, self.old), (THEN, self.then, self.new)):
            mask = np.zeros(len(run.workload), np.bool_)
            mask[places] = True
            only = None if mask.all() else mask
            names = [
                one.name for one in metrics if one.applies(run.workload, run.cluster, run.schedule)
            ]
            values = measure(run.workload, run.cluster, run.schedule, names, only=only)
            entries.append(
                Entry(label, {one.name: values.get(one.name, math.nan) for one in metrics})
            )
        return Comparison(
            tuple(metrics), tuple(entries), 0, len(self.today.workload) - len(self.old)
        )

    def really(self) -> Change | None:
        """The mean wait as it really was, and as today's replay has it; None where the log does not tell."""
        workload = self.today.workload
        starts = recorded_starts(workload)
        known = (starts != NEVER) & self.today.schedule.ran
        if not known.any():
            return None
        real = (starts - workload.submit)[known].astype(np.float64)
        replayed = self.today.schedule.wait(workload)[known].astype(np.float64)
        return change_of_mean(real, replayed, workload.submit[known])

    def words(self) -> list[str]:
        """What changes for whom, and how sure that is."""
        said = [self._overall_words()]
        said += filter(None, (_group_words(kind, self.by(kind)) for kind in self.kinds()))
        gone = int(self.today.schedule.ran.sum()) - len(self.old)
        if gone:
            never = len(self.then.rejected)
            why = f", of which {never:,} could never run then" if never else ""
            said.append(
                f"Without {gone:,} jobs of today{why}; waits and metrics are those of the other "
                f"{len(self.old):,}."
            )
        real = self.really()
        if real is not None:
            said.append(
                f"The replay of today: a mean wait of {duration(real.after)}; really it was "
                f"{duration(real.before)} ({percent(real.percent)}). What is said here rests on that replay."
            )
        return said

    def _overall_words(self) -> str:
        found = self.overall()
        what = " and ".join(self.changes)
        means = f"{duration(found.after)} instead of {duration(found.before)}"
        if not _noticed(found):
            return f"With {what}, jobs would wait about as long as today: {means} in the mean."
        by = f" ({percent(found.percent)})" if found.percent is not None else ""
        between = (
            f", {between_words(found)} had other days come" if found.percent is not None else ""
        )
        if not found.sure:
            return f"With {what}, the mean wait would be {means}{by}, which may be chance{between}."
        way = "less" if found.after < found.before else "longer"
        return f"With {what}, jobs would wait {way}: {means} in the mean{by}{between}."


def between_words(change: Change) -> str:
    """Between what a change is, had other days come."""
    return NONE if change.percent is None else f"{percent(change.low)} to {percent(change.high)}"


def _places(run: Run, ids: Ints) -> Ints:
    order = np.argsort(run.workload.id, kind="stable")
    found: Ints = order[np.searchsorted(run.workload.id[order], ids)]
    return found


def _waits(run: Run, places: Ints) -> Floats:
    return run.schedule.wait(run.workload)[places].astype(np.float64)


def _noticed(change: Change) -> bool:
    by = change.percent
    return abs(change.after - change.before) >= NOTICED_SECONDS and (
        by is None or abs(by) >= NOTICED
    )


def _group_words(kind: str, groups: list[GroupChange]) -> str:
    """Who gains and who loses most, of groups with some jobs; only what is more than chance."""
    told = [one for one in groups if one.change.jobs >= FEWEST_JOBS]
    sure = [one for one in told if _noticed(one.change) and one.change.sure]
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
    return f"By {kind}: {', '.join(parts)}, of {len(told):,} with {FEWEST_JOBS} jobs or more."


def _named(one: GroupChange) -> str:
    change = one.change.percent
    return f"{one.name} {duration(one.change.after) if change is None else percent(change)}"


def change_words(
    settings: Mapping[str, str],
    policy: str | None,
    nodes: str,
    load: float | None,
    without: tuple[str, ...],
    pool: bool = False,
) -> tuple[str, ...]:
    """What is changed, in words, one part each."""
    said = [f"{name}={value}" for name, value in settings.items()]
    if policy is not None:
        said.append(f"the policy {policy}")
    if nodes:
        said.append(f"{nodes} {'processors' if pool else 'nodes'}")
    if load is not None:
        said.append(f"{percent(100 * (load - 1))} load")
    said += [f"no jobs of {text}" for text in without]
    return tuple(said)
