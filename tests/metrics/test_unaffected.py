"""Jobs that nobody made wait are left out together, but not where the machine is measured."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_metrics import summary
from random_schedules import Case, cases

from packwise.metrics import METRICS, summarize
from packwise.metrics.unaffected import affected
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE

CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of([(0, 1, 10, 10), (0, 2, 10, 10), (5, 4, 10, 20), (6, 1, 10, 10)])
FIRST = Schedule([0, 0, 10, 20], [10, 10, 20, 30])
SECOND = Schedule([0, 4, 14, 6], [10, 14, 24, 16])


def test_by_hand() -> None:
    """Job 1 starts at once in both, job 2 and job 4 in one."""
    assert affected(WORKLOAD, [FIRST, SECOND]).tolist() == [False, True, True, True]
    assert affected(WORKLOAD, [FIRST]).tolist() == [False, False, True, True]
    driven = WORKLOAD.replace(deadline=np.array([50, NO_DEADLINE, NO_DEADLINE, NO_DEADLINE]))
    assert affected(driven, [FIRST]).tolist() == [True, False, True, True]


def test_a_job_that_never_ran_somewhere_stays() -> None:
    refused = Schedule([-1, 0, 10, 20], [-1, 10, 20, 30])
    assert affected(WORKLOAD, [FIRST, refused]).tolist() == [True, False, True, True]


def test_nothing_left() -> None:
    alone = WORKLOAD.select(np.array([0]))
    with pytest.raises(InputError, match=r"all 1 jobs .* start at once .* Leave them in"):
        affected(alone, [Schedule([0], [10])])


def test_schedules_of_other_jobs() -> None:
    with pytest.raises(InputError, match=r"each of the 4 jobs .* found 1"):
        affected(WORKLOAD, [FIRST, Schedule([0], [10])])


def test_metrics_of_the_rest_and_of_the_machine() -> None:
    only = affected(WORKLOAD, [FIRST, SECOND])
    part, whole = (summarize(WORKLOAD, CLUSTER, FIRST, only=mask) for mask in (only, None))
    assert part["wait"] == (0 + 5 + 14) / 3
    assert part["limit_stretch"] == pytest.approx((1 + 25 / 20 + 24 / 10) / 3)
    assert part["max_wait"] == whole["max_wait"]
    for name in ("makespan", "utilization", "utilization_variance", "LOC"):
        assert part[name] == whole[name]


def test_which_metrics_are_about_all_jobs() -> None:
    of_energy = {one.name for one in METRICS.values() if one.of_energy}
    assert {one.name for one in METRICS.values() if one.of_all_jobs} == of_energy | {
        "makespan",
        "utilization",
        "utilization_variance",
        "LOC",
        "FST_misses",
        "FST_mean_miss",
        "FST_gold",
        "jain",
        "users_worse",
        "users_better",
        "worst_size",
    }


def test_masks_that_do_not_fit() -> None:
    with pytest.raises(InputError, match=r"each of the 4 jobs .* found shape \(2,\)"):
        summarize(WORKLOAD, CLUSTER, FIRST, only=np.array([True, False]))
    gone = Schedule([-1, 0, 10, 20], [-1, 10, 20, 30])
    with pytest.raises(InputError, match=r"none of the 1 jobs .* left to measure ran"):
        summarize(WORKLOAD, CLUSTER, gone, only=np.array([True, False, False, False]))


@given(cases(rejections=True, deadlines=True, users=True), st.data())
def test_a_part_is_measured_as_if_it_were_all(case: Case, data: st.DataObject) -> None:
    """But for metrics of the machine, a mask gives what the naive twin finds for these jobs alone."""
    workload, cluster, schedule = case
    n = len(workload)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if not (mask & schedule.ran).any():
        return
    columns = (schedule.start, schedule.end, schedule.estimate, schedule.promised)
    alone = Schedule(*(column[mask] for column in columns))
    expected = summary(workload.select(mask), alone, cluster.procs)
    whole = summary(workload, schedule, cluster.procs)
    found = summarize(*case, fairness=True, only=mask)
    for name, value in found.items():
        right = (whole if METRICS[name].of_all_jobs else expected)[name]
        assert value == pytest.approx(right, rel=1e-12, abs=1e-12, nan_ok=True), name
    assert not any(math.isinf(value) for value in found.values())
