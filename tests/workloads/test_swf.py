"""Reading SWF: what is accepted, and what the log then holds."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from packwise.workloads.swf import SwfLog, read_swf
from packwise.workloads.swf.fields import FIELDS, FLOAT_FIELDS, NAMES

#         id  sub wait run used cpu mem req limit mem st us gr ex qu pa pre think
JOB_1 = b"1   0   5    60  4    -1  -1  4   100   -1  1  7  8  9  2  3  -1  -1"
JOB_2 = b"2   10  0    30  2    -1  -1  -1  60    -1  0  7  8  9  2  3  1   10"


def read(tmp_path: Path, content: bytes, name: str = "log.swf") -> SwfLog:
    path = tmp_path / name
    path.write_bytes(content)
    return read_swf(path)


def test_columns_of_a_small_log(tmp_path: Path) -> None:
    log = read(tmp_path, b"; MaxProcs: 8\n" + JOB_1 + b"\n" + JOB_2 + b"\n")
    assert len(log) == 2
    assert tuple(log.columns) == NAMES == tuple(FIELDS)
    assert len(NAMES) == 18
    assert log.columns["submit"].tolist() == [0, 10]
    assert log.columns["used_procs"].tolist() == [4, 2]
    assert log.columns["requested_procs"].tolist() == [4, -1]
    assert log.columns["think_time"].tolist() == [-1, 10]
    assert log.line.tolist() == [2, 3]
    assert log.header == ("; MaxProcs: 8",)
    for name, column in log.columns.items():
        assert column.dtype == (np.float64 if name in FLOAT_FIELDS else np.int64)


@pytest.mark.parametrize(
    "content",
    [
        JOB_1 + b"\n" + JOB_2 + b"\n",
        JOB_1 + b"\r\n" + JOB_2 + b"\r\n",  # Windows
        JOB_1 + b"\n" + JOB_2,  # no final newline
        b"\n\n  \n" + JOB_1 + b"\n\n" + JOB_2 + b"\n \t\n",  # blank lines
        b"  " + JOB_1.replace(b" ", b"\t") + b" \n\t" + JOB_2 + b"  \n",  # tabs, leading blanks
        b"\xef\xbb\xbf" + JOB_1 + b"\n" + JOB_2 + b"\n",  # byte order mark
        b"+" + JOB_1 + b"\n" + JOB_2.replace(b"10 ", b"+10 "),
        JOB_1.replace(b"60 ", b"60.00 ").replace(b"5 ", b"5. ") + b"\n" + JOB_2,
        JOB_1.replace(b"100", b"1e2") + b"\n" + JOB_2.replace(b" 30", b" .3E+2"),
    ],
)
def test_accepted_spellings_of_the_same_log(tmp_path: Path, content: bytes) -> None:
    plain = read(tmp_path, JOB_1 + b"\n" + JOB_2 + b"\n", "plain.swf")
    log = read(tmp_path, content)
    for name in NAMES:
        assert log.columns[name].tolist() == plain.columns[name].tolist(), name
    assert log.fractional == 0


def test_comments_anywhere(tmp_path: Path) -> None:
    log = read(tmp_path, JOB_1 + b"\n  ; between; jobs\n" + JOB_2 + b"\n;last\r\n")
    assert log.header == ("  ; between; jobs", ";last")
    assert log.line.tolist() == [1, 3]


def test_unsorted_lines_stay_as_found(tmp_path: Path) -> None:
    assert read(tmp_path, JOB_2 + b"\n" + JOB_1).columns["job_id"].tolist() == [2, 1]


def test_fractions_are_rounded_and_counted(tmp_path: Path) -> None:
    job = b"1 0.5 1.49 60.50 4 2.25 -1 4 99.999999999999999999 -1 1 -1 -1 -1 -1 -1 -1 -1"
    log = read(tmp_path, job)
    got = {name: log.columns[name][0] for name in ("submit", "wait", "runtime", "requested_time")}
    assert got == {"submit": 1, "wait": 1, "runtime": 61, "requested_time": 100}
    assert log.fractional == 4
    assert log.columns["cpu_time"][0] == 2.25  # a float field keeps its fraction


def test_tiny_exponents_do_not_hang(tmp_path: Path) -> None:
    job = b"1 1e-999999999 0 60 4 1e-999999999 -1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1"
    log = read(tmp_path, job)
    assert log.columns["submit"][0] == 0
    assert log.columns["cpu_time"][0] == 0


def test_gzip_by_content_not_by_name(tmp_path: Path) -> None:
    packed = gzip.compress(JOB_1 + b"\n") + gzip.compress(JOB_2 + b"\n")  # two members
    assert len(read(tmp_path, packed, "no-suffix")) == 2
    assert len(read(tmp_path, JOB_1, "plain.swf.gz")) == 1


@pytest.mark.parametrize("name", ["my.log.swf", "my.log.swf.gz", "my.log.SWF", "my.log"])
def test_name_without_suffix(tmp_path: Path, name: str) -> None:
    log = read(tmp_path, JOB_1, name)
    assert log.name == "my.log"
    assert log.path == tmp_path / name


def test_many_deferred_numbers(tmp_path: Path) -> None:
    job = b" 0 0 60 4 0.12345678901234567 1e1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    log = read(tmp_path, b"".join(str(i).encode() + job for i in range(2000)))
    assert set(log.columns["cpu_time"].tolist()) == {0.12345678901234567}
    assert set(log.columns["used_memory"].tolist()) == {10.0}


def test_heavy_libraries_wait_for_their_use() -> None:
    modules = ("archive", "cleaning", "describe", "lublin", "swf", "transform")
    code = "import sys, " + ", ".join(f"packwise.workloads.{name}" for name in modules)
    code += "; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numba", "polars", "matplotlib", "urllib.request"} & set(loaded)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        ("KTH-SP2-1996-2", 28489),
        ("LLNL-Thunder-2007-1.1-cln", 121039),
        ("UniLu-Gaia-2014-1", 51987),
    ],
)
def test_real_logs(shared: Path, name: str, jobs: int) -> None:
    log = read_swf(shared / "traces" / f"{name}.swf.gz")
    assert len(log) == jobs
    assert log.name == name
    assert log.max_procs
    assert log.time_zone
