"""Records as lines of cells: ``sacct -P``, with or without a header; CSV whose columns are known, or
explained.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from typing import NamedTuple

from packwise.files.content import file_blocks
from packwise.files.table import quote
from packwise.model.errors import FormatError, InputError
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.meanings import (
    FREE_TEXT,
    LAYOUTS,
    SACCT,
    TIMES,
    Meaning,
    is_sacct,
    sacct_columns,
)
from packwise.workloads.records.rows import blocks_of_lines, mend, split_lines
from packwise.workloads.records.times import Clock
from packwise.workloads.records.values import NOT_TOLD, WRONG, job_number, seconds, whole

SEPARATORS = "|\t;,"
_BLOCK = 1 << 24
#: In place of an id, in a header further down: the name of that column or, if it has others, of another.
_TITLES = list(SACCT)
_BATCH = 100_000
#: A cell that is longer is no cell.
_LONGEST = 1_000_000


class Layout(NamedTuple):
    """How the lines of a file are made: the names of the cells, what stands between them, and whether the first
    line is a header.
    """

    names: tuple[str, ...]
    separator: str
    header: bool


def sacct_layout(lines: Sequence[str], columns: str = "") -> Layout | None:
    """The layout of what sacct wrote, by its first lines; None if it is something else.

    ``columns``: the names of the columns where there is no header, as they were given to ``sacct --format``.
    """
    first = lines[0] if lines else ""
    if columns:
        names = tuple(name.strip() for name in columns.split(","))
        found = {name.lower(): name for name in names}
        if not is_sacct(names) or len(found) != len(names):
            raise InputError(
                "--columns: expected the names that sacct was given with --format, each once, JobID and "
                f"Submit among them, found '{columns[:100]}'."
            )
        separator = max(SEPARATORS[:-1], key=first.count)
        return Layout(
            names, separator, first.split(separator)[0].strip().lower() == names[0].lower()
        )
    for separator in SEPARATORS:
        names = tuple(name.strip() for name in first.split(separator))
        if len(names) > 3 and is_sacct(names):
            return Layout(names, separator, True)
    for names in LAYOUTS:
        rows = [line.split("|") for line in lines if line.count("|") == len(names) - 1]
        judge = Judge(names)
        if rows and any(map(judge.plausible, rows)):
            return Layout(names, "|", False)
    return None


class Judge:
    """Whether cells are what their columns say, by those columns of which that can be told."""

    def __init__(self, names: Sequence[str]) -> None:
        meanings = sacct_columns(names)
        self.checks = [
            (place, meanings[name].name) for place, name in enumerate(names) if name in meanings
        ]
        self.free = [place for place, name in enumerate(names) if name.lower() in FREE_TEXT]

    def plausible(self, row: Sequence[str]) -> bool:
        """Times are times, durations durations, ids ids."""
        for place, meaning in self.checks:
            cell = row[place].strip()
            if meaning in ("id", "raw_id"):
                found = job_number(cell)
                if found.number < 0 and not found.step:
                    return False
            elif meaning in TIMES:
                if not _is_time(cell):
                    return False
            elif meaning in ("elapsed", "limit"):
                known = cell.lower() in (*NOT_TOLD, "unlimited", "partition_limit")
                if not known and seconds(cell) == WRONG:
                    return False
            elif meaning in ("cpus", "nodes", "req_cpus", "req_nodes", "priority"):
                if whole(cell) == WRONG:
                    return False
            elif meaning == "state" and (
                not cell or not cell.split(" ")[0].rstrip("+").replace("_", "").isalpha()
            ):
                return False
        return True


def _is_time(cell: str) -> bool:
    if cell.lower() in NOT_TOLD or (cell.isascii() and cell.isdigit()):
        return True
    return (
        len(cell) >= 16
        and cell[4] == "-"
        and cell[7] == "-"
        and cell[:4].isdigit()
        and cell[10] in "T "
    )


def read_sacct(path: str | os.PathLike[str], layout: Layout, clock: Clock) -> Records:
    """The records that sacct wrote."""
    names, separator, header = layout
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise FormatError(
            str(path), line=1, expected="each column once", found=f"{quote(twice)} twice"
        )
    meanings = sacct_columns(names)
    title = separator.join(names)
    judge = Judge(names)
    collector = Collector(str(path), "sacct", clock)
    line = 1
    broken: list[tuple[int, str]] = []
    for block in blocks_of_lines(file_blocks(path, _BLOCK)):
        lines = split_lines(block, separator, len(names))
        broken += [
            (line + place, text.decode(errors="replace").rstrip("\r")) for place, text in lines.bad
        ]
        line += lines.lines
        if lines.good:
            _take(collector, lines.good, names, separator, meanings, title)
    rows, lost = mend(broken, separator, len(names), judge.free, judge.plausible)
    if rows:
        import polars as pl

        cells = list(zip(*rows, strict=True))
        collector.add(
            {
                name: (meaning, pl.Series(cells[names.index(name)]))
                for name, meaning in meanings.items()
            }
        )
    for number, text in lost:
        collector.refuse(number, text, f"{text.count(separator) + 1} cells instead of {len(names)}")
    if header and collector.left_out.get("headers") == 1:
        del collector.left_out["headers"]  # its own
    unused = [name for name in names if name and name not in meanings]
    return collector.records(unused=tuple(unused))


def _take(
    collector: Collector,
    block: bytes,
    names: Sequence[str],
    separator: str,
    meanings: Mapping[str, Meaning],
    title: str,
) -> None:
    """The whole lines of a block."""
    import polars as pl

    places = [place for place, name in enumerate(names) if name in meanings]
    try:
        frame = pl.read_csv(
            BytesIO(block),
            has_header=False,
            separator=separator,
            quote_char=None,
            infer_schema=False,
            columns=places,
            encoding="utf8-lossy",
            truncate_ragged_lines=False,
        )
    except pl.exceptions.PolarsError as error:
        raise FormatError(
            collector.path,
            expected=f"lines of {len(names)} cells",
            found=str(error).split("\n", 1)[0][:120],
        ) from error
    frame.columns = [names[place] for place in places]
    ids = next(name for name in frame.columns if meanings[name].name in ("id", "raw_id"))
    titles = frame[ids].str.strip_chars().str.to_lowercase().is_in(_TITLES).fill_null(False)
    if titles.any():
        other = frame.filter(titles).unique().fill_null("")
        if other.height > 1 or list(other.row(0)) != _same_words(frame.columns, other.row(0)):
            raise FormatError(
                collector.path,
                expected=f"the same columns throughout ({title[:80]}...)",
                found="another header further down",
                remedy="Read the files that were put together one by one.",
            )
        collector.leave_out("headers", int(titles.sum()))
        frame = frame.filter(~titles)
    collector.add({name: (meanings[name], frame[name]) for name in frame.columns})


def _same_words(names: Sequence[str], row: Sequence[str]) -> list[str]:
    """The row itself, if it has these names, whatever their case; otherwise nothing like it."""
    same = [cell.strip().lower() for cell in row] == [name.strip().lower() for name in names]
    return list(row) if same else []


def read_csv(
    path: str | os.PathLike[str],
    title: str,
    separator: str,
    meanings: Mapping[str, Meaning],
    clock: Clock,
) -> Records:
    """The records of a CSV file with a header, cells in quotes where they need it."""
    import polars as pl

    collector = Collector(str(path), title, clock)
    stream = TextIOWrapper(
        _Stream(file_blocks(path, _BLOCK)), "utf-8", errors="replace", newline=""
    )
    limit = csv.field_size_limit(_LONGEST)
    try:
        reader = csv.reader(stream, delimiter=separator)
        names = [name.strip() for name in next(reader, [])]
        for name in meanings:
            if name not in names:
                raise FormatError(
                    str(path),
                    line=1,
                    expected=f"a column '{name}'",
                    found=f"columns {', '.join(names)[:200]}",
                )
        places = {name: names.index(name) for name in meanings}
        held: list[list[str]] = []
        ended = False
        while not ended:
            try:
                row = next(reader, None)
            except csv.Error as error:
                collector.refuse(reader.line_num, "", str(error))
                continue
            if row is None:
                ended = True
            elif len(row) == len(names):
                held.append(row)
            elif row:
                collector.refuse(
                    reader.line_num,
                    separator.join(row),
                    f"{len(row)} cells instead of {len(names)}",
                )
            if held and (ended or len(held) >= _BATCH):
                collector.add(
                    {
                        name: (
                            meaning,
                            pl.Series([one[places[name]] for one in held], dtype=pl.String),
                        )
                        for name, meaning in meanings.items()
                    }
                )
                held = []
    finally:
        csv.field_size_limit(limit)
    return collector.records(unused=tuple(name for name in names if name and name not in meanings))


class _Stream(BytesIO):
    """Blocks as a file that can be read from."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self._blocks = blocks
        self._held = b""

    def read1(self, size: int | None = -1, /) -> bytes:
        return self.read(size)

    def read(self, size: int | None = -1, /) -> bytes:
        if not self._held:
            self._held = next(self._blocks, b"")
        if size is None or size < 0:
            rest, self._held = self._held + b"".join(self._blocks), b""
            return rest
        part, self._held = self._held[:size], self._held[size:]
        return part
