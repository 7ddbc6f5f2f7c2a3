"""Metrics of deadlines and promises: classes without jobs, refused jobs, foolish deadlines."""

import math

import numpy as np
import pytest

from packwise.metrics import METRICS, metric, summarize
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE

CLUSTER = Cluster.pool(4)
OF_DEADLINES = [one.name for one in METRICS.values() if one.of_deadlines]
OF_PROMISES = [one.name for one in METRICS.values() if one.of_promises]


def case(*jobs: tuple[int, int, int, int, int, int | None]) -> tuple[Workload, Schedule]:
    """From (submit, demand, limit, start, end, deadline) rows; a start of -1 for a rejected job."""
    workload = Workload.of(
        [(s, r, min(max(c - b, 1), limit), limit) for s, r, limit, b, c, _ in jobs]
    )
    due = [NO_DEADLINE if d is None else d for *_, d in jobs]
    workload = workload.replace(deadline=np.array(due, np.int64))
    return workload, Schedule([job[3] for job in jobs], [job[4] for job in jobs])


def values(workload: Workload, schedule: Schedule) -> dict[str, float]:
    return summarize(workload, CLUSTER, schedule, OF_DEADLINES)


def test_names() -> None:
    classes = [
        f"{name}_{kind}"
        for kind in ("regular", "deadline")
        for name in ("wait", "max_wait", "limit_stretch", "max_limit_stretch", "at_once")
    ]
    assert [
        *classes,
        "deadline_misses",
        "deadline_misses_day",
        "deadline_misses_longer",
        "deadline_misses_possible",
        "deadline_impossible",
        "deadline_usage",
        "deadline_usage_over_80",
    ] == OF_DEADLINES
    assert OF_PROMISES == ["promises_broken", "promise_gain"]


def test_ending_at_the_deadline_is_in_time() -> None:
    found = values(*case((0, 1, 10, 5, 15, 15), (0, 1, 10, 6, 16, 15)))
    assert found["deadline_misses"] == 1


def test_the_split_at_a_day() -> None:
    """A day and a second: as in the paper, where deadlines are max(24 h, 10 L)."""
    found = values(*case((0, 1, 10, 10**5, 10**5 + 10, 86400), (0, 1, 10, 10**5, 10**5 + 5, 86401)))
    assert (found["deadline_misses_day"], found["deadline_misses_longer"]) == (1, 1)


def test_what_nobody_could_promise() -> None:
    """Limit 10: a deadline after 9 s is impossible, yet the first job meets it; after 10 s it is possible."""
    jobs = (0, 1, 10, 0, 9, 9), (0, 1, 10, 1, 10, 9), (0, 1, 10, 1, 11, 10)
    found = values(*case(*jobs))
    assert found["deadline_impossible"] == 2
    assert found["deadline_misses"] == 2
    assert found["deadline_misses_possible"] == 1


def test_jobs_that_never_ran() -> None:
    """One refused with a day, one with more, one wider than the machine, one regular."""
    jobs = (
        (0, 1, 10, 0, 5, None),
        (1, 4, 10, -1, -1, 100),
        (2, 4, 10, -1, -1, 10**6),
        (3, 5, 10, -1, -1, 100),
        (4, 1, 10, -1, -1, None),
    )
    found = values(*case(*jobs))
    assert found["deadline_misses"] == 2
    assert (found["deadline_misses_day"], found["deadline_misses_longer"]) == (1, 1)
    assert found["deadline_misses_possible"] == 2
    assert found["deadline_impossible"] == 1
    assert math.isnan(found["wait_deadline"])
    assert math.isnan(found["deadline_usage"])
    assert math.isnan(found["deadline_usage_over_80"])


def test_use_of_the_deadline() -> None:
    """50 of 100 s after a wait; at once; 80 of 100 s is not over 80 %, 81 is."""
    jobs = (
        (0, 1, 10, 40, 50, 100),
        (0, 1, 90, 0, 90, 100),
        (0, 1, 9, 71, 80, 100),
        (0, 1, 9, 72, 81, 100),
    )
    found = values(*case(*jobs))
    assert found["deadline_usage"] == pytest.approx((0.5 + 0.8 + 0.81) / 3)
    assert found["deadline_usage_over_80"] == 2 / 4


def test_a_deadline_that_is_over_at_submission() -> None:
    """There is no time that could be used: it is missed and impossible, and not in the mean."""
    found = values(*case((50, 1, 10, 60, 70, 50), (50, 1, 10, 60, 70, 20), (50, 1, 10, 60, 70, 90)))
    assert found["deadline_misses"] == found["deadline_impossible"] == 2
    assert found["deadline_usage"] == 0.5
    assert found["deadline_usage_over_80"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("due", "empty"), [(None, "deadline"), (100, "regular")])
def test_a_class_without_jobs_has_no_mean(due: int | None, empty: str) -> None:
    found = values(*case((0, 1, 10, 5, 10, due), (0, 1, 10, 7, 10, due)))
    nothing = {name for name, value in found.items() if math.isnan(value)}
    expected = {name for name in OF_DEADLINES if name.endswith(f"_{empty}")}
    if empty == "deadline":
        expected |= {"deadline_usage", "deadline_usage_over_80"}
    assert nothing == expected


@pytest.mark.parametrize("name", OF_DEADLINES)
def test_without_deadlines(name: str) -> None:
    workload, schedule = case((0, 1, 10, 5, 10, None))
    plain = workload.replace(deadline=None)
    assert name not in summarize(plain, CLUSTER, schedule)
    with pytest.raises(
        InputError, match=f"{name}: expected .* deadlines, found none in 'jobs'"
    ) as told:
        summarize(plain, CLUSTER, schedule, [name])
    assert "--deadlines 'slack(share=20%)'" in str(told.value)
    with pytest.raises(InputError, match="expected a workload with deadlines"):
        metric(name).compute(plain, CLUSTER, schedule)


@pytest.mark.parametrize("name", OF_PROMISES)
def test_without_promises(name: str) -> None:
    workload, schedule = case((0, 1, 10, 5, 10, None))
    assert name not in summarize(workload, CLUSTER, schedule)
    with pytest.raises(InputError, match=r"found none\. Replay with a policy that makes promises"):
        summarize(workload, CLUSTER, schedule, [name])


def test_promises() -> None:
    workload, schedule = case(*[(0, 1, 10, 5, 10, None)] * 4)
    told = Schedule(schedule.start, schedule.end, promised=[5, 4, 15, -1])
    found = summarize(workload, CLUSTER, told)
    assert found["promises_broken"] == 1
    assert found["promise_gain"] == (0 - 1 + 10) / 3
    nobody = Schedule(schedule.start, schedule.end, promised=[-1] * 4)
    found = summarize(workload, CLUSTER, nobody)
    assert found["promises_broken"] == 0
    assert math.isnan(found["promise_gain"])


def test_stretch_by_the_limit_needs_no_deadlines() -> None:
    workload, schedule = case((0, 1, 10, 5, 8, None), (0, 1, 100, 50, 60, None))
    found = summarize(workload.replace(deadline=None), CLUSTER, schedule)
    assert found["limit_stretch"] == (15 / 10 + 150 / 100) / 2
    assert found["max_limit_stretch"] == 1.5
