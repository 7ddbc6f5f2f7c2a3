"""Records as lines of cells without quotes: ``sacct -P``, with or without a header."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import NamedTuple

from packwise.files.content import file_blocks
from packwise.files.table import quote
from packwise.model.errors import FormatError, InputError
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.judge import Judge
from packwise.workloads.records.meanings import (
    FREE_TEXT,
    LAYOUTS,
    SACCT,
    Meaning,
    is_sacct,
    sacct_columns,
)
from packwise.workloads.records.rows import blocks_of_lines, mend, split_lines
from packwise.workloads.records.times import Clock

SEPARATORS = "|\t;,"
_BLOCK = 1 << 24
#: In place of an id, in a header further down: the name of that column or, if it has others, of another.
_TITLES = list(SACCT)


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
        judge = Judge(names, sacct_columns(names))
        if rows and any(map(judge.plausible, rows)):
            return Layout(names, "|", False)
    return None


def read_sacct(path: str | os.PathLike[str], layout: Layout, clock: Clock) -> Records:
    """The records that sacct wrote."""
    names, separator, header = layout
    counts = Counter(names)
    if twice := next((name for name in names if name and counts[name] > 1), ""):
        raise FormatError(
            str(path), line=1, expected="each column once", found=f"{quote(twice)} twice"
        )
    meanings = sacct_columns(names)
    title = separator.join(names)
    judge = Judge(names, meanings)
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
    free = [place for place, name in enumerate(names) if name.lower() in FREE_TEXT]
    rows, lost = mend(broken, separator, len(names), free, judge.plausible)
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
