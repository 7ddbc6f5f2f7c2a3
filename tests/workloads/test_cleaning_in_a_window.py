"""What cleaning did is counted within the window that is replayed, not over the whole log."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.workloads.cleaning import clean
from packwise.workloads.swf import read_swf
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.draws import draws

#: job, submit, run time, used, requested processors, requested time, queue, partition
JOBS = (
    "1    0  10 2  2  20 1 1",
    "2    5  -1 2  2  20 1 1",  # no run time
    "3  100  90 2  2  20 1 1",  # cut by more than a minute
    "4  150  30 2 -1  20 1 2",  # cut, repaired processors
    "5  190  10 9  9  20 2 1",  # too wide
    "6  200  10 2  2  -1 1 1",  # no limit
    "7  250  25 2  2  20 2 1",  # cut
    "9  300 5.5 2  2  20 1 1",  # rounded
    "8  290  10 2  2  20 1 1",  # out of order
    "10 300  10 0  2  20 2 2",  # not known what was allocated
    "11 390  -1 2  2  20 1 1",  # no run time
    "12 400  50 2  2  20 1 1",  # cut
)


def line(job: str) -> str:
    number, submit, runtime, used, asked, limit, queue, partition = job.split()
    return f"{number} {submit} -1 {runtime} {used} -1 -1 {asked} {limit} -1 1 1 1 1 {queue} {partition} -1 -1"


def log_of(jobs, path: Path) -> Path:
    path.write_text("; MaxProcs: 4\n" + "".join(f"{line(job)}\n" for job in jobs))
    return path


def part(*numbers: int) -> list[str]:
    return [job for job in JOBS if int(job.split()[0]) in numbers]


@pytest.mark.parametrize(
    ("window", "inside"),
    [
        (Window(), range(1, 13)),
        (Window(end=200), (1, 2, 3, 4, 5)),
        (Window(start=100, end=301), (3, 4, 5, 6, 7, 8, 9, 10)),
        (Window(start=101), (4, 5, 6, 7, 8, 9, 10, 11, 12)),
        # Kept are 1 3 4 7 8 9 10 12, in this order: a dropped job belongs to what it stands behind.
        (Window(count=3), (1, 2, 3, 4, 5, 6)),
        (Window(first=1, count=1), (3,)),
        (Window(first=2, count=2), (4, 5, 6, 7)),
        (Window(first=6), (10, 11, 12)),
        (Window(start=100, first=1, count=2), (4, 5, 6, 7)),
        (Window(drop_queues=(2,)), (1, 2, 3, 4, 6, 8, 9, 11, 12)),
        (Window(drop_partitions=(1,)), (4, 10)),
        (Window(drop_unallocated=True), (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12)),
        (Window(end=301, drop_queues=(1,)), (5, 7, 10)),
        (Window(end=200, factor=2.0, seed=1), (1, 2, 3, 4, 5)),
    ],
)  # fmt: skip
def test_counts_are_those_of_the_part(tmp_path: Path, window: Window, inside) -> None:
    """The same as if the file had only the jobs that the window is about."""
    trace = load_trace(log_of(JOBS, tmp_path / "log.swf"), None, window)
    wanted, report = clean(read_swf(log_of(part(*inside), tmp_path / "part.swf")))
    assert asdict(trace.cleaning) == asdict(report)
    assert sorted(trace.workload.id.tolist()) == sorted(wanted.id.tolist())


def test_a_job_without_submission_is_in_no_window(tmp_path: Path) -> None:
    path = log_of((*JOBS, "13 -1 -1 2 2 20 1 1"), tmp_path / "log.swf")
    assert load_trace(path, None, Window()).cleaning.dropped_runtime == 3
    assert load_trace(path, None, Window(end=10_000)).cleaning.dropped_runtime == 2
    assert load_trace(path, None, Window(first=0)).cleaning.dropped_runtime == 2


@pytest.mark.draws
def test_random_logs(tmp_path: Path) -> None:
    """Time windows over logs with all kinds of faults, against the part alone."""
    rng = np.random.default_rng(7)
    for _ in range(draws(60)):
        count = int(rng.integers(1, 30))
        columns = (
            np.arange(1, count + 1),
            rng.integers(0, 100, count),
            rng.choice([-1, 5, 30, 200], count),
            rng.choice([-1, 2, 9], count),
            rng.choice([-1, 2, 9], count),
            rng.choice([-1, 20], count, p=[0.2, 0.8]),
            rng.integers(1, 3, count),
            rng.integers(1, 3, count),
        )
        jobs = [" ".join(map(str, row)) for row in zip(*columns, strict=True)]
        path = log_of(jobs, tmp_path / "log.swf")
        start, end = sorted(rng.choice(100, 2, replace=False).tolist())
        try:
            trace = load_trace(path, None, Window(start=start, end=end))
        except InputError:
            continue  # nothing is left, in the log or in the window
        first = clean(read_swf(path))[0].submit[0]
        inside = [job for job in jobs if start <= int(job.split()[1]) - first < end]
        assert trace.cleaning == clean(read_swf(log_of(inside, tmp_path / "part.swf")))[1]


@pytest.mark.shared
def test_the_first_two_months_of_a_real_log(shared: Path) -> None:
    path = shared / "traces" / "KTH-SP2-1996-2.1-cln.swf.gz"
    whole = load_trace(path, None, Window()).cleaning
    months = load_trace(path, None, Window(end=60 * 86400)).cleaning
    rest = load_trace(path, None, Window(start=60 * 86400)).cleaning
    assert 0 < months.cut < whole.cut
    assert months.cut + rest.cut == whole.cut == 475
    assert months.jobs_read + rest.jobs_read == whole.jobs_read
