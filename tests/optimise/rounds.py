"""Small rounds: by hand, and at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from packwise.optimise.round import Round

NOW = 100


def a_round(
    jobs: list[tuple[int, int, int]],
    procs: int,
    running: list[tuple[int, int]] | None = None,
) -> Round:
    """Jobs (age, demand, estimate) at time 100; running (demand, seconds left)."""
    ages, demand, estimate = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
    order = np.argsort(-ages, kind="stable")
    ends = sorted(running or [], key=lambda one: one[1])
    times, free = [NOW], [procs - sum(r for r, _ in ends)]
    for r, left in ends:
        if NOW + left == times[-1]:
            free[-1] += r
        else:
            times.append(NOW + left)
            free.append(free[-1] + r)
    assert all(a < b for a, b in pairwise(times))
    return Round(
        now=NOW,
        procs=procs,
        job=np.arange(len(jobs)),
        submit=(NOW - ages)[order],
        demand=demand[order],
        estimate=estimate[order],
        times=np.array(times, np.int64),
        free=np.array(free, np.int64),
    )


@st.composite
def rounds(draw: st.DrawFn, jobs: int = 5, longest: int = 30) -> Round:
    """At most so many jobs on at most 8 processors, some of them taken."""
    procs = draw(st.integers(1, 8))
    running, used = [], 0
    for _ in range(draw(st.integers(0, 3))):
        if used < procs:
            r = draw(st.integers(1, procs - used))
            used += r
            running.append((r, draw(st.integers(1, longest))))
    job = st.tuples(st.integers(0, NOW), st.integers(1, procs), st.integers(1, longest))
    return a_round(draw(st.lists(job, min_size=1, max_size=jobs)), procs, running)
