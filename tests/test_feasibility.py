"""Which schedules could have happened, and what is said about those that could not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.feasibility import Kind, check_schedule
from packwise.model import Cluster, Schedule, Workload

sys.path.insert(0, str(Path(__file__).parent / "metrics"))
from random_schedules import Case, cases

from tests.draws import draws

#     3   2 2 2 2 2 2 2 2 3 3
#     2   2 2 2 2 2 2 2 2 3 3
#     1   1 1 1 1 . . . . 3 3
#     0   1 1 1 1 4 4 4 . 3 3
#         0 1 2 3 4 5 6 7 8 9
CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of([(0, 2, 4, 4), (0, 2, 8, 9), (1, 4, 2, 5), (2, 1, 3, 3)])
START, END = (0, 0, 8, 4), (4, 8, 10, 7)


def changed(**moved: tuple[int, int]) -> Schedule:
    """The schedule above with job3=(start, end) and so on."""
    start, end = list(START), list(END)
    for name, (b, c) in moved.items():
        i = int(name.removeprefix("job")) - 1
        start[i], end[i] = b, c
    return Schedule(start, end)


def test_feasible() -> None:
    """Completions free processors before starts take them: job 3 needs all four at 8."""
    verdict = check_schedule(WORKLOAD, CLUSTER, changed())
    assert verdict.ok
    assert verdict.violations == ()
    assert (verdict.total, verdict.over_allocated_seconds, verdict.peak_usage) == (0, 0, 4)


def test_over_allocation_names_interval_amount_and_culprit() -> None:
    """Job 3 starts at 6: 2 + 1 + 4 = 7 until job 4 ends at 7, then 6 until 8."""
    verdict = check_schedule(WORKLOAD, CLUSTER, changed(job3=(6, 8)))
    (found,) = verdict.violations
    assert (found.kind, found.job_id, found.time, found.amount) == (Kind.OVER_ALLOCATION, 3, 6, 3)
    assert (
        "from 6 until 8 up to 7 processors are used, 3 more than the 4 there are" in found.message
    )
    assert "start of job 3 (running then: 2, 3, 4)" in found.message
    assert (verdict.over_allocated_seconds, verdict.peak_usage) == (2, 7)


def test_culprit_is_the_job_that_found_too_few() -> None:
    """Jobs 1, 2 and 3 start together in that order on 5 processors: 2 + 2 fit, 4 more do not."""
    workload = Workload.of([(0, 2, 4, 4), (0, 2, 4, 4), (0, 4, 4, 4), (0, 1, 4, 4)])
    verdict = check_schedule(workload, Cluster.pool(5), Schedule([0] * 4, [4] * 4))
    assert [v.job_id for v in verdict.violations] == [3]
    assert verdict.violations[0].amount == 4  # 9 of 5


@pytest.mark.parametrize(
    ("moved", "kind", "job", "time", "amount", "words"),
    [
        ({"job4": (1, 4)}, Kind.EARLY, 4, 1, 1, "1 s before its submission at 2"),
        ({"job4": (4, 6)}, Kind.WRONG_RUNTIME, 4, 6, -1, "should run 3 s, found 2 s"),
        ({"job2": (0, 7)}, Kind.WRONG_RUNTIME, 2, 7, -1, "should run 8 s, found 7 s"),
        ({"job3": (8, 12)}, Kind.WRONG_RUNTIME, 3, 12, 2, "should run 2 s, found 4 s"),
        ({"job3": (8, 14)}, Kind.OVER_LIMIT, 3, 13, 1, "1 s beyond its limit of 5 s"),
        ({"job3": (-1, -1)}, Kind.NEVER_STARTED, 3, 1, 1, "never started and was not rejected"),
        ({"job3": (-5, -3)}, Kind.NEGATIVE, 3, -5, 5, "found start -5 and end -3"),
        ({"job3": (8, 6)}, Kind.NEGATIVE, 3, 8, 2, "found start 8 and end 6"),
        ({"job3": (8, -1)}, Kind.NEGATIVE, 3, 8, 9, "found start 8 and end -1"),
    ],
)
def test_each_kind(moved, kind: Kind, job: int, time: int, amount: int, words: str) -> None:
    """Job 4 one second early shares time with jobs 1 and 2, which is a second violation."""
    verdict = check_schedule(WORKLOAD, CLUSTER, changed(**moved))
    found = next(v for v in verdict.violations if v.kind is kind)
    assert (found.job_id, found.time, found.amount) == (job, time, amount)
    assert words in found.message
    assert not verdict.ok


def test_rejected_jobs_need_not_start() -> None:
    schedule = changed(job3=(-1, -1))
    assert check_schedule(WORKLOAD, CLUSTER, schedule, rejected=[3]).ok
    assert check_schedule(WORKLOAD, CLUSTER, schedule, rejected=np.array([3])).ok


def test_nothing_ran() -> None:
    verdict = check_schedule(WORKLOAD, CLUSTER, Schedule([-1] * 4, [-1] * 4))
    assert verdict.total == 4
    assert verdict.peak_usage == 0


def test_wider_than_the_machine() -> None:
    verdict = check_schedule(WORKLOAD, Cluster.pool(3), changed())
    wide = [v for v in verdict.violations if v.kind is Kind.TOO_WIDE]
    assert [(v.job_id, v.time, v.amount) for v in wide] == [(3, 8, 1)]


def test_length_mismatch() -> None:
    verdict = check_schedule(WORKLOAD, CLUSTER, Schedule([0], [4]))
    (found,) = verdict.violations
    assert (found.kind, found.job_id, found.amount) == (Kind.LENGTH, -1, -3)
    assert verdict.total == 1


def test_sorted_by_time_and_cut_at_the_limit() -> None:
    schedule = Schedule(WORKLOAD.submit, WORKLOAD.submit + 1)
    verdict = check_schedule(WORKLOAD, CLUSTER, schedule)
    times = [v.time for v in verdict.violations]
    assert times == sorted(times)
    short = check_schedule(WORKLOAD, CLUSTER, schedule, limit=2)
    assert short.violations == verdict.violations[:2]
    assert short.total == verdict.total == len(verdict.violations)
    assert check_schedule(WORKLOAD, CLUSTER, schedule, limit=0).violations == ()


@given(cases(rejections=True))
def test_random_feasible_schedules_pass(case: Case) -> None:
    refused = case.workload.id[~case.schedule.ran]
    assert check_schedule(*case, rejected=refused).ok


@settings(max_examples=draws(200))
@given(cases(), st.data())
def test_over_allocation_same_as_second_by_second(case: Case, data: st.DataObject) -> None:
    """On a machine that may be too small: seconds, peak and beginnings, counted by hand."""
    procs = data.draw(st.integers(1, case.cluster.procs))
    columns = (case.schedule.start, case.schedule.end, case.workload.demand)
    jobs = list(zip(*(column.tolist() for column in columns), strict=True))
    last = max(c for _, c, _ in jobs)
    used = [sum(r for b, c, r in jobs if b <= t < c) for t in range(last + 1)]
    over = [amount > procs for amount in used]
    begins = [t for t in range(last + 1) if over[t] and (t == 0 or not over[t - 1])]
    verdict = check_schedule(case.workload, Cluster.pool(procs), case.schedule, limit=1000)
    found = [v for v in verdict.violations if v.kind is Kind.OVER_ALLOCATION]
    assert verdict.over_allocated_seconds == sum(over)
    assert verdict.peak_usage == max(used)
    assert [v.time for v in found] == begins
    for violation in found:
        culprit = int(np.flatnonzero(case.workload.id == violation.job_id)[0])
        assert case.schedule.start[culprit] == violation.time
        before = [i for i, (b, c, _) in enumerate(jobs) if b < violation.time < c]
        before += [i for i in range(culprit) if jobs[i][0] == violation.time]
        taken = sum(jobs[i][2] for i in before)
        assert taken <= procs < taken + jobs[culprit][2]
