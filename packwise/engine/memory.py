"""The arrays that compiled functions work on, from Python's side: groups of arrays, and where they are.

A state is a list of groups. All arrays of a state are cut out of one piece of memory, so that a state for one
round costs microseconds; pages that are never touched cost nothing. See ``slots`` for the other side.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
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


class State:
    """Groups of arrays, cut out of one piece of memory that holds zeros or, if not ``cleared``, anything.

    ``address`` is what compiled functions are given. A group can be replaced by arrays made elsewhere.
    """

    def __init__(self, groups: Iterable[Group], cleared: bool = True) -> None:
        self._groups = list(groups)
        offsets: list[list[int]] = []
        table: list[tuple[int, int, int]] = []
        total = 0
        for _, sizes in self._groups:
            begins = []
            for size in sizes:
                rows, columns = size if isinstance(size, tuple) else (size, 0)
                begins.append(total)
                table.append((8 * total, rows, columns))
                total += rows * (columns or 1)
            offsets.append(begins)
        self._offsets = offsets
        self._memory = (np.zeros if cleared else np.empty)(total + 1, np.int64)
        self._table = np.array(table, np.int64)
        self._table[:, 0] += address_of(self._memory)
        first = address_of(self._table)
        places = np.cumsum([0] + [8 * WORDS * len(sizes) for _, sizes in self._groups])
        self._tables = np.array(places[:-1] + first, np.int64)
        self._elsewhere: dict[int, Any] = {}
        self.address = address_of(self._tables)

    def __getitem__(self, place: int) -> Any:
        """The arrays of a group."""
        if place in self._elsewhere:
            return self._elsewhere[place][0]
        fields, sizes = self._groups[place]
        kinds: tuple[str, ...] = kinds_of(fields)  # type: ignore[arg-type]
        return fields(*map(self._array, kinds, self._offsets[place], sizes))

    def __setitem__(self, place: int, arrays: Any) -> None:
        """Let a group consist of arrays made elsewhere."""
        table = table_of(arrays)
        self._elsewhere[place] = arrays, table
        self._tables[place] = address_of(table)

    def _array(self, kind: str, offset: int, size: Size) -> NDArray[Any]:
        entries = size[0] * size[1] if isinstance(size, tuple) else size
        part: NDArray[Any] = self._memory[offset : offset + entries]
        if kind.startswith("Float"):
            part = part.view(np.float64)
        return part.reshape(size) if isinstance(size, tuple) else part
