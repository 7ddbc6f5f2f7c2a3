"""The index of a store: all records as one table, so that 100,000 of them are listed in a moment.

It is derived. A row counts while the record's file is the one that it was made from (by number, times and
size), and the schedule has the size it had; otherwise the record is read again. The table as a whole counts
only if it is what was written here: ``index.sha256`` has its checksum, which depends on the folder as well, so
that the index of another store, or one that came with a copied store, is not believed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packwise.files.output import atomic_output
from packwise.model.errors import OutputError
from packwise.model.sizing import Sizing

if TYPE_CHECKING:
    import polars as pl

INDEX, SEAL = "index.parquet", "index.sha256"

#: What a row says beside the metrics, and what kind of value it is.
FACTS: dict[str, type] = {
    "key": str,
    "workload": str,
    "machine": str,
    "policy": str,
    "estimate": str,
    "replica": int,
    "jobs": int,
    "rejected": int,
    "too_wide": int,
    "procs": int,
    "rounds": int,
    "seconds": float,
    "compiled": bool,
    "reproducible": bool,
    "guess": str,
    "doubt": str,
    "bytes": int,
    "written": str,
    "stamp": str,
}
_AXES = ("workload", "machine", "policy", "estimate")


def read_index(folder: Path) -> pl.DataFrame | None:
    """The index of a store as it was written last; None if there is none that can be believed."""
    import polars as pl

    try:
        content = (folder / INDEX).read_bytes()
        if (folder / SEAL).read_bytes() != _seal(folder, content):
            return None
        frame = pl.read_parquet(content)
    except (OSError, pl.exceptions.PolarsError):
        return None
    return frame if list(frame.columns[: len(FACTS)]) == list(FACTS) else None


def write_index(folder: Path, frame: pl.DataFrame) -> None:
    """Keep the index. Where that cannot be done, it is made again the next time."""
    content = BytesIO()
    frame.write_parquet(content)
    with suppress(OutputError, OSError):
        for name, what in (
            (INDEX, content.getvalue()),
            (SEAL, _seal(folder, content.getvalue())),
        ):
            with atomic_output(folder / name, own=True) as file:
                file.write(what)


def _seal(folder: Path, content: bytes) -> bytes:
    return sha256(content + f"\0{folder.stat().st_ino}".encode()).hexdigest().encode()


def update_index(
    known: pl.DataFrame | None,
    stamps: dict[str, str],
    load: Callable[[str], dict[str, Any]],
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The index of these results, and the reasons why some are not in it.

    ``stamps`` change when a result does. ``load`` gives the record of a key, or raises a ValueError.
    """
    import polars as pl

    present = pl.DataFrame(
        {"key": list(stamps), "stamp": list(stamps.values())},
        schema={"key": pl.String, "stamp": pl.String},
    )
    kept = None if known is None else known.join(present, on=["key", "stamp"], how="semi")
    if kept is not None and len(kept) == len(stamps):
        return kept, {}
    fresh = present if kept is None else present.join(kept, on="key", how="anti")
    rows, damaged = [], {}
    for key in fresh["key"]:
        try:
            rows.append(_row(load(key), stamps[key]))
        except (OSError, ValueError) as error:
            damaged[key] = str(error)
    parts = [part for part in (kept, _frame(rows)) if part is not None]
    return pl.concat(parts, how="diagonal_relaxed").sort("key"), damaged


def _row(record: dict[str, Any], stamp: str) -> dict[str, Any]:
    """The row of a record that was checked; one of an older version does not tell all."""
    spec = record["scenario"]
    sizing = Sizing.from_facts(record.get("sizing", {}))
    return {
        "key": record["key"],
        **{axis: table_text(spec[axis]["label"]) for axis in _AXES},
        "replica": spec["replica"],
        **{name: record[name] for name in ("jobs", "rejected", "too_wide", "procs", "rounds")},
        "seconds": float(record["seconds"]),
        "compiled": record["compiled"],
        "reproducible": record.get("reproducible"),
        "guess": table_text(sizing.guess),
        "doubt": table_text(sizing.doubt),
        "bytes": record["schedule"]["bytes"],
        "written": table_text(record["written"]),
        "stamp": stamp,
        **{
            table_text(name): None if value is None else float(value)
            for name, value in record["metrics"].items()
        },
    }


def table_text(label: Any) -> Any:
    """Letters that are no Unicode (from file names) cannot stand in a table."""
    return label.encode("utf-8", "replace").decode() if isinstance(label, str) else label


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    kinds = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    metrics = dict.fromkeys(name for row in rows for name in row if name not in FACTS)
    schema: dict[str, Any] = {name: kinds[kind] for name, kind in FACTS.items()}
    schema |= dict.fromkeys(metrics, pl.Float64)
    columns = {name: [row.get(name) for row in rows] for name in schema}
    return pl.DataFrame(columns, schema=schema, strict=False)
