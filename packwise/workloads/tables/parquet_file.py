"""Parquet files as columns, with every complaint pointing at its row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from packwise.files.table import Table, quote
from packwise.model.errors import FormatError
from packwise.model.workload import LARGEST, Floats, Ints
from packwise.workloads.tables.parquet_trial import trial, unreadable

if TYPE_CHECKING:
    import polars as pl

#: A table of more cells is never in memory as a whole: each column is read when it is asked for.
_MANY = 20_000_000


@dataclass(frozen=True, eq=False)
class ParquetTable(Table):
    """The columns of a Parquet file that were asked for, as far as it has them."""

    path: str
    there: Sequence[str]
    rows: int
    column: Callable[[str], pl.Series]

    def __len__(self) -> int:
        return self.rows

    @property
    def names(self) -> Sequence[str]:
        return self.there

    def texts(self, name: str) -> list[str]:
        return ["" if cell is None else str(cell) for cell in self.column(name).to_list()]

    def coded(self, name: str) -> tuple[list[str], Ints]:
        import polars as pl

        column = self.column(name)
        if column.dtype != pl.String:
            return super().coded(name)
        words = sorted({*column.drop_nulls().unique().to_list(), ""})
        places = column.cast(pl.Enum(words)).to_physical().fill_null(0).to_numpy()
        return words[1:], places.astype(np.int64) - 1

    def whole(self, name: str) -> Ints:
        """The column itself where it holds whole numbers: those of millions of jobs have no room for more."""
        import polars as pl

        column = self.column(name)
        if not column.dtype.is_integer():
            return super().whole(name)
        wide = column.cast(pl.Int64, strict=False)
        if wide.null_count() or not wide.is_between(-LARGEST, LARGEST).all():
            return super().whole(name)
        numbers: Ints = wide.to_numpy()
        numbers.setflags(write=False)
        return numbers

    def quoted(self, name: str, row: int) -> str:
        (cell,) = self.column(name).slice(row, 1).to_list()
        return quote("" if cell is None else str(cell))

    def refusal(self, row: int, expected: str, found: str, remedy: str = "") -> FormatError:
        return FormatError(self.path, row=row + 1, expected=expected, found=found, remedy=remedy)

    def loose_numbers(self, name: str) -> Floats:
        import polars as pl

        column = self.column(name)
        if not column.dtype.is_numeric():
            return np.full(len(column), np.nan)
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def read_parquet_table(
    path: str | os.PathLike[str], content: bytes, wanted: Iterable[str], *, trusted: bool = False
) -> ParquetTable:
    """Those of the columns ``wanted`` that a Parquet file has; unit_* stands for all that begin so.

    ``trusted``: its bytes are known to be what was written, so there is no need for a trial.
    """
    import polars as pl

    wanted = list(wanted)
    if not trusted:
        trial(path, content, wanted)
    with _refused(path):
        schema = pl.read_parquet_schema(BytesIO(content))
        there = [name for name in schema if any(fnmatchcase(name, one) for one in wanted)]
        rows = int(pl.scan_parquet(BytesIO(content)).select(pl.len()).collect().item())
    if there and not rows:
        raise FormatError(str(path), expected="a Parquet file with at least one job", found="none")

    def column(name: str) -> pl.Series:
        with _refused(path):
            return pl.read_parquet(BytesIO(content), columns=[name])[name]

    if rows * len(there) > _MANY:
        return ParquetTable(str(path), there, rows, column)
    with _refused(path):
        frame = pl.read_parquet(BytesIO(content), columns=there)
    return ParquetTable(str(path), there, rows, frame.get_column)


@contextmanager
def _refused(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say that a file is damaged where Polars cannot read it."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(path, str(error).split("\n", 1)[0][:200]) from error
