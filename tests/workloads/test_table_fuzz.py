"""Damaged tables: an error with a name, or jobs. Never a traceback, a warning or a hang.

The cases are drawn by number: the one that a failure names is the same the next time.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from packwise import simulate, summarize
from packwise.feasibility import check_schedule
from packwise.model.errors import InputError
from packwise.registry import policy
from packwise.workloads.schedule_files import read_schedule
from packwise.workloads.tables import parquet_file
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.draws import draws
from tests.workloads.table_mutations import FORMATS, damaged, jobs, sound

CASES = draws(600, few=100)


def use(path: Path, format: str, jobs_of_path: Path) -> None:
    """What the product does with such a file."""
    if format == "deadlines":
        rule = f"column(file={path})"
        for impossible in ("refuse", "count"):
            load_trace(jobs_of_path, 4, Window(deadlines=(rule,), impossible=impossible))
        return
    file = read_schedule(path, procs=4, impossible="count")
    check_schedule(
        file.workload, file.cluster, file.schedule, rejected=file.workload.id[~file.schedule.ran]
    )
    trace = load_trace(path, 4, Window(impossible="count"))
    jobs = trace.workload.select(trace.workload.demand <= 4)
    run = simulate(jobs, trace.cluster, policy("easy"))
    summarize(run.workload, run.cluster, run.schedule)
    summarize(file.workload, file.cluster, file.schedule)


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """Jobs 1 to 5 for a file of deadlines."""
    path = tmp_path_factory.mktemp("fuzz") / "log.csv"
    rng = np.random.default_rng(5)
    while len(jobs(np.random.default_rng(seed := int(rng.integers(1000))))[0]) < 5:
        pass
    path.write_bytes(sound("csv", np.random.default_rng(seed), path))
    return path


@pytest.mark.parametrize("format", FORMATS)
def test_sound_files_are_read(tmp_path: Path, log: Path, format: str) -> None:
    path = tmp_path / ("s.parquet" if format == "parquet" else "s.csv")
    path.write_bytes(sound(format, np.random.default_rng(1), path))
    use(path, format, log)


@pytest.mark.draws
@pytest.mark.parametrize("format", FORMATS)
def test_damaged_files(tmp_path: Path, log: Path, format: str, monkeypatch) -> None:
    monkeypatch.setattr(parquet_file, "trial", lambda *_: None)  # a process per case takes long
    path = tmp_path / ("s.parquet" if format == "parquet" else "s.csv")
    refused = 0
    for case in range(CASES // len(FORMATS)):
        path.write_bytes(
            damaged(format, np.random.default_rng((case, FORMATS.index(format))), path)
        )
        error = outcome(path, format, log)
        if error is not None:
            refused += 1
            assert isinstance(error, InputError), f"case {case}: {error!r}"[:500]
            assert len(str(error)) < 1500, f"case {case}"
    assert refused > 0.3 * CASES / len(FORMATS)


def outcome(path: Path, format: str, log: Path) -> BaseException | None:
    """The error that a file gives; a panic of Polars is no Exception."""
    try:
        use(path, format, log)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    return None
