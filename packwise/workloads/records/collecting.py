"""Cells of records to columns of whole numbers and names, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, UNKNOWN, Ints
from packwise.workloads.records import values
from packwise.workloads.records.meanings import (
    DURATION_UNITS,
    MEMORY_UNITS,
    NAMED,
    TIMES,
    WHOLE,
    Meaning,
)
from packwise.workloads.records.resources import resources
from packwise.workloads.records.times import Clock, by_text

if TYPE_CHECKING:
    import polars as pl

#: The columns of records, besides names: see ``meanings``. ``task`` and ``component``: places in an array and
#: in a heterogeneous job; ``number``: that of the id, where ``raw_id`` is another.
COLUMNS = (
    "raw_id", "number", "task", "component", *TIMES, "elapsed", "wait", "limit", *WHOLE, "memory", "exit_code",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a file, in its order, as columns; UNKNOWN where a record, or the file, does not tell.

    ``left_out``: lines that are no records of jobs, by reason; ``wrong``: of those, examples with their lines.
    ``told`` are the meanings that the file has columns for, ``unused`` columns that nothing was made of.
    ``of_queue``: it shows a queue at one moment, with some who have just ended.
    """

    path: str
    format: str
    columns: Mapping[str, Ints]
    names: Mapping[str, tuple[str, ...]]
    told: frozenset[str]
    left_out: Mapping[str, int]
    wrong: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    time_zone: str = ""
    local_times: bool = False
    procs: int | None = None
    of_queue: bool = False

    def __len__(self) -> int:
        return len(self.columns["submit"])

    @property
    def tells_starts(self) -> bool:
        """Whether they are of jobs that have run, and not of jobs to be run."""
        return bool(self.told & {"start", "wait", "end"})


