"""Schedules written and read in every format."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from packwise.feasibility import Kind, check_schedule
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import FormatError, InputError, OutputError
from packwise.workloads.schedule_files import read_schedule, write_schedule

CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of([(0, 2, 4, 4), (0, 2, 8, 9), (1, 4, 2, 5), (2, 1, 3, 9)]).replace(
    user=np.array([5, 5, 6, 7])
)
SCHEDULE = Schedule([0, 0, 8, 4], [4, 8, 10, 7])


@pytest.mark.parametrize(
    ("name", "format", "found"),
    [
        ("s.swf", None, "swf"),
        ("s.swf.gz", None, "swf"),
        ("S.SWF", None, "swf"),
        ("s.csv", None, "csv"),
        ("s.parquet", None, "parquet"),
        ("s.jobs.csv", "batsim", "batsim"),
        ("no-suffix", "csv", "csv"),
    ],
)
def test_round_trip(tmp_path: Path, name: str, format, found: str) -> None:
    path = tmp_path / name
    write_schedule(path, WORKLOAD, CLUSTER, SCHEDULE, format=format, note=["made by a test"])
    workload, cluster, schedule, report = read_schedule(path)
    assert cluster.procs == 4
    for column in ("id", "submit", "runtime", "requested_time", "demand"):
        assert getattr(workload, column).tolist() == getattr(WORKLOAD, column).tolist()
    if found != "batsim":
        assert workload.user.tolist() == [5, 5, 6, 7]
    assert schedule.start.tolist() == SCHEDULE.start.tolist()
    assert schedule.end.tolist() == SCHEDULE.end.tolist()
    assert (report.format, report.jobs, report.left_out, report.over_limit) == (found, 4, 0, 0)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_csv_as_text(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_schedule(path, WORKLOAD, CLUSTER, Schedule([0, 0, -1, 4], [4, 8, -1, 7]))
    assert path.read_text().splitlines() == [
        "job_id,submit,wait,start,end,runtime,requested_time,demand,user,log_procs",
        "1,0,0,0,4,4,4,2,5,4",
        "2,0,0,0,8,8,9,2,5,4",
        "3,1,-1,-1,-1,2,5,4,6,4",
        "4,2,2,4,7,3,9,1,7,4",
    ]
    read = read_schedule(path)
    assert read.schedule.ran.tolist() == [True, True, False, True]
    assert read.report.notes == ("jobs that never ran: 1",)


def test_swf_has_the_wait_in_field_3(tmp_path: Path) -> None:
    path = tmp_path / "s.swf"
    write_schedule(path, WORKLOAD, CLUSTER, SCHEDULE, note=["policy: by hand"])
    lines = path.read_text().splitlines()
    assert "; MaxProcs: 4" in lines
    assert "; Note: policy: by hand" in lines
    assert [line.split()[2] for line in lines if not line.startswith(";")] == ["0", "0", "7", "2"]


SWF = """\
; MaxProcs: 4
1  0  0  4 2 -1 -1 2  4 -1 1 5 -1 -1 -1 -1 -1 -1
2  0  0  8 2 -1 -1 2  6 -1 1 5 -1 -1 -1 -1 -1 -1
3  1 -1  2 4 -1 -1 4  5 -1 1 6 -1 -1 -1 -1 -1 -1
4  2  2  3 1 -1 -1 1 -1 -1 1 7 -1 -1 -1 -1 -1 -1
5  9  0 -1 1 -1 -1 1  9 -1 5 7 -1 -1 -1 -1 -1 -1
6 20  0  5 5 -1 -1 5  9 -1 1 7 -1 -1 -1 -1 -1 -1
"""


@pytest.mark.parametrize("packed", [False, True])
def test_recorded_swf_is_shown_as_it_happened(tmp_path: Path, packed: bool) -> None:
    """Job 2 ran 8 s with a limit of 6; 3 has no wait; 4 no limit; 5 never ran; 6 is too wide."""
    path = tmp_path / "log.swf"
    path.write_bytes(gzip.compress(SWF.encode()) if packed else SWF.encode())
    workload, cluster, schedule, report = read_schedule(path)
    assert workload.id.tolist() == [1, 2, 4, 6]
    assert workload.runtime.tolist() == [4, 6, 3, 5]
    assert schedule.end.tolist() == [4, 8, 7, 25]
    assert (report.format, report.jobs, report.left_out, report.over_limit) == ("swf", 4, 2, 1)
    assert "dropped: no recorded wait: 1" in report.notes
    assert "ran beyond the requested time (the schedule keeps it): 1" in report.notes
    verdict = check_schedule(workload, cluster, schedule)
    kinds = [(v.kind, v.job_id) for v in verdict.violations]
    assert kinds == [(Kind.OVER_LIMIT, 2), (Kind.TOO_WIDE, 6), (Kind.OVER_ALLOCATION, 6)]


def test_swf_without_any_wait(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 4\n1 0 -1 4 2 -1 -1 2 4 -1 1 5 -1 -1 -1 -1 -1 -1\n")
    with pytest.raises(InputError, match="no job has a recorded wait"):
        read_schedule(path)


def test_a_machine_that_is_not_told_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{HEADER}\n1,0,0,0,4,4,4,2,5\n")
    machine = read_schedule(path).cluster
    assert (machine.procs, machine.sizing.source) == (2, "guessed")
    machine = read_schedule(path, procs=4).cluster
    assert (machine.procs, machine.sizing.source) == (4, "told")


def test_batsim_reports_where_the_machine_size_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    write_schedule(path, WORKLOAD, CLUSTER, SCHEDULE, format="batsim")
    machine = read_schedule(path).cluster
    assert (machine.procs, machine.sizing.guess) == (4, "a guess: the most in use at once")
    assert read_schedule(path, procs=9).cluster.procs == 9


@pytest.mark.parametrize("name", ["s.txt", "s", "s.csv.gz", "s.gz"])
def test_unknown_suffix_lists_the_choices(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.swf, \.swf\.gz, \.csv, \.parquet and \.json"):
        write_schedule(tmp_path / name, WORKLOAD, CLUSTER, SCHEDULE)
    assert list(tmp_path.iterdir()) == []


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown schedule format 'excel'"):
        write_schedule(tmp_path / "s.csv", WORKLOAD, CLUSTER, SCHEDULE, format="excel")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["s.swf", "s.csv", "s.parquet"])
def test_folder_that_does_not_exist(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="could not be written"):
        write_schedule(tmp_path / "nowhere" / name, WORKLOAD, CLUSTER, SCHEDULE)


HEADER = "job_id,submit,wait,start,end,runtime,requested_time,demand,user"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"{HEADER}\n1,0,0,0,4,4,4,2,5\n2,0,0,x,8,8,9,2,5\n", 3, "column 'start', found 'x'"),
        (f"{HEADER}\n1,0,0,0,4,4,4,2\n", 2, "9 fields as in the header, found 8"),
        (f"{HEADER}\n1,0,0,0.5,4,4,4,2,5\n", 2, "a whole number in column 'start', found '0.5'"),
        ("job_id,submit,demand\n1,0,2\n", 1, "a column 'wait'"),
        ("a,b\n1,2\n", 1, "those of Batsim's jobs.csv, found 'a,b'"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_schedule(path, procs=4)
    assert caught.value.line == line
    assert words in str(caught.value)


def test_csv_of_somebody_else(tmp_path: Path) -> None:
    """Byte order mark, Windows lines, other order of columns and rows, no user, over limit."""
    path = tmp_path / "s.csv"
    header = "submit,job_id,start,end,wait,runtime,requested_time,demand"
    text = "\r\n".join((header, "5,2,5,9,0,4,3,1", "0,1,0,2,0,2,2,1", ""))
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    workload, _, schedule, report = read_schedule(path, procs=1)
    assert workload.id.tolist() == [1, 2]
    assert workload.runtime.tolist() == [2, 3]
    assert schedule.end.tolist() == [2, 9]
    assert report.over_limit == 1


def test_bad_parquet(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    path.write_bytes(b"PAR1 and then nothing of the kind")
    with pytest.raises(FormatError, match="a Parquet file"):
        read_schedule(path, procs=4)
    import polars as pl

    pl.DataFrame({"job_id": [1], "submit": [0]}).write_parquet(path)
    with pytest.raises(FormatError, match="expected a column 'wait', found columns job_id, submit"):
        read_schedule(path, procs=4)


@pytest.mark.shared
def test_recorded_schedule_of_kth(shared: Path) -> None:
    """The log as it was: 475 jobs ran past their limit and are not quietly cut."""
    found = read_schedule(shared / "traces" / "KTH-SP2-1996-2.1-cln.swf.gz")
    verdict = check_schedule(found.workload, found.cluster, found.schedule, limit=10**6)
    assert found.report.over_limit == 475
    assert sum(v.kind is Kind.OVER_LIMIT for v in verdict.violations) == 475
