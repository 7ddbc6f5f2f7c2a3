"""A site's records by their content: who reads a file, if one of the readers does."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from packwise.files.content import file_head
from packwise.model.errors import FormatError, InputError
from packwise.model.time_zone import zone_named
from packwise.workloads.records.batsim_json import is_batsim_json, read_batsim_json
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.delimited import SEPARATORS, read_csv, read_sacct, sacct_layout
from packwise.workloads.records.key_values import (
    is_pbs_lines,
    is_slurm_lines,
    read_pbs,
    read_slurm_lines,
)
from packwise.workloads.records.mapped import read_mapped_parquet
from packwise.workloads.records.meanings import known_table, parse_map
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
    return None if reader is None else reader(clock)


def find_reader(
    path: str | os.PathLike[str], *, columns: str = "", mapping: tuple[str, ...] = ()
) -> Callable[[Clock], Records] | None:
    """Who reads the records of a file, by how it begins; None if it is something else."""
    head = file_head(path, _HEAD)
    if head.startswith(b"PAR1"):
        return partial(read_mapped_parquet, path, parse_map(mapping)) if mapping else None
    text = head.decode(errors="replace")
    lines = [line.rstrip("\r") for line in text.split("\n")[:_LINES] if line.strip()]
    if mapping:
        return _mapped(path, lines, mapping)
    layout = sacct_layout(lines, columns)
    if layout is not None:
        return partial(read_sacct, path, layout)
    if text.lstrip().startswith("{"):
        return _json_reader(path)
    if is_pbs_lines(head):
        return partial(read_pbs, path)
    if is_slurm_lines(head):
        return partial(read_slurm_lines, path)
    if not lines or lines[0].lstrip().startswith(_SWF_STARTS):
        return None
    for separator in SEPARATORS:
        names = [name.strip() for name in lines[0].split(separator)]
        if (table := known_table(names)) is not None:
            return partial(read_csv, path, table[0], separator, table[1])
    _refuse_unknown_bars(path, lines)
    return None


def _json_reader(path: str | os.PathLike[str]) -> Callable[[Clock], Records]:
    document = load_json(path)
    if is_batsim_json(document):
        return partial(read_batsim_json, path, document)
    if is_slurm_json(document):
        return partial(read_slurm_json, path, document)
    raise FormatError(
        str(path),
        expected="jobs as sacct --json, squeue --json or Batsim write them",
        found=f"JSON with {', '.join(map(repr, list(document)[:5]))}",
    )


def _mapped(
    path: str | os.PathLike[str], lines: list[str], mapping: tuple[str, ...]
) -> Callable[[Clock], Records]:
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
    return partial(read_csv, path, f"table of {Path(path).name}", separator, meanings)


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
