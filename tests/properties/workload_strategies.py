"""Hypothesis strategies: small workloads on small machines, full of ties and collisions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from packwise.model import Workload
from packwise.model.workload import NO_DEADLINE

PROCS = 8


@st.composite
def deadline_workloads(draw: st.DrawFn, most: int = 14) -> Workload:
    """Some jobs have a deadline: far, tight, or one that nobody could meet."""
    workload = draw(workloads(most))
    slack = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 20, 40, -3])
    deadlines = [
        NO_DEADLINE if draw(st.booleans()) else max(0, int(submit + limit) + draw(slack))
        for submit, limit in zip(workload.submit, workload.requested_time, strict=True)
    ]
    return workload.replace(deadline=np.array(deadlines, np.int64))


@st.composite
def workloads(draw: st.DrawFn, most: int = 14) -> Workload:
    n = draw(st.integers(1, most))
    jobs = []
    for _ in range(n):
        runtime = draw(st.integers(1, 12))
        jobs.append(
            (
                draw(st.integers(0, 25)),
                draw(st.integers(1, PROCS)),
                runtime,
                runtime + draw(st.sampled_from([0, 0, 1, 5, 20])),
            )
        )
    return Workload.of(jobs)
