"""A site's records by their content: who reads a file, if one of the readers does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from packwise.files.content import file_head
from packwise.model.errors import FormatError, InputError
from packwise.model.time_zone import zone_named
from packwise.workloads.records.batsim_json import is_batsim_json, read_batsim_json
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.delimited import SEPARATORS, read_sacct, sacct_layout
from packwise.workloads.records.key_values import (
    is_pbs_lines,
    is_slurm_lines,
    read_pbs,
    read_slurm_lines,
)
from packwise.workloads.records.mapped import read_mapped_parquet
from packwise.workloads.records.meanings import Meaning, known_table, parse_map, sacct_columns
from packwise.workloads.records.quoted import read_csv
from packwise.workloads.records.slurm_json import is_slurm_json, load_json, read_slurm_json
from packwise.workloads.records.times import Clock

_HEAD = 1 << 16
_LINES = 50
#: An SWF line, or a comment above it.
_SWF_STARTS = (";", "#")


def read_records(
    path: str | os.PathLike[str],
    *,
    time_zone: str = "",
    columns: str = "",
    mapping: tuple[str, ...] = (),
) -> Records | None:
    """The records of a file; None if it is something else: SWF, or a table of Packwise's own.

    ``time_zone``: that of the site, for times without one; ``columns``: the names of sacct's columns, where
    there is no header; ``mapping``: what the columns of any other table mean.
    """
    clock = Clock(zone_named(time_zone), time_zone) if time_zone else Clock()
    reader = find_reader(path, columns=columns, mapping=mapping)
    return None if reader is None else reader.read(clock)


class Reader(NamedTuple):
    """Reads the records of a file. ``tells_starts``: whether they are of jobs that ran, not of jobs to run."""

    read: Callable[[Clock], Records]
    tells_starts: bool = True


def find_reader(
    path: str | os.PathLike[str], *, columns: str = "", mapping: tuple[str, ...] = ()
) -> Reader | None:
    """Who reads the records of a file, by how it begins; None if it is something else."""
    if Path(path).exists() and not Path(path).is_file():
        return None  # a pipe can be read once: it has to be SWF
    head = file_head(path, _HEAD)
    if head.startswith(b"PAR1"):
        explained = parse_map(mapping)
        return (
            _explained(partial(read_mapped_parquet, path, explained), explained)
            if mapping
            else None
        )
    text = head.decode(errors="replace")
    lines = [line.rstrip("\r") for line in text.split("\n")[:_LINES] if line.strip()]
    if mapping:
        return _mapped(path, lines, mapping)
    layout = sacct_layout(lines, columns)
    if layout is not None:
        return _explained(partial(read_sacct, path, layout), sacct_columns(layout.names))
    if text.lstrip().startswith("{"):
        return _json_reader(path)
    if is_pbs_lines(head):
        return Reader(partial(read_pbs, path))
    if is_slurm_lines(head):
        return Reader(partial(read_slurm_lines, path))
    if not lines or lines[0].lstrip().startswith(_SWF_STARTS):
        return None
    for separator in SEPARATORS:
        names = [name.strip() for name in lines[0].split(separator)]
        if (table := known_table(names)) is not None:
            return _explained(partial(read_csv, path, table[0], separator, table[1]), table[1])
    _refuse_unknown_bars(path, lines)
    _refuse_lookalikes(path, lines)
    return None


def _explained(read: Callable[[Clock], Records], columns: Mapping[str, Meaning]) -> Reader:
    told = {meaning.name for meaning in columns.values()}
    return Reader(read, bool(told & {"start", "wait", "end"}))


def _json_reader(path: str | os.PathLike[str]) -> Reader:
    document = load_json(path)
    if is_batsim_json(document):
        return Reader(partial(read_batsim_json, path, document), False)
    if is_slurm_json(document):
        return Reader(partial(read_slurm_json, path, document))
    raise FormatError(
        str(path),
        expected="jobs as sacct --json, squeue --json or Batsim write them",
        found=f"JSON with {', '.join(map(repr, list(document)[:5]))}",
    )


def _mapped(path: str | os.PathLike[str], lines: list[str], mapping: tuple[str, ...]) -> Reader:
    meanings = parse_map(mapping)
    told = {meaning.name for meaning in meanings.values()}
    for needed, words in (
        (("id", "raw_id"), "id"),
        (("submit", "eligible"), "submit"),
        (("cpus", "alloc_tres"), "cpus"),
    ):
        if not told & set(needed):
            raise InputError(
                f"--map: expected a column that means '{words}', found {', '.join(sorted(told))}."
            )
    if not told & {"elapsed", "end"}:
        raise InputError(
            "--map: expected a column that means 'elapsed' or 'end', so that run times are known."
        )
    first = lines[0] if lines else ""
    separator = max(
        SEPARATORS, key=lambda one: sum(name.strip() in meanings for name in first.split(one))
    )
    read = partial(read_csv, path, f"table of {Path(path).name}", separator, meanings)
    return _explained(read, meanings)


def _refuse_lookalikes(path: str | os.PathLike[str], lines: list[str]) -> None:
    """What is nearly a file that can be read: tables for people, JSON without its outermost braces."""
    first = lines[0].strip()
    if first.startswith("[") and first[1:2] in ("", "{", " "):
        raise FormatError(
            str(path),
            line=1,
            expected='an object with "jobs", as sacct --json writes it',
            found="a JSON array",
        )
    if first.lower().startswith("jobid") and len(lines) > 1 and set(lines[1].strip()) <= {"-", " "}:
        raise FormatError(
            str(path),
            line=1,
            expected="cells between bars",
            found="a table for people",
            remedy="Ask sacct again, with --parsable2.",
        )


def _refuse_unknown_bars(path: str | os.PathLike[str], lines: list[str]) -> None:
    """Lines of cells between bars that are none of the layouts that are known."""
    bars = lines[0].count("|")
    if bars < 3:
        return
    raise FormatError(
        str(path),
        line=1,
        expected="the names of sacct's columns (JobID|...|Submit|...), or one of the layouts that are known "
        "without a header",
        found=f"{bars + 1} cells: '{lines[0][:60]}...'",
        remedy="Say what the columns are, as sacct --format was given them: --columns JobID,User,Submit,...",
    )
