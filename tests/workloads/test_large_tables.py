"""Tables of very many rows are read a column at a time, and say the same; the site of the benchmark is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.large_site_jobs import PROCS, parts, write_site
from packwise import read, simulate
from packwise.files.csv_table import read_csv_table
from packwise.model import Workload
from packwise.model.errors import FormatError
from packwise.workloads.tables import parquet_file
from packwise.workloads.tables.name_columns import named_fields
from packwise.workloads.tables.parquet_file import read_parquet_table
from tests.workloads.test_workload_columns import same

pytestmark = pytest.mark.usefixtures("untried")

JOBS = 2000


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "site.parquet"
    write_site(path, JOBS)
    return path


def test_a_column_at_a_time(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = read(site).workload
    monkeypatch.setattr(parquet_file, "_MANY", 0)
    same(at_once, read(site).workload)


def test_rows_in_any_order(site: Path, tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "shuffled" / "site.parquet"
    path.parent.mkdir()
    pl.read_parquet(site).sample(fraction=1.0, shuffle=True, seed=1).write_parquet(path)
    same(read(site).workload, read(path).workload)


def test_the_site_is_the_same_every_time_and_can_be_replayed(site: Path) -> None:
    (one,), (other,) = (list(parts(JOBS)) for _ in range(2))
    assert one.equals(other)
    trace = read(site)
    jobs: Workload = trace.workload
    assert len(jobs) == JOBS
    assert trace.cluster.procs == PROCS
    assert set(jobs.names["partition"]) == {"debug", "small", "batch", "large", "long"}
    assert jobs.name_of("user", int(jobs.user[0])) == one["user_name"][0]
    assert simulate(jobs, trace.cluster, "easy").schedule.ran.all()


CELLS = {
    "user": [3, 1, 3, -1, 1],
    "user_name": ["", "eve", "zoe", "", "eve"],
    "account": ["b", "", "a", "b", "ä"],
}


def tables(folder: Path, cells: dict[str, list]) -> list:
    import polars as pl

    frame = pl.DataFrame(cells)
    frame.write_csv(folder / "t.csv")
    frame.with_columns(pl.col(pl.String).replace("", None)).write_parquet(folder / "t.parquet")
    content = (folder / "t.parquet").read_bytes()
    return [read_csv_table(folder / "t.csv"), read_parquet_table("t.parquet", content, list(cells))]


def test_names_of_csv_and_parquet(tmp_path: Path) -> None:
    for table in tables(tmp_path, CELLS):
        names, columns = named_fields(table, {"user": np.array(CELLS["user"])})
        assert names == {"user": ("", "eve", "", "zoe"), "account": ("a", "b", "ä")}
        assert columns["user"].tolist() == CELLS["user"]
        assert columns["account"].tolist() == [1, -1, 0, 1, 2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("ann", "one name for user 1, 'eve', found 'ann'"),
        ("", "one name for user 1, 'eve', found ''"),
        (
            "x" * 10_001,
            "a name of at most 10,000 characters in column 'user_name', found one of 10,001",
        ),
    ],
)
def test_contradicting_names(tmp_path: Path, changed: str, message: str) -> None:
    cells = {**CELLS, "user_name": [*CELLS["user_name"][:4], changed]}
    for table in tables(tmp_path, cells):
        with pytest.raises(FormatError, match=message) as caught:
            named_fields(table, {"user": np.array(CELLS["user"])})
        assert "row 5" in str(caught.value) or "line 6" in str(caught.value)


@pytest.mark.parametrize("kind", ["Int8", "UInt8", "UInt32", "UInt64", "Int64", "Float32"])
def test_whole_numbers_of_every_width(tmp_path: Path, kind: str) -> None:
    import polars as pl

    path = tmp_path / "t.parquet"
    pl.DataFrame({"user": pl.Series([3, 1, 100], dtype=getattr(pl, kind))}).write_parquet(path)
    found = read_parquet_table(path, path.read_bytes(), ["user"]).whole("user")
    assert found.tolist() == [3, 1, 100]
    assert found.dtype == np.int64


@pytest.mark.parametrize("number", [2**64 - 1, 2**40 + 1])
def test_numbers_that_are_too_large(tmp_path: Path, number: int) -> None:
    import polars as pl

    path = tmp_path / "t.parquet"
    pl.DataFrame({"user": pl.Series([3, number], dtype=pl.UInt64)}).write_parquet(path)
    with pytest.raises(FormatError, match=f"row 2: expected a number below 2.40.*'{number}'"):
        read_parquet_table(path, path.read_bytes(), ["user"]).whole("user")
