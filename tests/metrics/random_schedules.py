"""Random small feasible schedules for hypothesis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from packwise.model import Cluster, Schedule, Workload


class Case(NamedTuple):
    workload: Workload
    cluster: Cluster
    schedule: Schedule


@st.composite
def cases(draw: st.DrawFn, weights: bool = False, rejections: bool = False) -> Case:
    """Jobs placed in any order, each at the first feasible moment after a delay of its own."""
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
    starts = np.array(start)
    ends = starts + workload.runtime
    if rejections and len(jobs) > 1:
        refused = draw(st.sets(st.integers(0, len(jobs) - 1), max_size=len(jobs) - 1))
        starts[list(refused)] = ends[list(refused)] = -1
    estimates = draw(st.lists(st.integers(1, 30), min_size=len(starts), max_size=len(starts)))
    return Case(workload, Cluster.pool(procs), Schedule(starts, ends, estimates))
