"""One absurd cell does not size the machine, or stretch the log, without a word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.workloads.proportion import absurdly_wide, most_at_once, proportion_remarks
from packwise.workloads.trace import Trace, load_trace
from packwise.workloads.window import Window
from tests.workloads.records import site

JOBS = site.without_tasks(site.jobs(30))
REASON = "left out: processors out of all proportion to the rest (--procs keeps them): 1"


def column(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def read(path: Path, text: str, procs: int | None = None) -> Trace:
    path.write_text(text)
    return load_trace(path, procs, Window())


def test_most_at_once() -> None:
    """0   5   10
    4 ####
    2     ########    who ends makes room in the same second
    3       ####
    """
    assert most_at_once(column(0, 5, 7), column(5, 13, 11), column(4, 2, 3)) == 5
    assert most_at_once(column(), column(), column()) == 0


@pytest.mark.parametrize(
    ("demand", "wide"),
    [
        ((1, 1, 1, 5_001), (0, 0, 0, 1)),
        ((1, 1, 1, 3_000), (0, 0, 0, 0)),  # three at once, and a thousand times that
        ((1, 1, 1, 3_001, 2**40), (0, 0, 0, 1, 1)),
        ((4, 4, 4, 2**31, 2**31), (0, 0, 0, 1, 1)),
        ((4, 2**31), (0, 0)),  # nobody is among the rest
        ((4,), (0,)),
    ],
)
def test_who_is_absurdly_wide(demand: tuple[int, ...], wide: tuple[int, ...]) -> None:
    start = np.zeros(len(demand), np.int64)
    found = absurdly_wide(start, start + 10, column(*demand))
    assert found.tolist() == [bool(one) for one in wide]


def test_without_starts_the_widest_of_the_rest_counts() -> None:
    start = column(-1, -1, -1, -1)
    assert not absurdly_wide(start, start, column(1, 1, 1, 1_000)).any()
    assert absurdly_wide(start, start, column(1, 1, 1, 1_001)).tolist() == [False] * 3 + [True]


def test_a_record_does_not_size_the_machine_alone(tmp_path: Path) -> None:
    plain = read(tmp_path / "plain.txt", site.sacct(JOBS[1:]))
    odd = [replace(JOBS[0], cpus=2**31), *JOBS[1:]]
    trace = read(tmp_path / "odd.txt", site.sacct(odd))
    assert trace.cluster.procs == plain.cluster.procs
    assert REASON in trace.remarks()
    assert len(trace.workload) == len(JOBS) - 1
    told = read(tmp_path / "odd.txt", site.sacct(odd), procs=2**31)
    assert len(told.workload) == len(JOBS)
    assert not any("proportion" in remark for remark in told.remarks())


def test_a_header_that_nothing_comes_near(tmp_path: Path) -> None:
    body = "".join(f"{k} {k} 5 9 2 -1 -1 2 9 -1 1 1 1 1 1 1 -1 -1\n" for k in range(1, 9))
    words = "out of all proportion to what was used of it"
    absurd = read(tmp_path / "log.swf", "; MaxProcs: 2147483648\n" + body)
    assert any(words in remark for remark in absurd.remarks())
    fine = read(tmp_path / "log.swf", "; MaxProcs: 16000\n" + body)  # 16 were used at once
    assert not any(words in remark for remark in fine.remarks())


def test_a_pause_of_centuries(tmp_path: Path) -> None:
    shift = 900 * 365 * 86400
    last = JOBS[-1]
    late = replace(
        last, submit=last.submit + shift, eligible=last.eligible + shift, start=last.start + shift,
        end=last.end + shift,
    )  # fmt: skip
    remarks = read(tmp_path / "late.txt", site.sacct([*JOBS[:-1], late])).remarks()
    assert any(
        r.startswith("a pause of 899 years") and "1 of the jobs after it" in r for r in remarks
    )
    assert not any("pause" in r for r in read(tmp_path / "all.txt", site.sacct(JOBS)).remarks())


@pytest.mark.parametrize(
    ("far", "words"),
    [(1, "1 of the jobs after it"), (2, "2 of the jobs before it"), (3, "1 of the jobs before it")],
)
def test_the_fewer_jobs_stand_on_one_side_of_a_pause(far: int, words: str) -> None:
    """Of four jobs so many come after twenty years; two and two: the older ones are named."""
    submit = [*range(4 - far), *(20 * 365 * 86400 + k for k in range(far))]
    jobs = Workload.of([(time, 1, 10, 10) for time in submit])
    (remark,) = proportion_remarks(jobs, 4, sized=False)
    assert words in remark


def test_one_far_job_does_not_shift_the_others(tmp_path: Path) -> None:
    """Times that count from 0 stay as they are."""
    far = replace(JOBS[-1], eligible=site.EPOCH + 10**10)
    jobs = load_trace(_written(tmp_path, site.batsim([*JOBS[:-1], far])), None, Window()).workload
    assert int(jobs.submit[0]) == min(job.eligible for job in JOBS) - site.EPOCH


def test_numbers_beyond_all_numbers(tmp_path: Path) -> None:
    text = site.batsim(JOBS).replace('"delay": ', '"delay": 1' + "0" * 400, 1)
    trace = load_trace(_written(tmp_path, text), None, Window())
    assert len(trace.workload) == len(JOBS) - 1
    pbs = site.pbs(JOBS).replace("ncpus=", "ncpus=99999999999", 1)
    assert "left out: a cell that cannot be read: 1" in read(tmp_path / "pbs.txt", pbs).remarks()


def test_messages_stay_short(tmp_path: Path) -> None:
    many = [replace(job, id=k) for k, job in enumerate(JOBS * 40)]
    lines = site.sacct(many, [*site.USUAL, "Cluster"][:-1]).splitlines()
    text = (
        lines[0] + "|Cluster\n" + "".join(f"{line}|c{k:0200}\n" for k, line in enumerate(lines[1:]))
    )
    with pytest.raises(InputError) as caught:
        read(tmp_path / "sacct.txt", text)
    assert "(1,200 in all)" in str(caught.value)
    assert len(str(caught.value)) < 2_000


def _written(folder: Path, text: str) -> Path:
    path = folder / "jobs.json"
    path.write_text(text)
    return path
