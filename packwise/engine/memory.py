"""The arrays that compiled functions work on, from Python's side: groups of arrays, and where they are.

A state is a list of groups. All arrays of a state are cut out of one piece of memory, so that a state for one
round costs microseconds; pages that are never touched cost nothing. See ``slots`` for the other side.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.workload import Ints

#: Numbers in a table for each array: address, size (entries, or rows), columns of a row.
WORDS = 3

#: How many entries an array has, or how many rows of how many columns.
Size = int | tuple[int, int]


def address_of(array: NDArray[Any]) -> int:
    """Where the numbers of an array are."""
    address: int = array.__array_interface__["data"][0]
    return address


def table_of(arrays: Iterable[NDArray[Any]]) -> Ints:
    """The table of some arrays, which have to be kept alive beside it."""
    rows = []
    for array in arrays:
        if not array.flags.c_contiguous or array.dtype not in (np.int64, np.float64):
            raise InputError(
                f"the arrays of a kernel should be contiguous, of int64 or float64; found "
                f"{array.dtype}. Use np.ascontiguousarray(array, np.int64)."
            )
        columns = array.shape[1] if array.ndim == 2 else 0
        rows.append((address_of(array), len(array), columns))
    return np.array(rows or [(0, 0, 0)], np.int64)


@cache
def kinds_of(fields: Any) -> tuple[str, ...]:
    """What the fields of a group are annotated with: Ints, Floats, IntRows or FloatRows."""
    annotations = (fields.__annotations__[name] for name in fields._fields)
    return tuple(getattr(kind, "__forward_arg__", kind) for kind in annotations)


class Group(NamedTuple):
    """A named tuple of arrays, and the size of each."""

    fields: type[Any]
    sizes: tuple[Size, ...]


class Part(NamedTuple):
    """Where an array of a group is; ``shape``: if it has rows."""

    place: slice
    floating: bool
    shape: tuple[int, int] | None


class Layout(NamedTuple):
    """How groups lie in one piece of memory.

    ``table`` has a row for each array, offset in bytes and size; ``places`` tells where a group begins in it.
    """

    groups: tuple[tuple[Part, ...], ...]
    table: Ints
    places: Ints
    total: int


@lru_cache(maxsize=1024)
def layout(groups: tuple[Group, ...]) -> Layout:
    """Rounds of a replay that is stepped through have the same few layouts over and over."""
    found = []
    table: list[tuple[int, int, int]] = []
    total = 0
    for fields, sizes in groups:
        parts = []
        for kind, size in zip(kinds_of(fields), sizes, strict=True):  # type: ignore[arg-type]
            shape = size if isinstance(size, tuple) else None
            rows, columns = size if isinstance(size, tuple) else (size, 0)
            entries = rows * (columns or 1)
            parts.append(Part(slice(total, total + entries), kind.startswith("Float"), shape))
            table.append((8 * total, rows, columns))
            total += entries
        found.append(tuple(parts))
    places = np.cumsum([0] + [8 * WORDS * len(sizes) for _, sizes in groups])[:-1]
    return Layout(tuple(found), np.array(table, np.int64), places.astype(np.int64), total)


class State:
    """Groups of arrays, cut out of one piece of memory that holds zeros or, if not ``cleared``, anything.

    ``address`` is what compiled functions are given. A group can be replaced by arrays made elsewhere.
    """

    def __init__(self, groups: Iterable[Group], cleared: bool = True) -> None:
        self._groups = tuple(groups)
        self._parts, table, places, total = layout(self._groups)
        self._memory = (np.zeros if cleared else np.empty)(total + 1, np.int64)
        self._table = table.copy()
        self._table[:, 0] += address_of(self._memory)
        self._tables = places + address_of(self._table)
        self._arrays: dict[int, Any] = {}
        self._elsewhere: dict[int, Ints] = {}
        self.address = address_of(self._tables)

    def __getitem__(self, place: int) -> Any:
        """The arrays of a group."""
        if place not in self._arrays:
            arrays = map(self._array, self._parts[place])
            self._arrays[place] = self._groups[place].fields(*arrays)
        return self._arrays[place]

    def __setitem__(self, place: int, arrays: Any) -> None:
        """Let a group consist of arrays made elsewhere."""
        self._elsewhere[place] = table_of(arrays)
        self._arrays[place] = arrays
        self._tables[place] = address_of(self._elsewhere[place])

    def _array(self, part: Part) -> NDArray[Any]:
        place, floating, shape = part
        array: NDArray[Any] = self._memory[place]
        if floating:
            array = array.view(np.float64)
        return array if shape is None else array.reshape(shape)
