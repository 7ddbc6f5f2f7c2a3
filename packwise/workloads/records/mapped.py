"""Parquet files of any site whose columns are explained with --map."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from packwise.files.content import file_content
from packwise.model.errors import FormatError
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.meanings import Meaning
from packwise.workloads.records.times import Clock
from packwise.workloads.tables.parquet_file import read_parquet_table


def read_mapped_parquet(
    path: str | os.PathLike[str], meanings: Mapping[str, Meaning], clock: Clock
) -> Records:
    """The records of the file, by the columns that are explained."""
    table = read_parquet_table(path, file_content(path), list(meanings))
    for name in meanings:
        if name not in table:
            raise FormatError(
                str(path),
                expected=f"a column '{name}'",
                found=f"columns {', '.join(table.names) or 'of another table'}",
            )
    collector = Collector(str(path), f"table of {Path(path).name}", clock)
    collector.add({name: (meaning, table.column(name)) for name, meaning in meanings.items()})
    return collector.records()
