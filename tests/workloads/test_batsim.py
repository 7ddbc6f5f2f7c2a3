"""Batsim's jobs.csv: written as Batsim would, read as Batsim wrote it."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import FormatError, InputError
from packwise.workloads.batsim import COLUMNS, read_batsim, write_batsim
from packwise.workloads.first_fit import first_fit, interval_text

sys.path.insert(0, str(Path(__file__).parents[1] / "metrics"))
from random_schedules import Case, cases

#     3   2 2 2 2 2 2 2 2
#     2   2 2 2 2 2 2 2 2         job 3 is rejected; job 1 uses all of its limit;
#     1   1 1 1 1 5 5 5 5         job 5 takes what is free around job 4
#     0   1 1 1 1 4 4 4 .
#         0 1 2 3 4 5 6 7
CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of(
    [(0, 2, 4, 4), (0, 2, 8, 9), (1, 4, 2, 5), (2, 1, 3, 9), (2, 1, 4, 9)], name="five"
)
SCHEDULE = Schedule([0, 0, -1, 4, 4], [4, 8, -1, 7, 8])

HEADER = ",".join(COLUMNS)


def write(path: Path, *lines: str, header: str = HEADER) -> Path:
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


def test_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    write_batsim(path, WORKLOAD, CLUSTER, SCHEDULE)
    assert path.read_text().splitlines() == [
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
        "success,final_state,starting_time,execution_time,finish_time,waiting_time,"
        "turnaround_time,stretch,allocated_resources,consumed_energy,metadata",
        "1,five,delay_4,0,2,4,0,COMPLETED_WALLTIME_REACHED,0,4,4,0,4,1.000000,0-1,-1,",
        "2,five,delay_8,0,2,9,1,COMPLETED_SUCCESSFULLY,0,8,8,0,8,1.000000,2-3,-1,",
        "3,five,delay_2,1,4,5,0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,",
        "4,five,delay_3,2,1,9,1,COMPLETED_SUCCESSFULLY,4,3,7,2,5,1.666667,0,-1,",
        "5,five,delay_4,2,1,9,1,COMPLETED_SUCCESSFULLY,4,4,8,2,6,1.500000,1,-1,",
    ]


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    write_batsim(path, WORKLOAD, CLUSTER, SCHEDULE)
    workload, schedule, procs, report = read_batsim(path)
    assert procs == 4
    assert workload.name == "five"
    for name in ("id", "submit", "demand", "requested_time"):
        assert getattr(workload, name).tolist() == getattr(WORKLOAD, name).tolist()
    assert schedule.start.tolist() == SCHEDULE.start.tolist()
    assert schedule.end.tolist() == SCHEDULE.end.tolist()
    assert report._asdict() == {
        "jobs": 5,
        "rejected": 1,
        "rounded": 0,
        "lengthened": 0,
        "no_limit": 0,
        "over_limit": 0,
        "renumbered": 0,
    }


def test_lowest_free_processors() -> None:
    """A job that finds holes takes them from below: '0-1 4'."""
    workload = Workload.of([(0, 2, 2, 2), (0, 2, 9, 9), (0, 1, 2, 2), (2, 3, 5, 5)])
    schedule = Schedule([0, 0, 0, 2], [2, 9, 2, 7])
    places = first_fit(workload, Cluster.pool(5), schedule)
    assert [interval_text(place) for place in places] == ["0-1", "2-3", "4", "0-1 4"]


@given(cases(rejections=True))
def test_no_processor_serves_two_jobs_at_once(case: Case) -> None:
    workload, cluster, schedule = case
    held = [
        {p for low, high in place for p in range(low, high + 1)}
        for place in first_fit(workload, cluster, schedule)
    ]
    for i in range(len(workload)):
        if not schedule.ran[i]:
            assert held[i] == set()
            continue
        assert len(held[i]) == workload.demand[i]
        assert held[i] <= set(range(cluster.procs))
        for j in range(i):
            together = max(schedule.start[i], schedule.start[j]) < min(
                schedule.end[i], schedule.end[j]
            )
            assert not (together and held[i] & held[j])


def test_over_allocated_schedule_cannot_be_written(tmp_path: Path) -> None:
    workload = Workload.of([(0, 3, 5, 5), (0, 2, 5, 5)])
    with pytest.raises(InputError, match="job 2 needs 2 processors at 0"):
        write_batsim(tmp_path / "jobs.csv", workload, CLUSTER, Schedule([0, 0], [5, 5]))
    assert list(tmp_path.iterdir()) == []


def test_batsims_own_times_have_fractions(tmp_path: Path) -> None:
    """As written by Batsim: floats, 'w0!3' ids, a job of 0.3 s, -1 for no limit, rows by end."""
    path = write(
        tmp_path / "jobs.csv",
        "w0!2,w0,d,10.000000,1,-1.000000,1,COMPLETED_SUCCESSFULLY,10.4,0.3,10.700000,0,0.3,1,3,-1,",
        'w0!3,w0,d,10.4,1,7,1,COMPLETED_SUCCESSFULLY,11.2,0.2,11.4,0.8,1,5,3,-1,""',
        "w0!1,w0,d,0.000000,4,100.5,1,COMPLETED_SUCCESSFULLY,0.6,10.7,11.3,0.6,11.3,1.1,0-2 7,0,",
        "w0!9,w0,d,20,1,5,0,COMPLETED_WALLTIME_REACHED,20,6.2,26.2,0,6.2,1,0,-1,",
    )
    workload, schedule, procs, report = read_batsim(path)
    assert workload.id.tolist() == [1, 2, 3, 9]
    assert workload.submit.tolist() == [0, 10, 10, 20]
    assert schedule.start.tolist() == [1, 10, 11, 20]
    assert schedule.end.tolist() == [11, 11, 12, 26]
    assert workload.requested_time.tolist() == [101, 1, 7, 5]
    assert workload.runtime.tolist() == [10, 1, 1, 5]  # job 9 ran 6 s with a limit of 5
    assert workload.status.tolist() == [1, 1, 1, 0]
    assert workload.extra["batsim_id"].tolist() == ["w0!1", "w0!2", "w0!3", "w0!9"]
    assert procs == 8
    assert (report.rounded, report.lengthened, report.no_limit, report.over_limit) == (4, 1, 1, 1)


def test_ids_that_are_no_numbers_are_replaced(tmp_path: Path) -> None:
    path = write(
        tmp_path / "jobs.csv",
        "a!1,a,d,5,1,9,1,COMPLETED_SUCCESSFULLY,5,2,7,0,2,1,0,-1,",
        "b!1,b,d,0,1,9,1,COMPLETED_SUCCESSFULLY,0,2,2,0,2,1,0,-1,",
    )
    workload, _, _, report = read_batsim(path)
    assert workload.id.tolist() == [1, 2]
    assert workload.extra["batsim_id"].tolist() == ["b!1", "a!1"]
    assert report.renumbered == 2
    assert workload.name == "jobs"


def test_ids_that_are_too_large_are_replaced(tmp_path: Path) -> None:
    """Other formats take numbers below 2^40, and Python no more than 4,300 digits."""
    rows = [
        f"{number},a,d,5,1,9,1,COMPLETED_SUCCESSFULLY,5,2,7,0,2,1,0,-1,"
        for number in (7, 2**40, "9" * 5000)
    ]
    workload, _, _, report = read_batsim(write(tmp_path / "jobs.csv", *rows))
    assert workload.id.tolist() == [1, 2, 3]
    assert report.renumbered == 3


def test_first_versions_of_batsim(tmp_path: Path) -> None:
    """Other names for two columns, no final_state."""
    header = (
        "job_id,hacky_job_id,workload_name,submission_time,requested_number_of_processors,"
        "requested_time,success,starting_time,execution_time,finish_time,waiting_time,"
        "turnaround_time,stretch,consumed_energy,allocated_processors"
    )
    path = write(tmp_path / "jobs.csv", "1,10,w,0,2,9,1,3,4,7,3,7,1.75,0,0-1", header=header)
    workload, schedule, procs, _ = read_batsim(path)
    assert (workload.demand.tolist(), schedule.start.tolist(), procs) == ([2], [3], 2)


GOOD = "1,w,d,0,2,9,1,COMPLETED_SUCCESSFULLY,3,4,7,3,7,1.75,0-1,-1,"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (GOOD.replace(",0,2,", ",zero,2,"), "column 'submission_time', found 'zero'"),
        (GOOD.replace(",0,2,", ",nan,2,"), "column 'submission_time', found 'nan'"),
        (GOOD.replace(",0,2,", ",-3,2,"), "submission time of 0 or more, found '-3'"),
        (
            GOOD.replace(",0,2,", ",0,2.5,"),
            "whole number in column 'requested_number_of_resources'",
        ),
        (GOOD.replace(",0,2,", ",0,0,"), "1 resource or more, found '0'"),
        (GOOD.replace(",3,4,7,", ",3,4,2,"), "finish time after the start, found '2'"),
        (GOOD.replace(",3,4,7,", ",-1,4,7,"), "start time of 0 or more, found '-1'"),
        (GOOD.replace(",3,4,7,", ",3,4,1e300,"), "column 'finish_time', found '1e300'"),
        (GOOD.replace("0-1", "0-x"), "processors such as '0-3 7', found '0-x'"),
        (GOOD.replace("0-1", "9" * 5000), "processors such as '0-3 7', found '9999999999999999"),
        (GOOD.replace("0-1", "0-1099511627776"), "processors such as '0-3 7', found '0-10995116"),
        (GOOD + ",extra", "17 fields as in the header, found 18"),
        ("1,w,d", "17 fields as in the header, found 3"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, bad: str, words: str) -> None:
    path = write(tmp_path / "jobs.csv", GOOD.replace("1,", "7,", 1), bad)
    with pytest.raises(FormatError) as caught:
        read_batsim(path)
    assert caught.value.line == 3
    assert words in str(caught.value)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a column 'job_id', found columns id, name"):
        read_batsim(write(tmp_path / "a.csv", "1,2", header="id,name"))
    with pytest.raises(FormatError, match="no job"):
        read_batsim(write(tmp_path / "b.csv"))
    with pytest.raises(InputError, match=r"missing\.csv: no such file"):
        read_batsim(tmp_path / "missing.csv")
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00j")
    with pytest.raises(FormatError, match="UTF-8"):
        read_batsim(tmp_path / "c.csv")
    (tmp_path / "d.csv").write_bytes(b"\x1f\x8b\x08broken")
    with pytest.raises(FormatError, match="gzip"):
        read_batsim(tmp_path / "d.csv")


def test_a_name_with_a_comma_stays_one_field(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    write_batsim(path, WORKLOAD.replace(name='my "big", log'), CLUSTER, SCHEDULE)
    with path.open(newline="") as stream:
        assert {len(row) for row in csv.reader(stream)} == {17}
    assert read_batsim(path).workload.name == 'my "big", log'


@pytest.mark.filterwarnings("ignore")
def test_evalys_reads_it(tmp_path: Path) -> None:
    jobset = pytest.importorskip("evalys.jobset", reason="evalys (pip install evalys) is not here")
    path = tmp_path / "jobs.csv"
    write_batsim(path, WORKLOAD, CLUSTER, SCHEDULE)
    jobs = jobset.JobSet.from_csv(str(path))
    ran = jobs.df[jobs.df.final_state != "REJECTED"]
    assert jobs.MaxProcs == 4
    assert ran.waiting_time.tolist() == [0, 0, 2, 2]
    assert (ran.proc_alloc == ran.requested_number_of_resources).all()
    assert np.isclose(ran.stretch.mean(), (1 + 1 + 5 / 3 + 6 / 4) / 4)
