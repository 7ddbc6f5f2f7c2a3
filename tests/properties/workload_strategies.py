"""Hypothesis strategies: small workloads on small machines, full of ties and collisions."""

from __future__ import annotations

from hypothesis import strategies as st

from packwise.model import Workload

PROCS = 8


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
