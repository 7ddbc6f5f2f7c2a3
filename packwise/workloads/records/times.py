"""Moments in records: Unix seconds, or dates and times by the site's clock, to Unix seconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np

from packwise.model.time_zone import zone_named
from packwise.model.workload import LARGEST, UNKNOWN, Ints
from packwise.workloads.records.values import WRONG, is_told

if TYPE_CHECKING:
    import polars as pl

_LAYOUT = "%Y-%m-%dT%H:%M:%S"


class Clock:
    """Reads moments by the clock of a zone; UTC, if none is known. ``local``: whether it was looked at."""

    def __init__(self, zone: tzinfo | None = None, name: str = "") -> None:
        self.zone = zone or UTC
        self.name = name
        self.local = False

    def unix(self, cells: pl.Series) -> Ints:
        """Unix seconds; UNKNOWN where a cell tells nothing, WRONG where it cannot be read."""
        import polars as pl

        if cells.dtype.is_temporal():
            return self._dates(cells)
        if cells.dtype.is_numeric():
            return _in_range(cells.cast(pl.Float64).fill_null(UNKNOWN).fill_nan(UNKNOWN).to_numpy())
        text = cells.cast(pl.String).fill_null("").str.strip_chars()
        found = text.str.to_integer(strict=False)
        if found.null_count():
            dates = text.str.replace(" ", "T", literal=True).str.to_datetime(_LAYOUT, strict=False)
            if dates.null_count() < len(dates):
                self.local = True
                found = found.fill_null(_seconds(self._zoned(dates)))
        rest = found.is_null()
        if rest.any():
            found = found.fill_null(by_text(text.filter(rest), self._one, rest))
        return _in_range(found.cast(pl.Float64).to_numpy())

    def _dates(self, cells: pl.Series) -> Ints:
        import polars as pl

        if getattr(cells.dtype, "time_zone", None) is None:
            self.local = True
            cells = self._zoned(cells.cast(pl.Datetime("us")))
        return _in_range(_seconds(cells).cast(pl.Float64).fill_null(UNKNOWN).to_numpy())

    def _zoned(self, dates: pl.Series) -> pl.Series:
        """In a night that has an hour twice, its first; ``rules`` corrects that where run times tell better."""
        import polars as pl

        if not self.name:
            return dates
        try:
            return dates.dt.replace_time_zone(self.name, ambiguous="earliest", non_existent="null")
        except pl.exceptions.PolarsError:  # a zone that only the system knows
            return pl.Series([None] * len(dates), dtype=pl.Datetime("us"))

    def _one(self, text: str) -> int:
        """A moment that is written in another way: with an offset, or decimals."""
        if not is_told(text):
            return UNKNOWN
        try:
            seconds = float(text) if "_" not in text else float("nan")
            return int(seconds) if abs(seconds) <= LARGEST else WRONG
        except (ValueError, OverflowError):
            pass
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                self.local = True
                moment = moment.replace(tzinfo=self.zone)
            return int(moment.timestamp() // 1)
        except (ValueError, OverflowError, OSError):
            return WRONG


def by_text(
    cells: pl.Series, read: Callable[[str], int], where: pl.Series | None = None
) -> pl.Series:
    """Cells as numbers: each different text is read once. With ``where``, ``cells`` are those of the rows that
    it picks, and the other rows are null.
    """
    import polars as pl

    different = cells.unique()
    values = pl.Series([read(text) for text in different.to_list()], dtype=pl.Int64)
    found = cells.replace_strict(different, values, return_dtype=pl.Int64)
    if where is None:
        return found
    whole = np.zeros(len(where), np.int64)
    picked = where.to_numpy()
    whole[picked] = found.to_numpy()
    return pl.Series(whole).set(~where, None)


def comes_twice(unix: int, zone: str) -> bool:
    """Whether the clock shows the same an hour later: the moment lies in an hour that comes twice."""
    first, second = (datetime.fromtimestamp(at, zone_named(zone)) for at in (unix, unix + 3600))
    return first.replace(tzinfo=None) == second.replace(tzinfo=None)


def _seconds(dates: pl.Series) -> pl.Series:
    return dates.dt.epoch("s")


def _in_range(values: np.ndarray) -> Ints:
    found = np.floor(values)
    found = np.where(np.abs(found) <= LARGEST, found, WRONG)
    return np.where((found < 0) & (found != WRONG), UNKNOWN, found).astype(np.int64)