@dataclass(eq=False)
class Collector:
    """Takes batches of cells and becomes Records."""

    path: str
    format: str
    clock: Clock
    left_out: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _parts: dict[str, list[Ints]] = field(default_factory=dict)
    _numbers: dict[str, dict[str, int]] = field(default_factory=dict)

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Count lines that are no record of a job."""
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count

    def refuse(self, line: int, text: str, why: str) -> None:
        """Count a line that cannot be read; the first few are quoted."""
        self.leave_out("unreadable")
        if len(self.wrong) < _EXAMPLES:
            shown = text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
            self.wrong.append(f"line {line:,}: {why}: {shown!r}")

    def add(self, cells: Mapping[str, tuple[Meaning, pl.Series]]) -> None:
        """Take a batch: by column, what it means and its cells."""
        found: dict[str, Ints] = {}
        self._told |= {meaning.name for meaning, _ in cells.values()}
        length = len(next(iter(cells.values()))[1]) if cells else 0
        if not length:
            return
        for meaning, column in cells.values():
            found |= self._read(meaning, column)
        found |= resources(found, length)
        keep = None
        if (step := found.pop("step", None)) is not None and step.any():
            keep = step == 0
            self.leave_out("steps of jobs", int(step.sum()))
        for name in (*COLUMNS, *NAMED):
            numbers = found.get(name, np.full(length, UNKNOWN, np.int64))
            self._parts.setdefault(name, []).append(numbers if keep is None else numbers[keep])

    def _read(self, meaning: Meaning, cells: pl.Series) -> dict[str, Ints]:
        name, unit = meaning
        if name in TIMES:
            return {name: self.clock.unix(cells)}
        if name in NAMED:
            return {name: self._coded(name, cells)}
        if name == "id":
            return _ids(cells)
        if name in ("alloc_tres", "req_tres"):
            return _tres("had" if name == "alloc_tres" else "asked", cells)
        if name == "req_mem":
            return _requested(cells)
        if name == "gres":
            return {"gres": _each(cells, values.gpus_of)}
        if name == "memory":
            size, _, each = unit.lower().partition("/")
            plain = MEMORY_UNITS.get(size, "m")
            amounts = _each(cells, lambda text: values.megabytes(text, plain))
            return {"memory" if not each else f"memory_each_{each}": amounts}
        if name in ("elapsed", "wait", "limit"):
            width = DURATION_UNITS.get(unit.lower(), 1)
            read = values.limit if name == "limit" else values.seconds
            return {name: _numbers(cells, lambda text: read(text, width), width)}
        if name == "exit_code":
            return {name: _each(cells, values.exit_code)}
        return {name: _numbers(cells, values.whole, 1)}

    def _coded(self, name: str, cells: pl.Series) -> Ints:
        """Names as numbers, whichever; a workload has them in alphabetical order."""
        import polars as pl

        known = self._numbers.setdefault(name, {})
        tidy: Callable[[str], str] = values.state_name if name == "state" else str.strip

        def number(text: str) -> int:
            word = tidy(text)
            empty = not word or (name != "name" and not values.is_told(word))
            return UNKNOWN if empty else known.setdefault(word, len(known))

        return by_text(cells.cast(pl.String).fill_null(""), number).to_numpy()

    def records(self, **facts: Any) -> Records:
        """All that was taken."""
        if not self._parts or not sum(map(len, self._parts["submit"])):
            self._refuse_empty()
        columns = {}
        for name in list(self._parts):
            columns[name] = np.concatenate(self._parts.pop(name))
        return Records(
            path=self.path,
            format=self.format,
            columns=columns,
            names={name: tuple(words) for name, words in self._numbers.items()},
            told=frozenset(self._told),
            left_out=dict(self.left_out),
            wrong=tuple(self.wrong),
            time_zone=self.clock.name,
            local_times=self.clock.local,
            **facts,
        )

    def _refuse_empty(self) -> None:
        counted = ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items())
        first = f" The first: {self.wrong[0]}." if self.wrong else ""
        raise InputError(
            f"{self.path}: expected records of jobs ({self.format}), found none"
            f"{f': {counted}' if counted else ''}.{first}"
        )


_EXAMPLES, _QUOTED = 3, 120


def _numbers(cells: pl.Series, read: Callable[[str], int], scale: float) -> Ints:
    """A column of numbers; what is no plain number is read text by text."""
    import polars as pl

    if cells.dtype.is_numeric():
        cells = cells.cast(pl.Float64).fill_nan(None)
        return by_text(cells.cast(pl.String).fill_null(""), read).to_numpy()
    text = cells.cast(pl.String).fill_null("").str.strip_chars()
    found = text.str.to_integer(strict=False)
    if (
        found.null_count() == len(found)
        or (found.abs() > LARGEST // max(scale, 1)).any()
        or scale != int(scale)
    ):
        return by_text(text, read).to_numpy()
    rest = found.is_null()
    found = pl.select(pl.when(found < 0).then(UNKNOWN).otherwise(found * int(scale))).to_series()
    return (
        found.fill_null(by_text(text.filter(rest), read, rest)).to_numpy()
        if rest.any()
        else found.to_numpy()
    )


def _each(cells: pl.Series, read: Callable[[str], int]) -> Ints:
    import polars as pl

    return by_text(cells.cast(pl.String).fill_null(""), read).to_numpy()


def _ids(cells: pl.Series) -> dict[str, Ints]:
    """Ids in parts. Nearly all are plain numbers, and different: those need no reading one by one."""
    import polars as pl

    text = cells.cast(pl.String).fill_null("").str.strip_chars()
    number = text.str.to_integer(strict=False)
    plain = number.is_not_null() & number.is_between(0, 10**12)
    told = np.where(plain, number.fill_null(0).to_numpy(), UNKNOWN)
    found = {"number": told.astype(np.int64)}
    found |= {name: np.full(len(text), UNKNOWN, np.int64) for name in ("task", "component")}
    found["step"] = np.zeros(len(text), np.int64)
    where = np.flatnonzero(~plain.to_numpy())
    for i, one in zip(where.tolist(), text.filter(~plain).to_list(), strict=True):
        parts = values.job_number(one)
        found["number"][i], found["task"][i] = parts.number, parts.task
        found["component"][i], found["step"][i] = parts.component, parts.step
    return found


def _tres(prefix: str, cells: pl.Series) -> dict[str, Ints]:
    """What TRES tell of each job."""
    import polars as pl

    text = cells.cast(pl.String).fill_null("")
    different = text.unique()
    parsed = [values.tres(one) for one in different.to_list()]
    table = np.array(parsed, np.int64).reshape(-1, len(values.Tres._fields))
    numbers = pl.Series(range(len(different)), dtype=pl.Int64)
    place = text.replace_strict(different, numbers, return_dtype=pl.Int64).to_numpy()
    return {f"{prefix}_{name}": table[place, k] for k, name in enumerate(values.Tres._fields)}


def _requested(cells: pl.Series) -> dict[str, Ints]:
    import polars as pl

    text = cells.cast(pl.String).fill_null("")
    amount = by_text(text, lambda one: values.requested_memory(one).megabytes)
    each = by_text(text, lambda one: " nc".index(values.requested_memory(one).each or " "))
    return {"req_mem": amount.to_numpy(), "req_mem_each": each.to_numpy()}
