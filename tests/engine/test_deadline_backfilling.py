"""Deadline-based backfilling on cases small enough to do by hand. The machine has 4 processors."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model import Cluster, Workload
from packwise.model.run import Run
from packwise.model.workload import NO_DEADLINE
from packwise.policies import ConservativePolicy, DeadlinePolicy
from packwise.predict import Exact
from packwise.simulation import simulate
from tests.oracle import naive_scheduler

NEVER = NO_DEADLINE


def jobs(*rows: tuple[int, int, int, int, int]) -> Workload:
    """From (submit, demand, runtime, limit, deadline)."""
    workload = Workload.of([row[:4] for row in rows])
    return workload.replace(deadline=np.array([row[4] for row in rows]))


def run(workload: Workload, procs: int = 4, **policy: bool) -> Run:
    return simulate(workload, Cluster.pool(procs), DeadlinePolicy(**policy))


def starts(workload: Workload, procs: int = 4, **policy: bool) -> list[int]:
    return run(workload, procs, **policy).schedule.start.tolist()


FULL_UNTIL_10 = (0, 4, 10, 10, NEVER)


def test_a_deadline_driven_job_makes_room_for_a_regular_one():
    workload = jobs(FULL_UNTIL_10, (1, 4, 10, 10, 100), (2, 4, 5, 5, NEVER))
    assert starts(workload) == [0, 15, 10]
    conservative = simulate(workload, Cluster.pool(4), ConservativePolicy())
    assert conservative.schedule.start.tolist() == [0, 10, 20]


def test_it_does_not_if_it_would_be_late():
    """Behind the regular job it would end at 25: it is placed first, and definitively."""
    assert starts(jobs(FULL_UNTIL_10, (1, 4, 10, 10, 24), (2, 4, 5, 5, NEVER))) == [0, 10, 20]
    assert starts(jobs(FULL_UNTIL_10, (1, 4, 10, 10, 25), (2, 4, 5, 5, NEVER))) == [0, 15, 10]


def test_it_waits_until_it_must_not_wait_any_longer():
    """Three regular jobs of 5 s go ahead; the fourth would make it late."""
    regular = [(2 + i, 4, 5, 5, NEVER) for i in range(4)]
    workload = jobs(FULL_UNTIL_10, (1, 4, 10, 10, 36), *regular)
    assert starts(workload) == [0, 25, 10, 15, 20, 35]


def test_a_deadline_that_cannot_be_met_makes_a_regular_job():
    """It is late from the start (10 to 20, due at 15), and then goes before tentative ones."""
    workload = jobs(FULL_UNTIL_10, (1, 4, 5, 5, 90), (2, 4, 10, 10, 15))
    assert starts(workload) == [0, 20, 10]


def test_jobs_of_one_moment_are_placed_in_the_order_of_their_numbers():
    both = ((1, 4, 5, 5, NEVER), (1, 4, 10, 10, 100))
    assert starts(jobs(FULL_UNTIL_10, *both)) == [0, 10, 15]
    assert starts(jobs(FULL_UNTIL_10, *reversed(both))) == [0, 15, 10]


def test_an_early_end_goes_to_the_regular_jobs_first():
    """The first job ends at 3 instead of 10. The narrow regular job starts then, the tentative one, which
    was planned for 10, fits beside it only if it is narrow too."""
    workload = jobs((0, 4, 3, 10, NEVER), (1, 3, 6, 6, 100), (2, 2, 4, 4, NEVER))
    assert starts(workload) == [0, 7, 3]
    workload = jobs((0, 4, 3, 10, NEVER), (1, 2, 6, 6, 100), (2, 2, 4, 4, NEVER))
    assert starts(workload) == [0, 3, 3]


def test_compression_to_the_start_leaves_holes_for_others():
    """At 3 there is room for two. The wide job cannot start: it moves from 10 to 5, or stays there until it can
    start, at 9, and the narrow one goes before it."""
    workload = jobs(
        (0, 2, 3, 10, NEVER), (0, 2, 5, 5, NEVER), (1, 4, 8, 8, NEVER), (4, 2, 5, 5, NEVER)
    )
    assert starts(workload) == [0, 0, 5, 13]
    assert starts(workload, at_once=True) == [0, 0, 9, 4]


def test_what_is_promised():
    """A regular job is promised its place, a deadline-driven one that it ends in time."""
    workload = jobs(FULL_UNTIL_10, (1, 4, 10, 10, 100), (2, 4, 5, 5, NEVER), (3, 4, 10, 10, 12))
    promised = run(workload).schedule.promised
    assert promised.tolist() == [0, 90, 10, 15]


def test_an_overrun_voids_the_plan_but_not_the_lists():
    """The first job is believed to take 4 s and takes 8: all is placed anew, the regular job still first."""
    workload = jobs((0, 4, 8, 10, NEVER), (1, 4, 10, 10, 100), (2, 4, 6, 6, NEVER))
    found = simulate(workload, Cluster.pool(4), DeadlinePolicy(), Exact(0.5))
    assert found.schedule.start.tolist() == [0, 14, 8]


#: Placing jobs anew, in submission order, breaks a deadline in these: on an arrival, and after an early end.
ANOMALIES = {
    "arrival": jobs(
        (1, 4, 11, 16, 22), (3, 6, 5, 25, 88), (3, 8, 3, 3, 46), (3, 1, 8, 18, 33),
        (3, 5, 1, 2, NEVER), (4, 7, 7, 7, NEVER), (12, 1, 4, 4, 26),
    ),
    "early end": jobs(
        (6, 6, 4, 4, 18), (6, 4, 8, 8, NEVER), (7, 3, 11, 11, 82), (7, 3, 3, 8, 35), (7, 3, 4, 9, 24),
        (7, 8, 8, 9, 89), (7, 3, 5, 10, 27), (8, 7, 3, 8, NEVER), (8, 6, 6, 26, 64),
        (22, 3, 11, 12, 43), (24, 3, 8, 8, 55),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANOMALIES)
def test_a_plan_that_would_break_a_deadline_is_not_followed(name, monkeypatch):
    workload = ANOMALIES[name]
    found = run(workload, procs=8).schedule

    def naively() -> np.ndarray:
        start = naive_scheduler.naive_replay(workload, 8, workload.requested_time, DeadlinePolicy())
        return np.array(start)

    assert found.start.tolist() == naively().tolist()
    assert (found.start <= found.promised).all()
    settle = naive_scheduler.settle
    monkeypatch.setattr(naive_scheduler, "settle", lambda *given: settle(*given) or True)
    late = naively() + workload.runtime > workload.deadline
    assert (late & (found.end <= workload.deadline)).any()
