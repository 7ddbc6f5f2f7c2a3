"""A situation on the stage of a replay: who runs holds his part of the machine from the beginning, who waits
has come when he came, and nobody starts before now.

Replays begin with an empty machine. So those who run come first, together, early enough for all to start
before anybody waits; what they leave free is closed until now: by one more job on a pool of processors, by an
outage that lets jobs go on where there are nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from packwise.forecasting.columns import Columns
from packwise.forecasting.situation import Situation
from packwise.model.cluster import Cluster, Outage
from packwise.model.decision import Policy
from packwise.model.schedule import NEVER
from packwise.model.workload import CORES, Ints, Workload
from packwise.simulation import simulate

#: Seconds that those who run have to start before anybody waits: some policies start a few at a time.
LEAD = 600
#: Who has waited for longer is taken as waiting for so long: policies hardly tell them apart, and periodic
#: ones would do nothing for ages in each replay.
LONGEST_WAIT = 14 * 86_400
_NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The machine, and those who are there: ``running`` and ``waiting`` are places of the situation's jobs,
    ``held`` what each running one has, ``closing`` what nobody has until ``opens``, which is ``now`` on the
    stage's clock; ``begin`` is when those who run come. ``left_out``: places of running jobs for which there is
    no room besides the others.
    """

    cluster: Cluster
    running: Ints
    held: Ints
    closing: int
    waiting: Ints
    submit: Ints
    begin: int
    opens: int
    shift: int
    left_out: Ints

    def workload(
        self, jobs: Workload, elapsed: Ints, runtime: Ints, later: Columns | None = None
    ) -> Workload:
        """The jobs of one future, in this order: those who run, the one that closes, those who wait, those who
        come later. ``runtime`` is what each of ``jobs`` takes in all.
        """
        run, wait = self.running, self.waiting
        ahead = self.opens - self.begin
        left = np.maximum(runtime[run] - elapsed[run], 1)
        parts = [
            Columns.of(jobs, run).changed(
                submit=np.full(len(run), self.begin),
                runtime=ahead + left,
                requested_time=ahead + np.maximum(jobs.requested_time[run] - elapsed[run], left),
                demand=self.held if self.cluster.is_pool else jobs.demand[run],
            ),
            Columns.of(jobs, wait).changed(
                submit=self.submit, runtime=np.minimum(runtime[wait], jobs.requested_time[wait])
            ),
        ]
        if self.closing:
            parts.insert(1, Columns.alone(self.begin, ahead, self.closing))
        if later is not None:
            parts.append(later.changed(submit=later["submit"] + self.shift))
        return Columns.together(parts, jobs)

    def starts(self, found: Ints) -> tuple[Ints, Ints]:
        """Of the starts in a replay of such a workload those of who ran, and those of who waited."""
        first = len(self.running) + (1 if self.closing else 0)
        waited = found[first : first + len(self.waiting)]
        moved = [
            np.where(part == NEVER, NEVER, part - self.shift)
            for part in (found[: len(self.running)], waited)
        ]
        return moved[0], moved[1]


def staged(situation: Situation, policy: Policy | str) -> Stage:
    """The stage for a situation. On nodes those who run are placed anew, as the policy places jobs, the largest
    units first; who then has no room is left out.
    """
    now, cluster, jobs = situation.now, situation.cluster, situation.jobs
    run, wait = situation.running, situation.waiting
    submit = np.maximum(jobs.submit[wait], now - LONGEST_WAIT)
    begin = int(submit.min(initial=now)) - LEAD
    shift = max(0, -begin)
    stage = Stage(
        cluster=_reopened(cluster, begin + LEAD - 1, now, shift),
        running=run,
        held=jobs.demand[run],
        closing=0,
        waiting=wait,
        submit=submit + shift,
        begin=begin + shift,
        opens=now + shift,
        shift=shift,
        left_out=_NOBODY,
    )
    if cluster.is_pool:
        return _squeezed(stage, situation)
    return _placed(stage, situation, policy)


def _squeezed(stage: Stage, situation: Situation) -> Stage:
    """On a pool: if those who run have more than there is (records overlap by seconds, processors were taken
    away), the last ones to start are cut to what is left.
    """
    procs = situation.cluster.procs
    order = stage.running[np.argsort(situation.start[stage.running], kind="stable")]
    demand = situation.jobs.demand[order]
    held = np.clip(procs - (np.cumsum(demand) - demand), 0, demand)
    some = held > 0
    return replace(
        stage,
        running=order[some],
        held=held[some],
        closing=procs - int(held.sum()),
        left_out=order[~some],
    )


def _placed(stage: Stage, situation: Situation, policy: Policy | str) -> Stage:
    """On nodes: who has a place when all are placed anew."""
    jobs, run = situation.jobs, stage.running
    cores = np.ones(len(run)) if jobs.units is None else jobs.per_unit[CORES][run]
    run = run[np.lexsort((-jobs.demand[run], -cores))]
    if not len(run):
        return stage
    alone = replace(stage, running=run, waiting=_NOBODY, submit=_NOBODY)
    workload = alone.workload(jobs, situation.elapsed, situation.elapsed + 1)
    replayed = simulate(workload, stage.cluster, policy, reject_too_large=True)
    started = dict(
        zip(replayed.workload.id.tolist(), replayed.schedule.start.tolist(), strict=True)
    )
    there = np.array(
        [NEVER < started.get(i, NEVER) < stage.begin + LEAD for i in workload.id.tolist()]
    )
    return replace(stage, running=run[there], held=jobs.demand[run[there]], left_out=run[~there])


def _reopened(cluster: Cluster, closes: int, now: int, shift: int) -> Cluster:
    """On nodes nothing starts from ``closes`` until ``now``; what is out then comes back when it is said to."""
    if cluster.is_pool:
        return cluster
    everywhere = Outage(
        tuple(range(cluster.nodes)), closes + shift, max(now, closes + 1) + shift, kill=False
    )
    later = [
        replace(one, begin=max(one.begin, now) + shift, end=one.end + shift)
        for one in cluster.outages
        if one.end > now
    ]
    return replace(cluster, outages=(everywhere, *later))
