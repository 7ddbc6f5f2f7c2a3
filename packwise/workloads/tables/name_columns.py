"""What a table tells by name: users, groups, partitions, ..., and what else a site's records know of a job.

Columns ``user_name``, ``queue_name``, ... are the names of the numbers in ``user``, ``queue``, ...;
``account``, ``qos``, ``state``, ``features``, ``node_list`` and ``cluster`` are names themselves. Names that
are not told are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.files.table import Table, quote
from packwise.model.workload import UNKNOWN, Ints, Workload

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


def name_columns(workload: Workload) -> dict[str, NDArray[Any]]:
    """The columns to write."""
    columns: dict[str, NDArray[Any]] = {}
    for name in (*NUMBERED, *WORDS):
        words = workload.names.get(name)
        numbers = workload.numbers(name)
        if words and numbers is not None:
            told = np.array([*words, None], object)
            columns[name if name in WORDS else f"{name}{SUFFIX}"] = told[numbers]
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
            words, columns[name] = _coded(_texts(table, name))
            names[name] = words
    columns |= {name: table.whole(name) for name in MORE if name in table}
    return {name: words for name, words in names.items() if words}, columns


def _texts(table: Table, name: str) -> list[str]:
    texts = table.texts(name)
    for row, text in enumerate(texts):
        if len(text) > _LONGEST:
            raise table.refusal(
                row,
                f"a name of at most {_LONGEST:,} characters in column '{name}'",
                f"one of {len(text):,}",
            )
    return texts


def _coded(texts: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Names in alphabetical order, and the number of each cell's; empty ones are unknown."""
    words = sorted(set(texts) - {""})
    number = {word: k for k, word in enumerate(words)} | {"": UNKNOWN}
    return tuple(words), np.array([number[text] for text in texts], np.int64)


def _pairs(table: Table, name: str, numbers: Ints | None) -> tuple[tuple[str, ...], Ints]:
    """Names of the numbers in another column; without that, numbers for the names."""
    texts = _texts(table, f"{name}{SUFFIX}")
    if numbers is None or (numbers == UNKNOWN).all():
        return _coded(texts)
    most = int(numbers.max())
    if most >= _MOST:
        raise table.refusal(
            int(numbers.argmax()),
            f"numbers below {_MOST:,} in column '{name}', as it has names",
            str(most),
        )
    words = [""] * (most + 1)
    for row, (number, text) in enumerate(zip(numbers.tolist(), texts, strict=True)):
        if number < 0 or words[number] == text:
            continue
        if words[number]:
            raise table.refusal(
                row,
                f"one name for {name} {number}, {quote(words[number])}",
                quote(text),
                f"Remove one of the columns '{name}' and '{name}{SUFFIX}'.",
            )
        words[number] = text
    return tuple(words), numbers
