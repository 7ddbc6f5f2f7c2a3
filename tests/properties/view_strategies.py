"""Views that no simulator made: drained machines, clocks that step, jobs that vanish, limits that change."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from packwise import Decision, View
from packwise.model.workload import NO_DEADLINE

MOST = 9
#: Estimates that make sense, and some that do not.
ESTIMATES = st.one_of(st.integers(1, 20), st.sampled_from([0, -5, 2**50]))


def a_view(**changes) -> View:
    """Two jobs wait for four processors, and a third runs on three of them."""
    ones = np.ones(3, np.int64)
    plain = View(
        now=10,
        procs=4,
        free=1,
        queue=np.array([1, 2]),
        running=np.array([0]),
        expected_end=np.array([20]),
        submit=np.array([0, 5, 10]),
        demand=np.array([3, 3, 1]),
        estimate=np.array([20, 10, 5]),
        limit=np.array([20, 10, 5]),
        user=ones,
        group=ones,
        app=ones,
        queue_number=ones,
        deadline=np.full(3, NO_DEADLINE),
    )
    return plain._replace(**changes)


@st.composite
def views(draw, now: int | None = None) -> View:
    """A view with up to nine jobs on up to eight processors, of which some may be gone."""
    jobs = draw(st.integers(1, MOST))
    procs = draw(st.integers(1, 8))
    now = draw(st.integers(0, 60)) if now is None else now

    def column(values) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=jobs, max_size=jobs)), np.int64)

    phase = column(st.integers(0, 2))  # waits, runs, or is not here any more
    running = np.flatnonzero(phase == 1)
    queue = np.array(draw(st.permutations(np.flatnonzero(phase == 0).tolist())), np.int64)
    deadline = column(st.one_of(st.just(NO_DEADLINE), st.integers(-10, 120)))
    return View(
        now=now,
        procs=procs,
        free=draw(st.integers(-2, procs)),
        queue=queue,
        running=running,
        expected_end=np.array([now + draw(st.integers(-20, 30)) for _ in running], np.int64),
        submit=column(st.integers(now - 30, now + 5)),  # the clock may have stepped back
        demand=column(st.integers(1, 10)),  # more than there may be
        estimate=column(ESTIMATES),
        limit=column(st.integers(1, 40)),
        user=column(st.integers(-1, 2)),
        group=column(st.integers(-1, 2)),
        app=column(st.integers(-1, 2)),
        queue_number=column(st.integers(-1, 2)),
        deadline=deadline,
    )


@st.composite
def later(draw, view: View, decision: Decision) -> View:
    """What a host may show next: the decision was carried out, or not; and things have happened."""
    start = [job for job in np.asarray(decision.start).tolist() if draw(st.booleans())]
    now = view.now + draw(st.integers(-5, 15))
    ended = [job for job in view.running.tolist() if draw(st.booleans())]
    gone = [job for job in view.queue.tolist() if draw(st.integers(0, 5)) == 0]
    running = [job for job in view.running.tolist() if job not in ended] + start
    queue = [job for job in view.queue.tolist() if job not in gone and job not in start]
    estimate = view.estimate.copy()
    for job in queue:
        if draw(st.integers(0, 4)) == 0:
            estimate[job] = draw(ESTIMATES)
    fresh = draw(views(now))
    back = len(view.demand)
    arrived = fresh.queue[: draw(st.integers(0, len(fresh.queue)))] + back

    def both(name: str) -> np.ndarray:
        return np.concatenate([getattr(view, name), getattr(fresh, name)])

    return View(
        now=now,
        procs=view.procs,
        free=draw(st.integers(-2, view.procs)),
        queue=np.array(draw(st.permutations([*queue, *arrived.tolist()])), np.int64),
        running=np.array(running, np.int64),
        expected_end=np.array([now + draw(st.integers(-5, 30)) for _ in running], np.int64),
        submit=both("submit"),
        demand=both("demand"),
        estimate=np.concatenate([estimate, fresh.estimate]),
        limit=both("limit"),
        user=both("user"),
        group=both("group"),
        app=both("app"),
        queue_number=both("queue_number"),
        deadline=both("deadline"),
        memory=decision.memory,
    )
