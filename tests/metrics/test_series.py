"""Step functions over time and curves over job size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_metrics import busy, queued, rows, seconds, waiting
from random_schedules import Case, cases

from packwise import ListPolicy, simulate
from packwise.metrics.series import (
    Step,
    busy_processors,
    cumulative_wait_area,
    queue_in_rounds,
    queue_length,
    queued_demand,
    resample,
    utilization_density,
)
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from packwise.predict import Exact
from packwise.workloads.lublin import generate

#     1   1 1 1 . .                   job 3 waits from 1 to 3, job 2 starts at its submission
#     0   2 2 3 3 3   ->  busy 2 2 2 1 1
CLUSTER = Cluster.pool(2)
WORKLOAD = Workload.of([(0, 1, 3, 3), (0, 1, 2, 2), (1, 1, 3, 3)])
SCHEDULE = Schedule([0, 0, 2], [3, 2, 5])


def test_by_hand() -> None:
    length = queue_length(WORKLOAD, CLUSTER, SCHEDULE)
    assert length.times.tolist() == [0, 1, 2]
    assert length.values.tolist() == [0, 1, 0]
    used = busy_processors(WORKLOAD, CLUSTER, SCHEDULE)
    assert used.times.tolist() == [0, 3, 5]  # no step at 2, where one job takes over from another
    assert used.values.tolist() == [2, 1, 0]


def test_the_queue_in_rounds_by_hand() -> None:
    """At 0 two jobs come and start; at 1 the third comes; at 2 it starts; at 3 and 5 nobody waits."""
    assert queue_in_rounds(WORKLOAD, CLUSTER, SCHEDULE).tolist() == [2, 1, 1, 0, 0]


def test_the_queue_in_rounds_is_what_the_engine_saw() -> None:
    workload = generate(300, 32, 5, load=1.2)
    run = simulate(workload, Cluster.pool(32), ListPolicy(name="list-saf"), Exact())
    found = queue_in_rounds(run.workload, run.cluster, run.schedule)
    assert found.tolist() == run.rounds.queued.tolist()
    assert found.max() > 5


def at(step: Step, t: int) -> int:
    k = int(np.searchsorted(step.times, t, side="right")) - 1
    return int(step.values[k]) if k >= 0 else 0


@given(cases())
def test_same_as_naive_at_every_second(case: Case) -> None:
    jobs = rows(case.workload, case.schedule)
    twins = ((busy_processors, busy), (queued_demand, queued), (queue_length, waiting))
    for fast, naive in twins:
        step = fast(*case)
        assert [at(step, t) for t in seconds(jobs)] == [naive(jobs, t) for t in seconds(jobs)]
        assert (np.diff(step.values) != 0).all()
        assert step.values[-1] == 0


@given(cases(), st.integers(1, 40))
def test_resampling_keeps_the_area(case: Case, points: int) -> None:
    step = busy_processors(*case)
    middles, averages = resample(step, points)
    width = (step.times[-1] - step.times[0]) / points
    assert len(middles) == len(averages) == points
    assert averages.sum() * width == pytest.approx(float(case.workload.area.sum()))
    assert averages.max() <= case.cluster.procs + 1e-9


def test_resampling_nothing() -> None:
    step = busy_processors(WORKLOAD, CLUSTER, SCHEDULE)
    with pytest.raises(InputError, match="1 point or more"):
        resample(step, 0)
    with pytest.raises(InputError, match="never changes"):
        resample(Step(np.array([3]), np.array([0])), 5)


def test_cumulative_wait_area() -> None:
    """Areas 3, 2, 3 and waits 0, 0, 1: at x = 2 one job of three, 2 of 8 units, nothing waited."""
    curve = cumulative_wait_area(WORKLOAD, CLUSTER, SCHEDULE)
    assert curve.area.tolist() == [2, 3]
    assert curve.jobs.tolist() == [1 / 3, 1]
    assert curve.work.tolist() == [2 / 8, 1]
    assert curve.wait_area.tolist() == [0, 1]


def test_utilization_density_by_hand() -> None:
    """Four processors for 10 s: 0 busy for 1 s, 2 for 5 s, 3 for 1 s, 4 for 3 s.

    3   . . . . 3 3 3 . . .
    2   . 2 2 . 3 3 3 . . .        job 1 comes at 0 and starts at 1
    1   . 1 1 1 1 1 1 1 1 1        job 2 at 1, job 3 at 4
    0   . 1 1 1 1 1 1 1 1 1
    """
    workload = Workload.of([(0, 2, 9, 9), (1, 1, 2, 2), (4, 2, 3, 3)])
    schedule = Schedule([1, 1, 4], [10, 3, 7])
    found = utilization_density(workload, 4, schedule, classes=4)
    assert found.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    # From 1 to 3 three are busy, from 4 to 7 four, then and between two.
    assert found.share.tolist() == [0.1, 0, 0.4, 0.5]


def test_utilization_density_has_classes_of_five_per_cent() -> None:
    found = utilization_density(WORKLOAD, CLUSTER, SCHEDULE)
    assert len(found.share) == 20
    assert found.edges[[1, 19, 20]].tolist() == [0.05, 0.95, 1.0]


def test_more_processors_than_there_are_count_as_a_full_machine() -> None:
    schedule = Schedule([0, 0], [5, 5])
    found = utilization_density(Workload.of([(0, 2, 5, 5), (0, 3, 5, 5)]), 4, schedule)
    assert found.share[-1] == 1.0


def test_no_class_of_utilization() -> None:
    with pytest.raises(InputError, match="1 class or more, found 0"):
        utilization_density(WORKLOAD, CLUSTER, SCHEDULE, classes=0)


@given(cases(), st.integers(1, 25))
def test_utilization_density_is_that_of_all_seconds(case: Case, classes: int) -> None:
    jobs = rows(case.workload, case.schedule)
    procs, each = case.cluster.procs, seconds(jobs)
    counts = [0] * classes
    for t in each:
        counts[min(busy(jobs, t) * classes // procs, classes - 1)] += 1
    found = utilization_density(*case, classes=classes)
    assert found.share == pytest.approx([count / len(each) for count in counts])
    assert found.share.sum() == pytest.approx(1.0)
