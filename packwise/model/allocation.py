"""The allocation: which units of each job are on which nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, Ints

_PART = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15}))?(?::([0-9]{1,15}))?")
#: More nodes than these in one job are a slip of the pen.
_MOST_NODES = 1_000_000


def nodes_of(text: str) -> dict[int, int] | None:
    """Nodes and the units on each, from a text such as ``0-3:1 7:2``; None if it tells none."""
    found: dict[int, int] = {}
    for part in text.split():
        match = _PART.fullmatch(part)
        if match is None:
            return None
        low = int(match[1])
        nodes = range(low, int(match[2] or low) + 1)
        units = int(match[3] or 1)
        if not nodes or nodes[-1] >= _MOST_NODES or not 1 <= units <= LARGEST:
            return None
        if any(node in found for node in nodes):
            return None
        found |= dict.fromkeys(nodes, units)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """For each job, in the order of a workload: nodes, and how many of its units each of them has.

    Those of job i are the entries ``first[i]`` to ``first[i + 1]`` of ``node`` and ``units``; a job that never
    ran has none.
    """

    first: Ints
    node: Ints
    units: Ints

    def __post_init__(self) -> None:
        for name in ("first", "node", "units"):
            column = np.array(getattr(self, name), dtype=np.int64)
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        first, entries = self.first, len(self.node)
        if (
            first.ndim != 1
            or first.size < 1
            or first[0] != 0
            or first[-1] != entries
            or (np.diff(first) < 0).any()
            or self.units.shape != (entries,)
        ):
            raise InputError(
                f"an allocation should have as many numbers of units as of nodes, found {self.units.shape} and "
                f"{self.node.shape}, and rising places of its jobs from 0 to their number."
            )

    def __len__(self) -> int:
        return len(self.first) - 1

    def of(self, job: int) -> dict[int, int]:
        """The nodes of a job, and the units on each."""
        part = slice(int(self.first[job]), int(self.first[job + 1]))
        return dict(zip(self.node[part].tolist(), self.units[part].tolist(), strict=True))

    @property
    def job(self) -> Ints:
        """The job of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    def select(self, picked: NDArray[Any]) -> Allocation:
        """The allocation of the jobs picked by a boolean mask or by positions."""
        jobs = np.arange(len(self))[picked]
        counts = np.diff(self.first)[jobs]
        first = np.concatenate(([0], np.cumsum(counts)))
        entries = np.repeat(self.first[jobs] - first[:-1], counts) + np.arange(first[-1])
        return Allocation(first, self.node[entries], self.units[entries])

    @classmethod
    def from_parts(cls, parts: Iterable[Mapping[int, int]]) -> Allocation:
        """From the nodes of each job, in their order."""
        held = [dict(part) for part in parts]
        first = np.concatenate(([0], np.cumsum([len(part) for part in held])))
        node = [node for part in held for node in part]
        units = [count for part in held for count in part.values()]
        return cls(first.astype(np.int64), np.array(node, np.int64), np.array(units, np.int64))
