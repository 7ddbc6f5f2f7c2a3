"""A log that goes to CSV or Parquet and comes back is the same log."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise import Cluster, load_workload, simulate
from packwise.model import Schedule, Workload
from packwise.model.errors import FormatError, InputError
from packwise.model.workload import NO_DEADLINE
from packwise.registry import estimate, policy
from packwise.workloads.losses import losses
from packwise.workloads.schedule_files import read_schedule, write_schedule
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.lanes import broad
from tests.workloads.small_log import LOG, SUFFIXES

pytestmark = pytest.mark.usefixtures("untried")


def same(one: Workload, other: Workload) -> None:
    """Every field, and of every column the type, too."""
    for field in fields(one):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if field.name == "extra":
            assert set(ours) == set(theirs)
            for name, column in ours.items():
                assert column.dtype.kind == theirs[name].dtype.kind, name
                assert column.tolist() == theirs[name].tolist(), name
        elif isinstance(ours, np.ndarray):
            assert ours.tolist() == theirs.tolist(), field.name
        else:
            assert ours == theirs, field.name


def converted(source: Path, folder: Path, suffix: str) -> Path:
    """What `packwise workload convert` writes, under the same name."""
    trace = load_trace(source, None, Window())
    target = folder / f"{trace.workload.name}.{suffix}"
    schedule = trace.recorded_schedule(Window())
    write_schedule(target, trace.workload, trace.cluster, schedule)
    return target


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.1.swf"
    path.write_text(LOG)
    return path


@SUFFIXES
def test_a_log_there_and_back(log: Path, tmp_path: Path, suffix: str) -> None:
    before = load_workload(log)
    after = load_workload(converted(log, tmp_path, suffix))
    same(before.workload, after.workload)
    assert before.workload.name == "small.1"
    assert after.cluster == before.cluster == Cluster.pool(8, "small.1")
    assert after.workload.start_time == 843480031
    assert after.workload.queue.tolist() == [3, 4, 3]
    assert after.workload.extra["partition"].tolist() == [2, 1, 2]
    assert after.log is None
    assert (after.report.jobs_read, after.report.jobs_kept, after.report.dropped) == (3, 3, 0)


@pytest.mark.shared
@SUFFIXES
@pytest.mark.parametrize(
    "name", broad(["KTH-SP2-1996-2.1-cln", "UniLu-Gaia-2014-1"], quick=0, lane="papers")
)
def test_real_logs_there_and_back(shared: Path, tmp_path: Path, suffix: str, name: str) -> None:
    source = shared / "traces" / f"{name}.swf.gz"
    target = converted(source, tmp_path, suffix)
    before, after = load_workload(source), load_workload(target)
    same(before.workload, after.workload)
    assert before.cluster == after.cluster
    if name.startswith("KTH"):
        for predictor in ("hierarchy", "cvh", "knn", "ceiling"):
            runs = [
                simulate(one.workload, one.cluster, policy("easy"), estimate(predictor))
                for one in (before, after)
            ]
            assert (runs[0].first_estimate == runs[1].first_estimate).all()


@SUFFIXES
def test_all_that_python_can_give(tmp_path: Path, suffix: str) -> None:
    """Weights, powers, deadlines and names; what an SWF file has no place for is said."""
    jobs = Workload.of([(0, 2, 4, 4), (0, 1, 8, 9), (7, 4, 2, 5)], "jobs").replace(
        weight=np.array([0.1, 1e300, 2 / 3]),
        power=np.array([250.0, 0.0, 1e-7]),
        deadline=np.array([30, NO_DEADLINE, 100]),
        extra={"job_name": np.array(['a "b", c', "", " é\n2 "]), "wait": np.array([0, 0, 1])},
        time_zone="America/Los_Angeles",
    )
    schedule = Schedule([0, 0, 8], [4, 8, 10], [4, 9, 5], [-1, 0, 9])
    path = tmp_path / f"jobs.{suffix}"
    write_schedule(path, jobs, Cluster.pool(5), schedule)
    told = {"estimate": schedule.estimate, "promised_start": schedule.promised}
    same(load_workload(path).workload, jobs.replace(extra={**jobs.extra, **told}))
    assert losses(jobs, suffix) == []
    assert losses(jobs, "swf") == [
        "the deadlines of 2 jobs are not in this file: the format has no place for them",
        "not in this file: weight, power, job_name: the format has no place for them",
    ]
    assert losses(jobs, "batsim") == losses(jobs, "swf")


def test_a_table_of_batsim_keeps_its_names(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(
        "job_id,submission_time,requested_number_of_resources,requested_time,starting_time,finish_time\n"
        "w0!2,0,1,10,0,5\nw0!7,3,1,10,3,8\n"
    )
    again = tmp_path / "b.parquet"
    loaded = load_workload(path, procs=2)
    schedule = Schedule.from_wait(loaded.workload, loaded.workload.extra["wait"])
    write_schedule(again, loaded.workload, loaded.cluster, schedule)
    same(load_workload(again).workload, loaded.workload)


@SUFFIXES
def test_a_part_of_a_table_still_tells_of_the_log(log: Path, tmp_path: Path, suffix: str) -> None:
    """Somebody filters the rows elsewhere: the machine and the date stay, only comments are lost."""
    import polars as pl

    path = converted(log, tmp_path, suffix)
    whole = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
    part = whole.head(1)
    part.write_csv(path) if suffix == "csv" else part.write_parquet(path)
    loaded = load_workload(path)
    assert (loaded.cluster.procs, loaded.workload.start_time) == (8, 843480031)
    assert loaded.workload.time_zone == "Europe/Stockholm"
    assert loaded.workload.header == ()


HEAD = "job_id,submit,wait,start,end,runtime,requested_time,demand"
ROWS = ("1,0,0,0,4,4,4,2", "2,0,0,0,8,8,9,2")


@pytest.mark.parametrize(
    ("column", "cells", "words"),
    [
        ("log_procs", ("4", "8"), "line 3: expected the same value in all rows of column 'log_procs', '4'"),
        ("log_procs", ("0", "0"), "expected 1 processor or more in column 'log_procs', found 0"),
        ("log_procs", ("", ""), "line 2: expected a number below 2^40 in column 'log_procs', found ''"),
        ("log_start_time", ("1", "2"), "'log_start_time'"),
        ("log_header", ("[1]", ""), "line 2: expected in column 'log_header' a list of texts"),
        ("log_header", ("", "x"), "line 3: expected in column 'log_header' a list of texts"),
        ("log_header", ("", "[" * 9999), "line 3: expected in column 'log_header' a list of texts"),
        ("queue", ("1", "batch"), "line 3: expected a number below 2^40 in column 'queue', found 'batch'"),
        ("queue", ("1.5", "1"), "line 2: expected a whole number in column 'queue', found '1.5'"),
        ("weight", ("1", "inf"), "line 3: expected a number in column 'weight', found 'inf'"),
        ("weight", ("1", "-1"), "weights should be finite and not negative"),
        ("think_time", ("1", "nan"), "line 3: expected a number below 2^40 in column 'think_time'"),
    ],
)  # fmt: skip
def test_columns_that_make_no_sense(tmp_path: Path, column: str, cells, words: str) -> None:
    path = tmp_path / "s.csv"
    lines = [f"{HEAD},{column}", *(f"{row},{cell}" for row, cell in zip(ROWS, cells, strict=True))]
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        load_workload(path, procs=None if column == "log_procs" else 4)
    assert words in str(caught.value)


def test_the_size_that_is_given_comes_first(log: Path, tmp_path: Path) -> None:
    path = converted(log, tmp_path, "csv")
    assert load_workload(path, procs=16).cluster.procs == 16
    assert read_schedule(path, procs=16).cluster.procs == 16


def test_parquet_of_another_kind_is_not_bent_into_shape(tmp_path: Path) -> None:
    """Before, 1.5 s became 1 s, and text became numbers."""
    import polars as pl

    path = tmp_path / "s.parquet"
    sound = pl.read_csv("\n".join([HEAD, *ROWS]).encode())
    for cells, words in (
        ([4.5, 8.0], "s.parquet, row 1: expected a whole number in column 'runtime', found '4.5'"),
        (["4", "8"], "row 1: expected a number below 2^40 in column 'runtime', found '4'"),
        ([4, None], "row 2: expected a number below 2^40 in column 'runtime', found ''"),
        ([[4], [8]], "row 1: expected a number below 2^40 in column 'runtime', found '[4]'"),
        ([4, 2**50], "row 2: expected a number below 2^40 in column 'runtime'"),
    ):
        sound.with_columns(runtime=pl.Series(cells)).write_parquet(path)
        with pytest.raises(FormatError) as caught:
            load_workload(path, procs=4)
        assert words in str(caught.value)
    sound.with_columns(runtime=pl.Series([4.0, 8.0])).write_parquet(path)
    assert load_workload(path, procs=4).workload.runtime.tolist() == [4, 8]


def test_a_header_that_is_too_long_is_said(tmp_path: Path) -> None:
    jobs = Workload.of([(0, 1, 1, 1)], "jobs").replace(header=("; x" * 50_000,))
    path = tmp_path / "jobs.csv"
    write_schedule(path, jobs, Cluster.pool(1), Schedule([0], [1]))
    assert load_workload(path).workload.header == ()
    assert losses(jobs, "csv") == ["the 1 lines of the log's header are not in this file: too long"]


@given(lines=st.lists(st.text(max_size=30), max_size=5))
def test_any_header_survives(tmp_path_factory, lines: list[str]) -> None:
    jobs = Workload.of([(0, 1, 1, 1), (3, 1, 1, 1)], "jobs").replace(header=tuple(lines))
    for suffix in ("csv", "parquet"):
        path = tmp_path_factory.mktemp("header") / f"jobs.{suffix}"
        write_schedule(path, jobs, Cluster.pool(1), Schedule([0, 3], [1, 4]))
        assert load_workload(path).workload.header == tuple(lines)
    assert json.loads(json.dumps(lines)) == lines
