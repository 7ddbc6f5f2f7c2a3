"""Parquet files as columns, with every complaint pointing at its row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from packwise.files.table import Table
from packwise.model.errors import FormatError
from packwise.model.workload import Floats
from packwise.workloads.tables.parquet_trial import trial, unreadable

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class ParquetTable(Table):
    """The columns of a Parquet file that were asked for, as far as it has them."""

    path: str
    frame: pl.DataFrame

    def __len__(self) -> int:
        return self.frame.height

    @property
    def names(self) -> Sequence[str]:
        return self.frame.columns

    def texts(self, name: str) -> list[str]:
        return ["" if cell is None else str(cell) for cell in self.frame[name].to_list()]

    def refusal(self, row: int, expected: str, found: str, remedy: str = "") -> FormatError:
        return FormatError(self.path, row=row + 1, expected=expected, found=found, remedy=remedy)

    def loose_numbers(self, name: str) -> Floats:
        import polars as pl

        column = self.frame[name]
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
    try:
        schema = pl.read_parquet_schema(BytesIO(content))
        there = [name for name in schema if any(fnmatchcase(name, one) for one in wanted)]
        frame = pl.read_parquet(BytesIO(content), columns=there)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(path, str(error).split("\n", 1)[0][:200]) from error
    if there and not frame.height:
        raise FormatError(str(path), expected="a Parquet file with at least one job", found="none")
    return ParquetTable(str(path), frame)
