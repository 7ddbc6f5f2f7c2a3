"""Random small feasible schedules for hypothesis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from packwise.model import Cluster, Schedule, Workload
from packwise.model.workload import NO_DEADLINE


class Case(NamedTuple):
    workload: Workload
    cluster: Cluster
    schedule: Schedule


@st.composite
def cases(
    draw: st.DrawFn,
    weights: bool = False,
    rejections: bool = False,
    deadlines: bool = False,
    users: bool = False,
) -> Case:
    """Jobs placed in any order, each at the first feasible moment after a delay of its own.

    With ``deadlines`` limits are longer than run times, some jobs have deadlines (also foolish ones) and
    some were promised a start. With ``users`` some jobs are of known users.
    """
    procs = draw(st.integers(1, 6))
    job = st.tuples(
        st.integers(0, 20), st.integers(1, procs), st.integers(1, 15), st.integers(0, 10)
    )
    jobs = sorted(draw(st.lists(job, min_size=1, max_size=9)), key=lambda row: row[0])
    used = [0] * 600
    start = [0] * len(jobs)
    for i in draw(st.permutations(range(len(jobs)))):
        submit, demand, runtime, delay = jobs[i]
        t = submit + delay
        while any(used[k] + demand > procs for k in range(t, t + runtime)):
            t += 1
        for k in range(t, t + runtime):
            used[k] += demand
        start[i] = t
    workload = Workload.of([(s, r, d, d) for s, r, d, _ in jobs])
    if weights:
        values = draw(st.lists(st.integers(1, 5), min_size=len(jobs), max_size=len(jobs)))
        workload = workload.replace(weight=np.array(values, float))
    if users:
        workload = workload.replace(user=draw(_column(st.integers(-1, 3), len(jobs))))
    starts = np.array(start)
    ends = starts + workload.runtime
    if rejections and len(jobs) > 1:
        refused = draw(st.sets(st.integers(0, len(jobs) - 1), max_size=len(jobs) - 1))
        starts[list(refused)] = ends[list(refused)] = -1
    estimates = draw(_column(st.integers(1, 30), len(jobs)))
    promised = None
    if deadlines:
        spare = draw(_column(st.integers(0, 20), len(jobs)))
        slack = draw(_column(st.none() | _SLACKS, len(jobs)))
        due = [
            NO_DEADLINE if more is None else max(submit + more, 0)
            for (submit, *_), more in zip(jobs, slack, strict=True)
        ]
        workload = workload.replace(
            requested_time=workload.runtime + spare, deadline=np.array(due, np.int64)
        )
        promised = draw(_column(st.integers(-1, 40), len(jobs)))
        if draw(st.booleans()):  # what was rejected could never have run
            workload = workload.replace(demand=np.where(starts < 0, procs + 1, workload.demand))
    return Case(workload, Cluster.pool(procs), Schedule(starts, ends, estimates, promised))


#: From before the submission to around a day after it.
_SLACKS = st.integers(-5, 60) | st.integers(86395, 86405)


def _column(values: st.SearchStrategy, n: int) -> st.SearchStrategy:
    return st.lists(values, min_size=n, max_size=n)
