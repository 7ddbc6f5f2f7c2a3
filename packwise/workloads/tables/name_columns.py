"""What a table tells by name: users, groups, partitions, ..., and what else a site's records know of a job.

Columns ``user_name``, ``queue_name``, ... are the names of the numbers in ``user``, ``queue``, ...;
``account``, ``qos``, ``state``, ``features``, ``node_list`` and ``cluster`` are names themselves. Names that
are not told are empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packwise.files.table import Table, quote
from packwise.model.workload import UNKNOWN, Ints, Workload

if TYPE_CHECKING:
    import polars as pl

#: Columns of numbers that may have names besides.
NUMBERED = ("user", "group", "app", "queue", "partition")
#: Columns that are names.
WORDS = ("account", "qos", "state", "features", "node_list", "cluster")
#: Whole numbers that only a site's records tell of a job; -1 is unknown.
MORE = (
    "held", "array_job", "array_task", "het_component", "requested_cpus", "requested_nodes", "nice",
    "priority", "exit_code",
)  # fmt: skip
SUFFIX = "_name"
NAME_COLUMNS = (*(f"{name}{SUFFIX}" for name in NUMBERED), *WORDS, *MORE)

#: In characters.
_LONGEST = 10_000
#: Numbers beyond this have no names.
_MOST = 10_000_000


def name_columns(workload: Workload) -> dict[str, pl.Series | NDArray[Any]]:
    """The columns to write."""
    import polars as pl

    columns: dict[str, pl.Series | NDArray[Any]] = {}
    for name in (*NUMBERED, *WORDS):
        words = workload.names.get(name)
        numbers = workload.numbers(name)
        if words and numbers is not None:
            told = pl.Series([None, *words], dtype=pl.String)
            columns[name if name in WORDS else f"{name}{SUFFIX}"] = told.gather(numbers + 1)
    for name in MORE:
        if name in workload.extra:
            columns[name] = workload.extra[name]
    return columns


def named_fields(table: Table, numbers: dict[str, Ints]) -> tuple[dict[str, Any], dict[str, Ints]]:
    """Names by column, and the columns of numbers that they go with, in the order of the rows.

    ``numbers`` are the columns of numbers that the table has itself.
    """
    names: dict[str, Any] = {}
    columns: dict[str, Ints] = {}
    for name in NUMBERED:
        if f"{name}{SUFFIX}" in table:
            names[name], columns[name] = _pairs(table, name, numbers.get(name))
    for name in WORDS:
        if name in table:
            words, columns[name] = _coded(table, name)
            names[name] = tuple(words)
    columns |= {name: table.whole(name) for name in MORE if name in table}
    return {name: words for name, words in names.items() if words}, columns


def _coded(table: Table, name: str) -> tuple[list[str], Ints]:
    """Names in alphabetical order, and the number of each row's; empty ones are unknown."""
    words, places = table.coded(name)
    too_long = [k for k, word in enumerate(words) if len(word) > _LONGEST]
    if too_long:
        row = int(np.argmax(np.isin(places, too_long)))
        raise table.refusal(
            row,
            f"a name of at most {_LONGEST:,} characters in column '{name}'",
            f"one of {len(words[places[row]]):,}",
        )
    return words, places


def _pairs(table: Table, name: str, numbers: Ints | None) -> tuple[tuple[str, ...], Ints]:
    """Names of the numbers in another column; without that, numbers for the names."""
    words, places = _coded(table, f"{name}{SUFFIX}")
    if numbers is None or (numbers == UNKNOWN).all():
        return tuple(words), places
    most = int(numbers.max())
    if most >= _MOST:
        raise table.refusal(
            int(numbers.argmax()),
            f"numbers below {_MOST:,} in column '{name}', as it has names",
            str(most),
        )
    first = _first_rows(numbers, places, most)
    named = np.where(first < len(numbers), places[first % len(numbers)], UNKNOWN)
    # Rows without a name are no contradiction as long as the number has none.
    wrong = (numbers >= 0) & (places != named[numbers])
    wrong[wrong] = np.flatnonzero(wrong) > first[numbers[wrong]]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise table.refusal(
            row,
            f"one name for {name} {numbers[row]}, {quote(words[named[numbers[row]]])}",
            quote(words[places[row]] if places[row] >= 0 else ""),
            f"Remove one of the columns '{name}' and '{name}{SUFFIX}'.",
        )
    return tuple(words[k] if k >= 0 else "" for k in named.tolist()), numbers


def _first_rows(numbers: Ints, places: Ints, most: int) -> Ints:
    """For each number up to ``most`` the first row that gives it a name; the number of rows if none does."""
    first = np.full(most + 1, len(numbers))
    rows = np.flatnonzero((numbers >= 0) & (places >= 0))[::-1]
    first[numbers[rows]] = rows  # of several rows, the last one counts
    return first
