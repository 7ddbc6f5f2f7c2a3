"""How large a machine is, how that is known, and whether the records of its jobs speak against it.

Four things do. More was in use than there is. Most of the waiting was beside a machine of which half was
free, with room for every job that waited: then jobs are missing in the records, or the machine was smaller, or
something held jobs back that no replay knows of. Or most jobs asked for what a guess from processors leaves
out, GPUs say. Or nothing is known at all: the size is that of the widest
job, and no record tells when a job started.

What is tolerated was chosen on KTH-SP2, CTC-SP2 and HPC2N, honest logs (at most 0.05 % of the work beyond
the machine, at most 32 % of the waiting beside a free half; a machine told a tenth too small has 3 % and more
on the first two), and on records that do not tell all (Graham, 95 % of the waiting; phillips, 85 %).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.cluster import Cluster
from packwise.model.demands import demands
from packwise.model.recorded import recorded_starts
from packwise.model.schedule import NEVER
from packwise.model.sizing import IN_USE, TOLD, WIDEST, Sizing
from packwise.model.workload import CORES, Ints, Workload
from packwise.workloads.proportion import most_at_once

Mask = NDArray[np.bool_]

#: Of the work, what may have no place on the machine by the records: schedulers learn late of ends.
MOST_BEYOND: Final = 0.025
#: Of the processors and of everything else on the nodes, what is free of a machine that is mostly free.
FREE: Final = 0.5
#: Of the waiting, what may have been beside a machine that was mostly free and had room.
MOST_BESIDE: Final = 0.5
#: Of the jobs, what may ask for what a guess leaves out.
MOST_WITHOUT: Final = 0.5
#: Seconds for the mean job: waits that are shorter are a scheduler's own pace.
_PACE: Final = 300
_REMEDY: Final = "Tell the machine as it is: --procs, or --cluster with its nodes."
_UNTIL_THEN: Final = "Numbers are shown as they are, none of them as a gain."


class Size(NamedTuple):
    """Processors, and how their number is known."""

    procs: int
    sizing: Sizing = TOLD

    def pool(self, name: str) -> Cluster:
        """So many processors, any of which serves any job."""
        return Cluster.pool(self.procs, name, self.sizing)


def guessed_size(start: Ints, end: Ints, demand: Ints) -> Size:
    """At least what was in use at once, by the records, and what the widest job needs. A start that is not
    known is NEVER.
    """
    widest = int(demand.max(initial=1))
    known = start != NEVER
    most = most_at_once(start[known], end[known], demand[known])
    return Size(max(most, widest), Sizing("guessed", IN_USE if most >= widest else WIDEST))


def judged(cluster: Cluster, there: Workload, asked: Ints) -> Cluster:
    """The machine, which now knows what the records of the jobs that were ``there`` say against it. ``asked``:
    the ids of those whose waits are looked at.
    """
    doubt = _doubt(cluster, there, np.isin(there.id, asked))
    return replace(cluster, sizing=cluster.sizing._replace(doubt=doubt))


def _doubt(cluster: Cluster, there: Workload, asked: Mask) -> str:
    ran = recorded_starts(there) != NEVER
    if not ran.any():
        return _nothing_known(cluster)
    there, asked = there.select(ran), asked[ran]
    start = recorded_starts(there)
    end = start + there.runtime
    if not asked.any():
        return ""
    return (
        _more_in_use(cluster, there.demand, start, end, asked)
        or _mostly_free(cluster, there, start, end, asked)
        or _left_out(cluster, there)
    )


def _nothing_known(cluster: Cluster) -> str:
    if cluster.sizing.source != "guessed":
        return ""
    return (
        "Nothing is known of the machine: the log tells neither its size nor when jobs started. It is taken to "
        f"have {cluster.procs:,} processors, as many as the widest job needs, and how long jobs wait hangs on "
        f"that. {_REMEDY} {_UNTIL_THEN}"
    )


def _more_in_use(cluster: Cluster, demand: Ints, start: Ints, end: Ints, asked: Mask) -> str:
    """Words, if a good part of the work had no place on the machine."""
    times = np.unique(np.concatenate([start, end]))
    used = _level(times, start, end, demand)
    last = end[asked].max()
    seconds = np.diff(np.clip(times, start[asked].min(), last), append=last).astype(np.float64)
    work = float(seconds @ used)
    beyond = float(seconds @ np.maximum(used - cluster.procs, 0))
    if beyond <= MOST_BEYOND * work:
        return ""
    most = int(used[seconds > 0].max())
    return (
        f"The records speak against the machine: up to {most:,} processors were in use at once, of "
        f"{cluster.procs:,}, and {100 * beyond / work:.0f} % of the work had no place on them. The machine was "
        f"larger, or jobs shared processors. {_REMEDY} {_UNTIL_THEN}"
    )


def _mostly_free(cluster: Cluster, there: Workload, start: Ints, end: Ints, asked: Mask) -> str:
    """Words, if most of the waiting was beside a free machine."""
    waited = float((start - there.submit)[asked].sum())
    beside = sum(_beside(part, there.submit, start, end, asked) for part in _parts(there, cluster))
    if beside <= MOST_BESIDE * waited or beside < _PACE * int(asked.sum()):
        return ""
    what = "processors" if cluster.is_pool else "nodes that they may use"
    return (
        f"The records speak against the machine: for {100 * beside / waited:.0f} % of all waiting at least "
        f"half of its {what} were free, with room for every job that waited. Either the records do not have "
        "all jobs that ran there, or the machine is smaller than it was taken for, or jobs were held back by "
        "something that the records do not tell. Replays use what was free, so their waits are too short. "
        f"{_REMEDY} {_UNTIL_THEN}"
    )


def _left_out(cluster: Cluster, there: Workload) -> str:
    """Words, if most jobs asked for something that a guess from processors knows nothing of."""
    if cluster.sizing.source != "guessed":
        return ""
    for name, amount in there.per_unit.items():
        count = int((amount > 0).sum())
        if name not in (CORES, "memory") and count > MOST_WITHOUT * len(there):
            return (
                f"Nothing is known of the {name} of the machine, which {count:,} of {len(there):,} jobs ask "
                f"for: its {cluster.procs:,} processors are guessed, and replays use nothing else, so their "
                f"waits are too short. {_REMEDY} {_UNTIL_THEN}"
            )
    return ""


class _Part(NamedTuple):
    """Nodes that are open to the same jobs: who waits for them, who may be on them, what each job needs, and
    what there is, a column for each resource.
    """

    waiting: Mask
    using: Mask
    needs: Ints
    room: Ints


def _parts(workload: Workload, cluster: Cluster) -> Iterator[_Part]:
    """Nodes that are out, or that a job has to itself, can be full without looking so: they are left out."""
    if cluster.is_pool:
        every = np.ones(len(workload), np.bool_)
        yield _Part(every, every, workload.demand[:, None], np.array([cluster.procs]))
        return
    wanted = demands(workload, cluster)
    needs = wanted.units[:, None] * wanted.per_unit[wanted.kind]
    of_job = wanted.where[wanted.kind]
    capacity, whole = cluster.capacity(), cluster.whole_nodes()
    for row in np.unique(of_job).tolist():
        nodes = wanted.open[row]
        if cluster.outages or (nodes & whole).any():
            continue
        shared = wanted.open @ nodes > 0
        yield _Part(of_job == row, shared[of_job], needs, nodes @ capacity)


def _beside(part: _Part, submit: Ints, start: Ints, end: Ints, asked: Mask) -> float:
    """The waiting of those who are asked about, in seconds, while the part was mostly free, with room for each
    of those who waited.
    """
    waiting, using = part.waiting, part.using
    come, gone = submit[waiting], start[waiting]
    times = np.unique(np.concatenate([come, gone, start[using], end[using]]))
    free = np.ones(len(times), np.bool_)
    for need, room in zip(part.needs.T, part.room.tolist(), strict=True):
        left = room - _level(times, start[using], end[using], need[using])
        free &= (left >= FREE * room) & (left >= _widest(times, come, gone, need[waiting]))
    queued = waiting & asked
    length = _level(times, submit[queued], start[queued], np.ones(int(queued.sum()), np.int64))
    seconds = np.diff(times, append=times[-1:]).astype(np.float64)
    return float(seconds @ (length * free))


def _level(times: Ints, begin: Ints, end: Ints, amount: Ints) -> Ints:
    """From each of the ``times`` on, what there is of something of which each job has an amount for a while."""
    change = np.zeros(len(times), np.int64)
    np.add.at(change, np.searchsorted(times, begin), amount)
    np.subtract.at(change, np.searchsorted(times, end), amount)
    return np.cumsum(change)


def _widest(times: Ints, come: Ints, gone: Ints, need: Ints) -> Ints:
    """From each of the ``times`` on, the largest need of those who wait, or somewhat more, but of no more than
    twice as much: by powers of two.
    """
    found = np.zeros(len(times), np.int64)
    powers = np.ceil(np.log2(np.maximum(need, 1)))
    for power in np.unique(powers):
        some = powers == power
        there = _level(times, come[some], gone[some], np.ones(int(some.sum()), np.int64)) > 0
        found[there] = need[some].max()
    return found
