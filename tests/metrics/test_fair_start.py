"""Fair start times: who was overtaken, and by how much."""

import numpy as np
import pytest
from hypothesis import given, settings
from naive_metrics import fair_start, rows
from random_schedules import Case, cases

from packwise.metrics import summarize
from packwise.metrics.fair_start import fair_start_times
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from tests.draws import draws


def test_overtaken() -> None:
    """Job 4 is taken before job 3 and runs into its place.

    3   2 2 2 2 2 2 2 2 . 3 3
    2   2 2 2 2 2 2 2 2 . 3 3
    1   1 1 1 1 . . . . . 3 3        FST(3) = 8, when jobs 1 and 2 are gone: it starts at 9
    0   1 1 1 1 4 4 4 4 4 3 3        FST(4) = 10: after job 3, as 5 s do not fit before 8
        0 1 2 3 4 5 6 7 8 9
    """
    workload = Workload.of([(0, 2, 4, 4), (0, 2, 8, 8), (1, 4, 2, 2), (2, 1, 5, 5)])
    schedule = Schedule([0, 0, 9, 4], [4, 8, 11, 9])
    assert fair_start_times(workload, Cluster.pool(4), schedule).tolist() == [0, 0, 8, 10]
    values = summarize(workload, Cluster.pool(4), schedule, ["FST_misses", "FST_mean_miss"])
    assert values == {"FST_misses": 1.0, "FST_mean_miss": 1 / 4}


def test_left_waiting_on_an_idle_machine() -> None:
    """One job alone that starts 6 s late missed its fair start by 6 s."""
    workload = Workload.of([(2, 1, 3, 3)])
    schedule = Schedule([8], [11])
    values = summarize(workload, Cluster.pool(4), schedule, ["FST_misses", "FST_mean_miss"])
    assert values == {"FST_misses": 1.0, "FST_mean_miss": 6.0}


def test_job_that_starts_when_another_arrives_still_waits_then() -> None:
    """Arrivals come before the round: at time 5 job 2 is in the queue, before job 3.

    0   1 1 1 1 1 2 2 3        FST(3) = 7
        0         5   7
    """
    workload = Workload.of([(0, 1, 5, 5), (1, 1, 2, 2), (5, 1, 1, 1)])
    schedule = Schedule([0, 5, 7], [5, 7, 8])
    assert fair_start_times(workload, Cluster.pool(1), schedule).tolist() == [0, 5, 7]


def test_rejected_jobs_have_no_fair_start_and_stand_in_nobodys_way() -> None:
    workload = Workload.of([(0, 1, 50, 50), (1, 1, 2, 2)])
    schedule = Schedule([-1, 1], [-1, 3])
    assert fair_start_times(workload, Cluster.pool(1), schedule).tolist() == [-1, 1]


def test_job_wider_than_the_machine() -> None:
    workload = Workload.of([(0, 3, 5, 5)])
    with pytest.raises(InputError, match="machine of 2 processors, found one of 3"):
        fair_start_times(workload, Cluster.pool(2), Schedule([0], [5]))


@settings(max_examples=draws(300))
@given(cases())
def test_same_as_naive(case: Case) -> None:
    jobs = rows(case.workload, case.schedule)
    naive = [fair_start(jobs, j, case.cluster.procs) for j in range(len(jobs))]
    assert fair_start_times(*case).tolist() == naive


@given(cases())
def test_fcfs_with_reservations_is_perfectly_fair(case: Case) -> None:
    """Start every job at its fair start: then nobody misses (the plan is never departed from)."""
    workload, cluster, _ = case
    start: list[int] = []
    for j in range(len(workload)):
        so_far = workload.select(np.arange(j + 1))
        guess = Schedule.from_wait(
            so_far, np.array([*start, int(so_far.submit[j])]) - so_far.submit
        )
        start.append(int(fair_start_times(so_far, cluster, guess)[j]))
    fair = Schedule(np.array(start), np.array(start) + workload.runtime)
    assert fair_start_times(workload, cluster, fair).tolist() == start
