"""What really happened, as a policy like any other; and a replay that keeps to the order of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.errors import InputError
from packwise.model.recorded import recorded_schedule, recorded_starts
from packwise.model.run import RoundLog, Run
from packwise.model.schedule import NEVER, Schedule
from packwise.model.view import View
from packwise.model.workload import Ints, Workload


@dataclass(frozen=True)
class Recorded:
    """What really happened: every job starts when the log says that it did."""

    name: str = "recorded"
    meaning: str = "what really happened, by the log itself: every job starts when it did"
    source: str = ""

    def decide(self, view: View) -> Decision:
        """Nothing is decided: what happened has happened."""
        raise InputError(
            f"policy '{self.name}' is what happened, by the log, and decides nothing: compare others with it "
            "in replay, compare, report and studies."
        )

    def run(self, workload: Workload, cluster: Cluster, estimate: str) -> Run:
        """The run that the log tells of. Jobs whose starts it does not tell are left out."""
        starts = _known(self.name, workload)
        known = starts != NEVER
        refused = workload.id[~known]
        jobs = workload if known.all() else workload.select(known)
        found = recorded_schedule(jobs)
        limit = jobs.requested_time
        schedule = Schedule(
            found.start,
            found.end,
            limit if found.estimate is None else found.estimate,
            found.promised,
            None if cluster.is_pool else found.allocation,
            found.booting,
        )
        return Run(
            workload=jobs,
            cluster=cluster,
            policy=self.name,
            estimate=estimate,
            schedule=schedule,
            rejected=refused,
            rounds=_rounds(jobs, schedule),
            seconds=0.0,
            compiled=False,
            corrections=np.zeros(len(jobs), np.int64),
        )


@dataclass(frozen=True)
class RecordedOrder:
    """Jobs start in the order in which they really did, each as soon as it fits: what is left of the real
    waits is the machine's, and the rest was the scheduler's delay.
    """

    name: str = "recorded-order"
    meaning: str = "in the order in which jobs really started, each as soon as it fits"
    source: str = ""
    pool_only: bool = True
    starts: Ints | None = field(default=None, compare=False, repr=False)

    def bound(self, workload: Workload, cluster: Cluster) -> RecordedOrder:
        """For the jobs of a workload; the cluster does not matter."""
        return replace(self, starts=_known(self.name, workload))

    def decide(self, view: View) -> Decision:
        """Whoever is next by the log; nobody overtakes."""
        if self.starts is None:
            raise InputError(f"policy '{self.name}' is for replays: it has to know what happened.")
        starts = self.starts[view.queue]
        order = view.queue[np.lexsort((view.queue, np.where(starts == NEVER, 2**62, starts)))]
        fits = np.cumsum(view.demand[order]) <= view.free
        return Decision(start=order[: int(np.argmin(fits)) if not fits.all() else len(order)])


def _known(name: str, workload: Workload) -> Ints:
    starts = recorded_starts(workload)
    if (starts == NEVER).all():
        raise InputError(
            f"policy '{name}': '{workload.name}' does not tell when its jobs really started, or they were "
            "changed since (by scaling the load, shaking, or rounding demands)."
        )
    return starts


def _rounds(workload: Workload, schedule: Schedule) -> RoundLog:
    """The moments at which jobs started, how many waited then, and how many were started."""
    times, started = np.unique(schedule.start, return_counts=True)
    submitted = np.searchsorted(workload.submit, times, "right")
    before = np.concatenate(([0], np.cumsum(started)[:-1]))
    return RoundLog(times, np.maximum(submitted - before, started), started.astype(np.int64))
