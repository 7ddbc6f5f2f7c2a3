"""Tables by user, by size, by run time and by deadline."""

import numpy as np
import pytest

from packwise.metrics import summarize
from packwise.metrics.breakdown import by_deadline, by_runtime, by_size, by_user
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE

DEMAND = np.array([1, 2, 4, 5, 8, 9, 16, 17])
RUNTIME = np.array([599, 600, 3599, 3600, 28799, 28800, 10, 100])
WORKLOAD = Workload(
    "classes",
    id=np.arange(8),
    submit=np.arange(8) * 10,
    runtime=RUNTIME,
    requested_time=RUNTIME,
    demand=DEMAND,
    user=np.array([7, 7, 7, 3, 3, 3, 3, -1]),
    deadline=np.array([NO_DEADLINE, 86410, 86421, NO_DEADLINE, 40, 10**6, 60, NO_DEADLINE]),
)
SCHEDULE = Schedule.from_wait(WORKLOAD, np.array([0, 5, 10, 0, 20, 0, 90, 30]))
CLUSTER = Cluster.pool(100)


def test_size_classes() -> None:
    table = by_size(WORKLOAD, CLUSTER, SCHEDULE)
    assert table["processors"].to_list() == ["1", "2-4", "5-8", "9-16", "17-32"]
    assert table["jobs"].to_list() == [1, 2, 2, 2, 1]
    assert table["max_wait"].to_list() == [0, 10, 20, 90, 30]


def test_runtime_classes() -> None:
    table = by_runtime(WORKLOAD, CLUSTER, SCHEDULE)
    assert table["runtime"].to_list() == ["< 10 min", "10 min - 1 h", "1 h - 8 h", ">= 8 h"]
    assert table["jobs"].to_list() == [3, 2, 2, 1]


def test_deadline_classes() -> None:
    """Job 1 has a day, job 2 a second more; a deadline that came before the submission is one of a day."""
    table = by_deadline(WORKLOAD, CLUSTER, SCHEDULE)
    assert table["deadline"].to_list() == ["regular", "<= 24 h", "> 24 h"]
    assert table["jobs"].to_list() == [3, 3, 2]
    assert table["max_wait"].to_list() == [30, 90, 10]
    with pytest.raises(InputError, match=r"workload with deadlines, found none\. .*--deadlines"):
        by_deadline(WORKLOAD.replace(deadline=None), CLUSTER, SCHEDULE)


def test_users_by_share() -> None:
    table = by_user(WORKLOAD, CLUSTER, SCHEDULE)
    assert table.columns == [
        "user",
        "jobs",
        "area_share",
        "mean_wait",
        "BSLD",
        "AF",
        "AWF",
        "max_wait",
    ]
    assert table["user"].to_list() == [3, 7, -1]
    assert table["area_share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("table_of", [by_user, by_size, by_runtime, by_deadline])
def test_rows_agree_with_metrics_of_the_class(table_of) -> None:
    """Classes put together again give the metrics of the whole."""
    table = table_of(WORKLOAD, CLUSTER, SCHEDULE)
    whole = summarize(WORKLOAD, CLUSTER, SCHEDULE, ["wait", "BSLD", "AF", "AWF", "max_wait"])
    jobs = table["jobs"].to_numpy() / 8
    assert (table["mean_wait"].to_numpy() * jobs).sum() == pytest.approx(whole["wait"])
    assert (table["BSLD"].to_numpy() * jobs).sum() == pytest.approx(whole["BSLD"])
    assert (table["AF"].to_numpy() * jobs).sum() == pytest.approx(whole["AF"])
    weighted = table["AWF"].to_numpy() * table["area_share"].to_numpy()
    assert weighted.sum() == pytest.approx(whole["AWF"])
    assert table["max_wait"].max() == whole["max_wait"]


def test_rejected_jobs_are_in_no_class() -> None:
    start, end = SCHEDULE.start.copy(), SCHEDULE.end.copy()
    start[-1] = end[-1] = -1
    table = by_user(WORKLOAD, CLUSTER, Schedule(start, end))
    assert table["user"].to_list() == [3, 7]
