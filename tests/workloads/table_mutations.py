"""Tables of jobs as files, and ways to damage them. All of it is drawn from one generator of random numbers."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl  # noqa: TID253

from packwise.model import Cluster, Schedule, Workload
from packwise.model.workload import NO_DEADLINE
from packwise.workloads.schedule_files import write_schedule

Random = np.random.Generator

#: Cells that have surprised somebody before.
ODD = (
    "", " ", "-1", "0", "1.5", "1e3", "1e308", "1e400", "-1e400", "nan", "NaN", "inf", "-inf", "null", "None",
    "9" * 5000, "-" + "9" * 5000, str(2**40), str(2**62), str(2**63), str(-(2**63)), "0x10", "1_000",
    "1,5", '"', '""', "\x00", "é", "\u0661", "\ud7ff", "true", "[1]", "{}", "[[[[", "2024-01-01", "-0", "+7",
    "0-3 7", "3-", "-3", "0-" + "9" * 5000, "9999999999999", "REJECTED", "w0!7", "!", "a\nb", " 7 ",
)  # fmt: skip
FORMATS = ("csv", "parquet", "batsim", "deadlines")


def jobs(rng: Random) -> tuple[Workload, Schedule]:
    """A few jobs with all that a table can tell."""
    n = int(rng.integers(1, 6))
    submit = np.sort(rng.integers(0, 50, n))
    limit = rng.integers(1, 90, n)
    workload = Workload(
        name="jobs",
        id=np.arange(1, n + 1),
        submit=submit,
        runtime=np.minimum(rng.integers(1, 90, n), limit),
        requested_time=limit,
        demand=rng.integers(1, 3, n),
        user=rng.integers(1, 4, n),
        queue=rng.integers(1, 4, n),
        weight=rng.random(n),
        deadline=np.where(rng.random(n) < 0.5, submit + limit, NO_DEADLINE),
        extra={
            "job_name": rng.choice(["a", "b,c", ""], n),
            "used_procs": rng.integers(1, 3, n),
            "cpu_time": rng.random(n),
        },
        header=("; Computer: x",),
        start_time=1000,
        time_zone="Europe/Paris",
    )
    start = submit + 100 * np.arange(n)
    return workload, Schedule(start, start + workload.runtime, limit, start)


def sound(format: str, rng: Random, path: Path) -> bytes:
    """A file of a format without a fault."""
    workload, schedule = jobs(rng)
    if format == "deadlines":
        return b"job_id,deadline\n" + b"".join(b"%d,%d\n" % (j.id, 10**6) for j in workload)
    write_schedule(path, workload, Cluster.pool(4), schedule, format=format)
    return path.read_bytes()


def damaged(format: str, rng: Random, path: Path) -> bytes:
    """The same with one to three faults, in its cells and columns, or in its bytes."""
    content = sound(format, rng, path)
    of_bytes = sorted(
        rng.random(int(rng.integers(1, 4))) < 0.4
    )  # last: damaged files are for others to read
    for low in of_bytes:
        kinds = BYTES if low else PARQUET if format == "parquet" else CELLS
        content = kinds[int(rng.integers(len(kinds)))](content, rng)
    return gzip.compress(content) if rng.random() < 0.05 else content


def _place(content: bytes, rng: Random) -> int:
    return int(rng.integers(len(content))) if content else 0


def flip(content: bytes, rng: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 9)) if content else 0):
        changed[_place(content, rng)] = int(rng.integers(256))
    return bytes(changed)


def flip_a_bit(content: bytes, rng: Random) -> bytes:
    changed = bytearray(content)
    if content:
        changed[_place(content, rng)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(content: bytes, rng: Random) -> bytes:
    return content[: _place(content, rng)]


def cut_out(content: bytes, rng: Random) -> bytes:
    begin, end = sorted((_place(content, rng), _place(content, rng)))
    return content[:begin] + content[end:]


def insert(content: bytes, rng: Random) -> bytes:
    at = _place(content, rng)
    return content[:at] + rng.bytes(int(rng.integers(1, 30))) + content[at:]


def repeat(content: bytes, rng: Random) -> bytes:
    return content + content[_place(content, rng) :]


def flip_the_footer(content: bytes, rng: Random) -> bytes:
    """The end of a Parquet file says where everything is, how long, and of which type."""
    begin = max(len(content) - int(rng.integers(1, 400)), 0)
    return content[:begin] + flip(content[begin:], rng)


BYTES = (
    flip,
    flip_a_bit,
    flip_a_bit,
    cut,
    cut_out,
    insert,
    repeat,
    flip_the_footer,
    flip_the_footer,
)


def _changed_rows(change: Callable[[list[list[str]], Random], None]):
    def changed(content: bytes, rng: Random) -> bytes:
        try:
            rows = list(csv.reader(io.StringIO(content.decode("latin-1"), newline="")))
        except csv.Error:
            return content
        if not rows or not rows[0]:
            return content
        change(rows, rng)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode("utf-8", "surrogatepass")

    return changed


def _some(rows: list[list[str]], rng: Random) -> tuple[int, int]:
    row = int(rng.integers(len(rows)))
    return row, int(rng.integers(max(len(rows[row]), 1)))


def _odd_cell(rows: list[list[str]], rng: Random) -> None:
    row, column = _some(rows[1:] or rows, rng)
    target = (rows[1:] or rows)[row]
    if column < len(target):
        target[column] = ODD[int(rng.integers(len(ODD)))]


def _odd_column(rows: list[list[str]], rng: Random) -> None:
    cell = ODD[int(rng.integers(len(ODD)))]
    column = int(rng.integers(len(rows[0])))
    for row in rows[1:]:
        if column < len(row):
            row[column] = cell


def _swap_columns(rows: list[list[str]], rng: Random) -> None:
    one, other = (int(i) for i in rng.integers(len(rows[0]), size=2))
    rows[0][one], rows[0][other] = rows[0][other], rows[0][one]


def _rename(rows: list[list[str]], rng: Random) -> None:
    rows[0][int(rng.integers(len(rows[0])))] = ODD[int(rng.integers(len(ODD)))]


def _twice(rows: list[list[str]], rng: Random) -> None:
    column = int(rng.integers(len(rows[0])))
    for row in rows:
        row.append(row[column] if column < len(row) else "")


def _drop_column(rows: list[list[str]], rng: Random) -> None:
    column = int(rng.integers(len(rows[0])))
    for row in rows:
        del row[column : column + 1]


def _repeat_row(rows: list[list[str]], rng: Random) -> None:
    rows.append(list(rows[int(rng.integers(len(rows)))]))


def _ragged(rows: list[list[str]], rng: Random) -> None:
    rows[int(rng.integers(len(rows)))].append("7")


def _empty(rows: list[list[str]], rng: Random) -> None:
    del rows[1:]


CELLS = tuple(
    _changed_rows(one)
    for one in (
        _odd_cell, _odd_cell, _odd_cell, _odd_column, _odd_column, _swap_columns, _rename, _twice,
        _drop_column, _repeat_row, _ragged, _empty,
    )
)  # fmt: skip


def _changed_frame(change: Callable[[pl.DataFrame, str, Random], pl.DataFrame]):
    def changed(content: bytes, rng: Random) -> bytes:
        try:
            frame = pl.read_parquet(io.BytesIO(content))
            name = frame.columns[int(rng.integers(len(frame.columns)))]
            changed = change(frame, name, rng)
            text = io.BytesIO()
            changed.write_parquet(
                text, compression=str(rng.choice(["zstd", "snappy", "uncompressed"]))
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
            return content
        return text.getvalue()

    return changed


TYPES = (
    pl.Int8, pl.Int32, pl.UInt8, pl.UInt64, pl.Int128, pl.Float32, pl.Float64, pl.String, pl.Boolean, pl.Binary,
    pl.Categorical, pl.Date, pl.Datetime, pl.Duration, pl.Time, pl.Decimal(20, 2), pl.List(pl.Int64), pl.Null,
)  # fmt: skip


def _other_type(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    return frame.with_columns(pl.col(name).cast(TYPES[int(rng.integers(len(TYPES)))], strict=False))


def _nested(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    kind = int(rng.integers(3))
    if kind == 0:
        return frame.with_columns(pl.concat_list(name, name).alias(name))
    if kind == 1:
        return frame.with_columns(pl.struct(name, pl.lit(1).alias("other")).alias(name))
    return frame.with_columns(pl.concat_list(name).reshape((-1, 1)).alias(name))


def _nulls(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    keep = pl.Series(rng.random(frame.height) < rng.random())
    return frame.with_columns(pl.when(keep).then(pl.col(name)).alias(name))


def _odd_numbers(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    odd = (float("nan"), float("inf"), -1.0, 0.0, 0.5, 1e300, -(2.0**63), 2.0**40, 2.0**41, -5.0)
    return frame.with_columns(pl.Series(name, rng.choice(odd, frame.height)))


def _odd_whole_numbers(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    odd = (-(2**63), -2, -1, 0, 1, 2**40 - 1, 2**40, 2**41, 2**62, 2**63 - 1)
    return frame.with_columns(pl.Series(name, rng.choice(odd, frame.height).astype(np.int64)))


def _swapped(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    other = frame.columns[int(rng.integers(len(frame.columns)))]
    return frame if other == name else frame.rename({name: other, other: name})


def _dropped(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    return frame.drop(name)


def _fewer_rows(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    return frame.sample(int(rng.integers(0, 2 * frame.height)), with_replacement=True)


def _texts(frame: pl.DataFrame, name: str, rng: Random) -> pl.DataFrame:
    cells = [ODD[int(i)] for i in rng.integers(len(ODD), size=frame.height)]
    return frame.with_columns(pl.Series(name, cells))


PARQUET = tuple(
    _changed_frame(one)
    for one in (
        _other_type, _other_type, _nested, _nulls, _odd_numbers, _odd_whole_numbers, _swapped, _dropped,
        _fewer_rows, _texts,
    )
)  # fmt: skip
