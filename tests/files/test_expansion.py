"""Small files that become large ones: refused by name long before the memory is full."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from packwise import load_workload
from packwise.files import expansion
from packwise.files.expansion import VARIABLE, check_expansion, most_expanded
from packwise.model.errors import InputError
from packwise.workloads import archive
from packwise.workloads.schedule_files import read_schedule
from packwise.workloads.tables.workload_columns import LONGEST_NAME

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20
LINE = b"%d %d -1 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n"


def bomb(path: Path, size: int) -> Path:
    """A gzip file of zeros, ``size`` bytes unpacked, a thousandth of it packed."""
    part = gzip.compress(bytes(64 * MIB), 9)
    path.write_bytes(part * (size // (64 * MIB)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bomb.swf.gz", "bomb.csv"])
def test_ten_gigabytes_in_ten_megabytes(tmp_path: Path, name: str) -> None:
    """In a process that has not the memory for them."""
    path = bomb(tmp_path / name, 10 * 2**30)
    assert path.stat().st_size < 12 * MIB
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30,) * 2); "
        "from packwise.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", path, "--procs", "4"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"{path}: expected a file that expands to" in done.stderr
    assert "set the environment variable PACKWISE_MAX_EXPANDED" in done.stderr


def test_the_limits() -> None:
    assert most_expanded(100) == expansion.HARMLESS
    assert most_expanded(10 * MIB) == min(500 * MIB, most_expanded(10**12))
    assert most_expanded(10**12) <= expansion.MOST
    check_expansion("log", 5 * MIB, 40 * MIB)
    check_expansion("log", 1, expansion.HARMLESS)
    with pytest.raises(
        InputError,
        match=r"log: expected a file that expands to 268 MB at most, found one of 1 bytes",
    ):
        check_expansion("log", 1, expansion.HARMLESS + 1)


@pytest.mark.parametrize(
    ("told", "most"),
    [
        ("20GB", 20 * 10**9),
        ("1e9", 10**9),
        ("500 MB", 5 * 10**8),
        ("1.5g", 1_500_000_000),
        ("7", 7),
        ("2TB", 2 * 10**12),
    ],
)
def test_the_limit_can_be_set(monkeypatch: pytest.MonkeyPatch, told: str, most: int) -> None:
    monkeypatch.setenv(VARIABLE, told)
    assert most_expanded(1) == most_expanded(10**12) == most


@pytest.mark.parametrize("told", ["", "much", "-1", "nan", "inf", "10 GiB", "9" * 5000 + "x"])
def test_a_limit_that_is_none(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv(VARIABLE, told)
    with pytest.raises(InputError, match=f"{VARIABLE}: expected a number of bytes, such as 20GB"):
        most_expanded(1)


def test_a_log_within_the_limit_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"; MaxProcs: 8\n" + b"".join(LINE % (i, i) for i in range(1, 2001))
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress(text))
    assert len(load_workload(path).workload) == 2000
    monkeypatch.setenv(VARIABLE, str(len(text)))
    assert len(load_workload(path).workload) == 2000
    monkeypatch.setenv(VARIABLE, str(len(text) - 1))
    with pytest.raises(InputError, match="expected a file that expands to"):
        load_workload(path)
    path.write_bytes(text)  # what is not compressed does not expand
    assert len(load_workload(path).workload) == 2000


def parquet(**columns) -> bytes:
    import polars as pl

    text = io.BytesIO()
    pl.DataFrame(columns).write_parquet(text)
    return text.getvalue()


def test_many_rows_in_a_small_parquet_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    path = tmp_path / "s.parquet"
    path.write_bytes(parquet(job_id=pl.repeat(1, 2_000_000, eager=True)))
    assert path.stat().st_size < MIB / 10
    monkeypatch.setattr(expansion, "HARMLESS", MIB)
    with pytest.raises(
        InputError, match=r"s\.parquet: expected a file that expands to .* becomes 16 MB or more"
    ):
        read_schedule(path, procs=4)
    monkeypatch.setenv(VARIABLE, "17MB")
    with pytest.raises(InputError, match="a column 'submit'"):
        read_schedule(path, procs=4)


def test_long_texts_in_a_small_parquet_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One long text and many rows that have it."""
    import polars as pl

    path = tmp_path / "s.parquet"
    path.write_bytes(parquet(job_name=pl.repeat("x" * 100_000, 1000, eager=True)))
    assert path.stat().st_size < MIB
    monkeypatch.setattr(expansion, "HARMLESS", MIB)
    with pytest.raises(InputError, match="becomes 100 MB or more"):
        read_schedule(path, procs=4)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_one_long_name_of_a_job(tmp_path: Path, suffix: str) -> None:
    import polars as pl

    path = tmp_path / f"s.{suffix}"
    head = "job_id,submit,wait,start,end,runtime,requested_time,demand,job_name"
    long = "x" * (LONGEST_NAME + 1)
    path.write_text(f"{head}\n1,0,0,0,4,4,4,2,a\n2,0,0,0,8,8,9,2,{long}\n")
    if suffix == "parquet":
        path.write_bytes(parquet(**pl.read_csv(path).to_dict()))
    with pytest.raises(
        InputError,
        match=r"2?3?: expected a name of at most 1,000 characters in column 'job_name', found",
    ):
        read_schedule(path, procs=4)


def test_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log whose checksum is not known is unpacked to see whether it is whole, and not for ever."""
    blocks = [gzip.compress(bytes(MIB), 9)] * 20
    monkeypatch.setattr(archive, "_blocks", lambda *_: iter(blocks))
    monkeypatch.setattr(expansion, "HARMLESS", MIB)
    with pytest.raises(InputError, match=r"lanl.*: expected a file that expands to"):
        archive.fetch("lanl-o2k", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / archive.find("lanl-o2k").file_name).write_bytes(
        b"".join(blocks)
    )  # what is there already
    with pytest.raises(InputError, match="expected a file that expands to"):
        archive.fetch("lanl-o2k", cache=tmp_path)


def test_an_endless_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext
    from types import SimpleNamespace

    answer = SimpleNamespace(headers={}, read=lambda size: b"\x1f\x8b" + bytes(size - 2))
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: nullcontext(answer))
    monkeypatch.setattr(archive, "MOST_RECEIVED", 5 * MIB)
    with pytest.raises(InputError, match="expected a log, found more than 5 MiB"):
        archive.fetch("kth-sp2", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
