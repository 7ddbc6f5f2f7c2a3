"""Parquet files that kill their reader."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from packwise.model.errors import FormatError
from packwise.workloads.schedule_files import read_schedule
from packwise.workloads.tables import parquet_trial
from packwise.workloads.tables.parquet_trial import trial

ROOT = Path(__file__).resolve().parents[2]


def content(cells: list[int | None]) -> bytes:
    import polars as pl

    text = io.BytesIO()
    pl.DataFrame({"job_id": cells}).write_parquet(text, compression="uncompressed")
    return text.getvalue()


def deadly() -> list[bytes]:
    """One byte of the page changed: the lengths of runs of empty cells. Polars 2.1 aborts on the first."""
    sound = content([1, 2, None, 4])
    levels = sound.index(b"\x02\x00\x00\x00", 4) + 4
    return [sound[:levels] + bytes([run]) + sound[levels + 1 :] for run in (1, 3, 127, 0)]


def test_a_sound_file_is_tried_once(monkeypatch):
    file = content([1, 2])
    trial("s.parquet", file, ["job_id"])
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("tried again"))
    trial("s.parquet", file, ["job_id"])


def test_what_polars_says_is_told():
    with pytest.raises(
        FormatError, match=r"s\.parquet: expected a Parquet file, found one that cannot be read \("
    ):
        trial("s.parquet", b"PAR1 and nothing else", ["job_id"])


@pytest.mark.parametrize(
    "death", ["import os; os.abort()", "import os, signal; os.kill(os.getpid(), 9)"]
)
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_reader_that_dies(monkeypatch, tmp_path: Path, death: str):
    monkeypatch.setattr(parquet_trial, "_READ", death)
    path = tmp_path / "s.parquet"
    path.write_bytes(content([1, 2, 3]))
    with pytest.raises(
        FormatError, match=r"one that cannot be read \(reading it crashes\). Write or copy it"
    ):
        read_schedule(path, procs=4)


def test_where_no_process_can_be_started(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
    path = tmp_path / "s.parquet"
    path.write_bytes(content([7]))
    with pytest.raises(FormatError, match="expected a column 'submit'"):
        read_schedule(path, procs=4)


@pytest.mark.kills
def test_the_command_outlives_the_file(tmp_path: Path):
    """In processes of their own, as a crash would end this one."""
    for number, file in enumerate(deadly()):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(file)
        done = subprocess.run(
            [sys.executable, "-m", "packwise", "check", path, "--procs", "4"],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith(f"error: {path}: expected ")
        assert "panicked" not in done.stderr
