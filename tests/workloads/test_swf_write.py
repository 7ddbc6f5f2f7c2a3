"""Writing SWF: header, fields, and that reading gives the same workload back."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packwise.model.errors import InputError, OutputError
from packwise.model.workload import Workload
from packwise.workloads.loading import load_workload
from packwise.workloads.swf import read_swf, write_swf
from packwise.workloads.swf.fields import EXTRA_FIELDS, FLOAT_FIELDS
from tests.draws import draws
from tests.lanes import broad

COLUMNS = ("id", "submit", "runtime", "requested_time", "demand")
COLUMNS += ("user", "group", "app", "queue", "status")

#: A workload may have been given another date than the log it came from.
OTHER_DATES = ((), ("; unixstarttime: 7", "; TimeZoneString: Asia/Tokyo"))


def assert_same(got: Workload, expected: Workload) -> None:
    for name in COLUMNS:
        assert getattr(got, name).tolist() == getattr(expected, name).tolist(), name
    for name, column in expected.extra.items():
        assert got.extra[name].tolist() == column.tolist(), name
        assert got.extra[name].dtype == column.dtype, name
    assert got.start_time == expected.start_time
    assert got.time_zone == expected.time_zone


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    n = draw(st.integers(1, 6))

    def whole(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    limit = whole(1, 10**6)
    demand = whole(1, 500)
    decimal = st.floats(-1, 1e9) | st.integers(-1, 10**9).map(float)
    extra = {
        name: np.array(draw(st.lists(decimal, min_size=n, max_size=n)))
        if name in FLOAT_FIELDS
        else np.array(whole(-1, 10**6))
        for name in EXTRA_FIELDS
    }
    # As cleaning leaves it: the demand is field 8, or field 5 where 8 is missing.
    missing = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    extra["requested_procs"] = np.where(missing, -1, demand)
    extra["used_procs"] = np.where(missing, demand, extra["used_procs"])
    ids = draw(st.lists(st.integers(0, 10**6), min_size=n, max_size=n, unique=True))
    return Workload(
        name="w",
        id=np.array(sorted(ids)),
        submit=np.sort(whole(0, 10**9)),
        runtime=np.minimum(limit, whole(1, 10**6)),
        requested_time=np.array(limit),
        demand=np.array(demand),
        user=np.array(whole(-1, 99)),
        group=np.array(whole(-1, 99)),
        app=np.array(whole(-1, 99)),
        queue=np.array(whole(-1, 99)),
        status=np.array(whole(-1, 5)),
        extra=extra,
        header=("; Computer: Größe 7", "free text", *draw(st.sampled_from(OTHER_DATES))),
        start_time=draw(st.integers(1, 2**31)),
        time_zone="Europe/Paris",
    )


@settings(
    max_examples=draws(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(workloads(), st.booleans())
def test_round_trip(tmp_path: Path, workload: Workload, packed: bool) -> None:
    path = tmp_path / ("w.swf.gz" if packed else "w.swf")
    write_swf(path, workload, procs=500)
    loaded = load_workload(path)
    assert_same(loaded.workload, workload)
    assert loaded.report.dropped == loaded.report.cut == loaded.report.fractional == 0
    write_swf(tmp_path / "again.swf", loaded.workload)
    again = load_workload(tmp_path / "again.swf").workload
    assert_same(again, workload)
    assert again.header == loaded.workload.header


def small(**changes: object) -> Workload:
    return Workload.of([(0, 4, 60, 100), (10, 2, 30, 60)]).replace(**changes)


def test_text_of_a_small_file(tmp_path: Path) -> None:
    extra = {"cpu_time": np.array([2.5, -1.0]), "wait": np.array([3, 4]), "nodes": np.array([1, 1])}
    workload = small(extra=extra, header=("; MaxJobs: 99", "; Queue: 1 all"), start_time=7)
    write_swf(tmp_path / "w.swf", workload, wait=[0, 60], note=["by hand", "two\nlines"])
    assert (tmp_path / "w.swf").read_text().splitlines() == [
        "; Version: 2.2",
        "; UnixStartTime: 7",
        "; TimeZoneString: UTC",
        "; MaxRecords: 2",
        "; MaxProcs: 4 (a guess: the widest job)",
        "; MaxJobs: 2",
        "; Queue: 1 all",
        "; Note: by hand",
        "; Note: two",
        "; Note: lines",
        "1 0 0 60 4 2.5 -1 4 100 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "2 10 60 30 2 -1 -1 2 60 -1 -1 -1 -1 -1 -1 -1 -1 -1",
    ]


def test_header_is_updated_in_place(tmp_path: Path) -> None:
    header = (";Version: 2", "; MaxProcs: 64 (old)", ";maxrecords: 5", "; MaxNodes: 9")
    write_swf(tmp_path / "w.swf", small(header=header), procs=128)
    log = read_swf(tmp_path / "w.swf")
    assert log.field("Version") == "2"
    assert log.max_procs == 128
    assert log.field("MaxRecords") == log.field("MaxJobs") == "2"
    write_swf(tmp_path / "w.swf", small(header=header))
    assert read_swf(tmp_path / "w.swf").field("MaxProcs") == "64 (old)"


def test_changed_demand_wins_over_the_recorded_one(tmp_path: Path) -> None:
    extra = {"requested_procs": np.array([4, -1]), "used_procs": np.array([4, 2])}
    changed = small(extra=extra).replace(demand=np.array([8, 8]))
    write_swf(tmp_path / "w.swf", changed, procs=8)
    loaded = load_workload(tmp_path / "w.swf")
    assert loaded.workload.demand.tolist() == [8, 8]
    assert loaded.workload.extra["used_procs"].tolist() == [4, 2]


def test_recorded_wait_is_kept(tmp_path: Path) -> None:
    write_swf(tmp_path / "w.swf", small(extra={"wait": np.array([3, 4])}))
    assert read_swf(tmp_path / "w.swf").columns["wait"].tolist() == [3, 4]


def test_gzip_is_reproducible(tmp_path: Path) -> None:
    for name in ("a.swf.gz", "b.swf.gz"):
        write_swf(tmp_path / name, small())
    packed = (tmp_path / "a.swf.gz").read_bytes()
    assert packed == (tmp_path / "b.swf.gz").read_bytes()
    assert gzip.decompress(packed).startswith(b"; Version: 2.2\n")


@pytest.mark.parametrize("wait", [[1], [1.5, 2.5], [[1, 2]]])
def test_wrong_waits(tmp_path: Path, wait: list[object]) -> None:
    with pytest.raises(InputError, match="2 whole numbers"):
        write_swf(tmp_path / "w.swf", small(), wait=wait)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["w.swf", "w.swf.gz"])
def test_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_swf(tmp_path / name, small())
    assert list(tmp_path.iterdir()) == []


def test_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.swf"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError):
        write_swf(path, small())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_impossible_machine(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="procs=0"):
        write_swf(tmp_path / "w.swf", small(), procs=0)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="could not be written"):
        write_swf(tmp_path / "no" / "w.swf", small())


@pytest.mark.shared
@pytest.mark.parametrize("name", broad(["KTH-SP2-1996-2", "CTC-SP2-1996-3.1-cln"], lane="papers"))
def test_real_round_trip(shared: Path, tmp_path: Path, name: str) -> None:
    found = load_workload(shared / "traces" / f"{name}.swf.gz").workload
    write_swf(tmp_path / "w.swf.gz", found)
    assert_same(load_workload(tmp_path / "w.swf.gz").workload, found)
