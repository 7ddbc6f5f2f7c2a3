"""Starts in one fair schedule of all jobs: by hand, against a naive twin, on nodes, and where it cannot be."""

import numpy as np
import pytest
from hypothesis import given, settings
from naive_metrics import gold_starts, rows
from random_schedules import Case, cases

from packwise.metrics import summarize
from packwise.metrics.gold_standard import gold_start_times
from packwise.model import Cluster, NodeGroup, Schedule, Workload
from packwise.model.errors import InputError
from tests.draws import draws

JOBS = Workload.of([(0, 2, 4, 4), (0, 2, 8, 8), (1, 4, 2, 2), (2, 1, 5, 5)])


def test_by_hand() -> None:
    """Job 4 goes before job 3. In the gold standard job 3 starts at 8 and job 4 at 10.

    3   2 2 2 2 2 2 2 2 . 3 3        gold:  2 2 2 2 2 2 2 2 3 3 . . . . .
    2   2 2 2 2 2 2 2 2 . 3 3               2 2 2 2 2 2 2 2 3 3 . . . . .
    1   1 1 1 1 . . . . . 3 3               1 1 1 1 . . . . 3 3 . . . . .
    0   1 1 1 1 4 4 4 4 4 3 3               1 1 1 1 . . . . 3 3 4 4 4 4 4
        0 1 2 3 4 5 6 7 8 9
    """
    schedule = Schedule([0, 0, 9, 4], [4, 8, 11, 9])
    assert gold_start_times(JOBS, 4, schedule).tolist() == [0, 0, 8, 10]
    assert summarize(JOBS, 4, schedule, ["FST_gold"]) == {"FST_gold": (0 + 0 + 1 + 0) / 4}


def test_it_does_not_follow_the_schedule_that_is_measured() -> None:
    """The gold standard 100 s later: whoever measures from there on sees nobody overtaken."""
    late = Schedule([100, 100, 108, 110], [104, 108, 110, 115])
    assert summarize(JOBS, 4, late, ["FST_gold"]) == {"FST_gold": 100.0}


def test_limits_do_not_matter() -> None:
    longer = JOBS.replace(requested_time=JOBS.requested_time * 50)
    schedule = Schedule([0, 0, 9, 4], [4, 8, 11, 9])
    assert gold_start_times(longer, 4, schedule).tolist() == [0, 0, 8, 10]


def test_jobs_that_never_ran_stand_in_nobodys_way() -> None:
    schedule = Schedule([-1, 0, 8, 4], [-1, 8, 10, 9])
    assert gold_start_times(JOBS, 4, schedule).tolist() == [-1, 0, 8, 2]


def test_job_wider_than_the_machine() -> None:
    with pytest.raises(
        InputError, match=r"gold standard .* machine of 2 processors, found one of 4"
    ):
        gold_start_times(JOBS, 2, Schedule([0, 4, 12, 14], [4, 12, 14, 19]))


def test_on_nodes_the_gold_standard_has_nodes() -> None:
    """Two nodes of 3 cores: after jobs 1 and 2 each has one left, so job 3 waits for two on one of them.

    A pool of 6 processors would have room for it at once.
    """
    jobs = Workload.of([(0, 2, 10, 10), (0, 2, 10, 10), (1, 2, 5, 5)])
    jobs = jobs.replace(units=np.ones(3, np.int64), per_unit={"cores": jobs.demand})
    machine = Cluster("two", [NodeGroup("node", 2, {"cores": 3})])
    schedule = Schedule([0, 0, 12], [10, 10, 17])
    assert gold_start_times(jobs, machine, schedule).tolist() == [0, 0, 10]
    assert gold_start_times(jobs, 6, schedule).tolist() == [0, 0, 1]


@settings(max_examples=draws(200))
@given(cases(rejections=True))
def test_same_as_naive(case: Case) -> None:
    ran = case.schedule.ran
    naive = gold_starts(rows(case.workload, case.schedule), case.cluster.procs)
    assert gold_start_times(*case)[ran].tolist() == naive


@given(cases())
def test_the_gold_standard_misses_nothing(case: Case) -> None:
    start = gold_start_times(*case)
    gold = Schedule(start, start + case.workload.runtime)
    assert summarize(case.workload, case.cluster, gold, ["FST_gold"]) == {"FST_gold": 0.0}
