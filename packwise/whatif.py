"""What would have been otherwise: one log replayed as things are, and with something changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.metrics.catalogue import summarize
from packwise.metrics.chance import Change, change_of_mean
from packwise.metrics.comparison import Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.metrics.group_changes import (
    GroupChange,
    changes_by,
    group_kinds,
    group_words,
    noticed,
)
from packwise.model.cluster import Cluster
from packwise.model.decision import Policy
from packwise.model.errors import InputError
from packwise.model.recorded import recorded_starts
from packwise.model.run import Run
from packwise.model.schedule import NEVER
from packwise.model.workload import Floats, Ints, Workload
from packwise.readable import NONE, duration, percent

TODAY, THEN = "today", "what if"


class Case(NamedTuple):
    """Jobs on a machine under a policy."""

    workload: Workload
    cluster: Cluster
    policy: Policy


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
    def withheld(self) -> bool:
        """Whether the machine is in doubt, so that nothing is a gain."""
        return bool(self.today.cluster.sizing.doubt)

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
        return group_kinds(self.today.workload, self.old)

    def by(self, kind: str) -> list[GroupChange]:
        """What changes for whom, those with the largest share of the machine first."""
        return changes_by(self.today.workload, self.old, self.before, self.after, kind)

    def measured(self, metrics: list[Metric]) -> Comparison:
        """Both runs by some metrics, of the jobs that are in both; those of the machine are of all."""
        entries = []
        for label, run, places in ((TODAY, self.today, self.old), (THEN, self.then, self.new)):
            mask = np.zeros(len(run.workload), np.bool_)
            mask[places] = True
            only = None if mask.all() else mask
            names = [
                one.name for one in metrics if one.applies(run.workload, run.cluster, run.schedule)
            ]
            values = summarize(run.workload, run.cluster, run.schedule, names, only=only)
            entries.append(
                Entry(label, {one.name: values.get(one.name, math.nan) for one in metrics})
            )
        return Comparison(
            tuple(metrics),
            tuple(entries),
            0,
            len(self.today.workload) - len(self.old),
            self.withheld,
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
        said = [] if self.withheld else self._verdicts()
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
            by = "" if self.withheld else f" ({percent(real.percent)})"
            said.append(
                f"The replay of today: a mean wait of {duration(real.after)}; really it was "
                f"{duration(real.before)}{by}. What is said here rests on that replay."
            )
        return said

    def _verdicts(self) -> list[str]:
        groups = (group_words(kind, self.by(kind)) for kind in self.kinds())
        return [self._overall_words(), *filter(None, groups)]

    def _overall_words(self) -> str:
        found = self.overall()
        what = " and ".join(self.changes)
        means = f"{duration(found.after)} instead of {duration(found.before)}"
        if not noticed(found):
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
    if change.percent is None or math.isnan(change.low):
        return NONE
    return f"{percent(change.low)} to {percent(change.high)}"


def _places(run: Run, ids: Ints) -> Ints:
    order = np.argsort(run.workload.id, kind="stable")
    found: Ints = order[np.searchsorted(run.workload.id[order], ids)]
    return found


def _waits(run: Run, places: Ints) -> Floats:
    return run.schedule.wait(run.workload)[places].astype(np.float64)


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
